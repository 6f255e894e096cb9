package recount

import (
	"fmt"
	"slices"
)

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
	for _, name := range []string{"items", "due", "still_cut", "second_tries", "before.answered", "before.correct", "before.cut",
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
		if named := r.which; !it.failed && held < now {
			if cutShort(it) {
				r.want[a+"still_cut"]++
			}
			if cutShort(it) && slices.Contains(named, "LENGTH") || it.letter == "" && slices.Contains(named, "NO_ANSWER") {
				r.want[a+"due"]++
			}
		}
		at := slices.IndexFunc(earlier, func(old *plainItem) bool { return old.ID == it.ID })
		if it.failed || at < 0 || r.capOf(earlier[at]) >= held {
			continue
		}
		r.want[a+"items"]++
		count("before.", earlier[at])
		count("after.", it)
		if !cutShort(earlier[at]) && earlier[at].Text != it.Text {
			r.want[a+"second_tries"]++
		}
	}
}
