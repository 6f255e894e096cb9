package recount

import (
	"fmt"
	"math"
	"slices"
)

// A prompt is the scored repeats of one item.
type prompt []*plainItem

// prompts are those of each question; an item all of whose repeats failed is none.
func (r *plainRun) prompts() (questions [][]prompt) {
	for _, question := range by(scoredOf(r.items), questionOf) {
		var all []prompt
		for _, repeats := range by(question, func(it *plainItem) string { return it.Variant }) {
			all = append(all, repeats)
		}
		questions = append(questions, all)
	}
	return questions
}

// elects is 1 where the gold letter came more often than any other.
func (p prompt) elects() float64 {
	votes, runnerUp, gold := map[string]int{}, 0, p[0].Gold
	for _, it := range p {
		if it.letter != "" {
			votes[it.letter]++
		}
	}
	for letter, n := range votes {
		if letter != gold {
			runnerUp = max(runnerUp, n)
		}
	}
	return one(votes[gold] > runnerUp)
}

// overQuestions is the mean over questions of the mean over their prompts, where it is known, with its interval.
func (r *plainRun) overQuestions(path, se, ci string, questions [][]prompt, of func(prompt) float64) {
	var units []unit
	for _, question := range questions {
		var xs []float64
		for _, p := range question {
			if x := of(p); !math.IsNaN(x) {
				xs = append(xs, x)
			}
		}
		if len(xs) > 0 {
			units = append(units, unit{"", []float64{meanOf(xs), 1}})
		}
	}
	r.linear(path, se, ci, units, ratio, 0, false)
}

// unlike is the share of pairs of repeats with different letters, unknown of one.
func (p prompt) unlike() float64 {
	if len(p) < 2 {
		return math.NaN()
	}
	n, pairs := 0.0, 0.0
	for i := range p {
		for j := range i {
			n, pairs = n+one(p[i].letter != p[j].letter), pairs+1
		}
	}
	return n / pairs
}

func one(holds bool) float64 { return map[bool]float64{true: 1}[holds] }

// repeated fills in the figures of repeats.
func (r *plainRun) repeated() {
	const p = "repeats."
	questions := r.prompts()
	alone := r.task == "mmlu_pro" // one prompt a question
	var prompts []prompt
	for _, question := range questions {
		prompts = append(prompts, question...)
	}
	r.put(p+"repeats", float64(r.repeats))
	r.put(p+"items", float64(len(prompts)))
	var means []unit
	for _, question := range by(scoredOf(r.items), questionOf) {
		means = append(means, unit{"", []float64{meanOf(each(question, rightOf)), 1}})
	}
	r.linear(p+"mean", p+"se", p+"ci", means, ratio, 0, false)
	r.overQuestions(p+"flips", "", "", questions, func(q prompt) float64 { return 2 * varianceOf(each(q, rightOf)) })
	r.put(p+"run_sd", math.Sqrt(r.want[p+"flips"]/2/float64(len(prompts))))
	r.overQuestions(p+"answer_changed", "", "", questions, prompt.unlike)
	for name, of := range map[string]func(prompt) float64{
		"noise_floor": func(q prompt) float64 {
			if len(q) < 2 {
				return math.NaN()
			}
			return one(q.unlike() > 0)
		},
		"majority_vote": prompt.elects,
	} {
		r.overQuestions(p+name, "", p+name+"_ci", questions, of)
		n := 0.0
		for _, item := range prompts {
			n += one(!math.IsNaN(of(item)))
		}
		if alone {
			r.wilson(p+name+"_ci", r.want[p+name], n)
		}
	}
}

// capOf is the cap that a line was asked under.
func (r *plainRun) capOf(it *plainItem) float64 {
	if it.Cap == 0 {
		return r.caps[0]
	}
	return it.Cap
}

// cutShort says whether the cap ended a completion.
func cutShort(it *plainItem) bool {
	return it.Finish == "length" && (it.cause == "LENGTH" || it.cause == "THINK_UNCLOSED")
}

// replaced are the completions that others stand in the place of, where the cap was raised.
func (r *plainRun) replaced() []*plainItem {
	return keep(r.lines, func(it *plainItem) bool {
		return len(r.caps) > 1 && !it.failed && !slices.Contains(r.items, it)
	})
}

// again fills in what came of asking items again.
func (r *plainRun) again() {
	if len(r.caps) < 2 {
		return
	}
	const a = "asked_again."
	now := r.caps[len(r.caps)-1]
	for i, held := range r.caps {
		r.want[fmt.Sprintf("%smax_tokens.%d", a, i)] = held
	}
	for _, name := range []string{"items", "due", "before.answered", "before.correct", "before.cut",
		"after.answered", "after.correct", "after.cut"} {
		r.want[a+name] = 0
	}
	count := func(when string, it *plainItem) {
		r.want[a+when+"correct"] += it.right
		if it.letter != "" {
			r.want[a+when+"answered"]++
		}
		if cutShort(it) {
			r.want[a+when+"cut"]++
		}
	}
	earlier := r.replaced()
	for _, it := range r.items {
		held := r.capOf(it)
		if !it.failed && held < now && cutShort(it) {
			r.want[a+"due"]++
		}
		at := slices.IndexFunc(earlier, func(old *plainItem) bool { return old.ID == it.ID })
		if it.failed || at < 0 || r.capOf(earlier[at]) >= held {
			continue
		}
		r.want[a+"items"]++
		count("before.", earlier[at])
		count("after.", it)
	}
}
