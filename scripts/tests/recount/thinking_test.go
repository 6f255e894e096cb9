package recount

import (
	"fmt"
)

func closedOf(it *plainItem) float64 { return one(it.Closed) }

// thought fills in what thinking with a budget was worth.
func (r *plainRun) thought() {
	if len(r.budgets) == 0 {
		return
	}
	scored := scoredOf(r.items)
	for i, budget := range r.budgets {
		r.put(fmt.Sprintf("thinking.budgets.%d", i), float64(budget))
	}
	thinking := total(scored, thinkingOf)
	r.put("thinking.thinking_tokens", thinking)
	r.put("thinking.answer_tokens", total(scored, outputOf)-thinking)
	r.put("thinking.thinking_tokens_per_right", thinking/total(scored, rightOf))
	r.put("thinking.closed_share", meanOf(each(scored, closedOf)))
	r.proportion("", "thinking.closed_share_ci", scored, closedOf)
	r.some("thinking.closed.", keep(scored, func(it *plainItem) bool { return it.Closed }))
	r.some("thinking.itself.", keep(scored, func(it *plainItem) bool { return !it.Closed }))
	if len(r.budgets) < 2 {
		return
	}
	for i, budget := range r.budgets {
		path, at := fmt.Sprintf("thinking.curve.%d.", i), r.at(budget, scored)
		r.some(path, at)
		r.put(path+"budget", float64(budget))
		r.put(path+"closed", total(at, closedOf))
		r.put(path+"thinking_tokens", total(at, thinkingOf))
		r.put(path+"thinking_tokens_per_right", total(at, thinkingOf)/total(at, rightOf))
		if i == len(r.budgets)-1 {
			continue
		}
		r.change(path, scored, at)
	}
}

// change is how the items do at a budget beside the largest one.
func (r *plainRun) change(path string, largest, at []*plainItem) {
	var units []unit
	then := by(largest, questionOf)
	for q, items := range by(at, questionOf) {
		units = append(units, unit{"", []float64{total(items, rightOf) - total(then[q], rightOf), float64(len(items))}})
	}
	n := float64(len(units))
	of := plainRun{want: map[string]float64{}, trials: map[string]trial{}}
	of.linear("value", "error", "ci", units, ratio, -1, false)
	difference := of.want["value"]
	r.put(path+"difference", difference)
	z := plainGap{0, difference, of.want["error"], n}.z
	if len(units) == len(at) {
		z = pairOf(&plainRun{items: largest}, &plainRun{items: at}).z
	}
	if n >= 10 {
		const reach = 1.959963984540054
		r.bounds(path+"difference_ci", bound(z, difference, -1, reach), bound(z, difference, 1, reach), -1)
	}
}

// some is how some scored items did.
func (r *plainRun) some(path string, items []*plainItem) {
	r.put(path+"items", float64(len(items)))
	r.put(path+"correct", total(items, rightOf))
	r.put(path+"accuracy", meanOf(each(items, rightOf)))
	r.proportion(path+"stderr", path+"ci", items, rightOf)
}

// at are the items as a run with this budget alone would have them.
func (r *plainRun) at(budget int, scored []*plainItem) (all []*plainItem) {
	for _, it := range scored {
		then := *it
		for _, f := range it.Forks {
			if f.Budget != budget {
				continue
			}
			then.Text, then.Cause, then.Finish, then.Stop, then.Closed = it.Text[:f.Shared]+f.Text, f.Cause, f.Finish, f.Stop, true
			then.Usage.Output, then.Usage.Thinking = f.Output, f.Thinking
			r.read(&then, r.own)
		}
		all = append(all, &then)
	}
	return all
}
