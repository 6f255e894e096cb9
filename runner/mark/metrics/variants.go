package metrics

import (
	"fmt"
	"slices"
	"strings"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A variantSet has the items of one of OpenCompass's patterns.
type variantSet struct {
	*settings
	name     string // origin, circular or all_possible
	view     results.View
	whole    []results.View // the repeats of questions that have every variant, each of them scored
	guessers map[string]guess.Question
}

// origin is the items in the original order.
func (p perf) origin(v results.View) variantSet {
	original := v.Where(func(it *results.Item) bool { return task.IsRotation(it.Variant) && strings.HasPrefix(it.Variant, "A") })
	return p.variantsOf("origin", original, func(*results.Item) int { return 1 })
}

// rotations are the items in one of the n rotations of n options.
func (p perf) rotations(v results.View) variantSet {
	rotated := v.Where(func(it *results.Item) bool { return task.IsRotation(it.Variant) })
	return p.variantsOf(task.Circular, rotated, func(it *results.Item) int { return it.Options })
}

// variantsOf makes a set of items; planned gives how many of them an item's question should have.
func (p perf) variantsOf(name string, v results.View, planned func(*results.Item) int) variantSet {
	set := variantSet{settings: p.settings, name: name, view: v, guessers: map[string]guess.Question{}}
	for question := range v.Repeats() {
		if t := question.Tally(); t.Errors == 0 && t.Items >= planned(question.Items[0]) {
			set.whole = append(set.whole, question)
		}
	}
	return set
}

// metrics are acc, perf and more_k of the set.
func (s variantSet) metrics() []Metric {
	most := 0
	for _, question := range s.whole {
		most = max(most, len(question.Items))
	}
	metrics := []Metric{s.accuracy(), s.perfect()}
	for k := 1; k < most; k++ {
		metrics = append(metrics, s.more(k))
	}
	return metrics
}

func (s variantSet) accuracy() Metric {
	t := s.view.Tally()
	return Metric{Name: "acc_" + s.name, Value: t.Accuracy(), Over: t.Scored(), CI: s.settings.accuracy(s.view).Interval,
		Guess: guess.Alike(guess.Expected(s.view))}
}

// judge is the share of whole questions for which holds is true, with the score of guessing where a chance is given.
func (s variantSet) judge(name string, holds func(repeat results.View) bool, chance func(guess.Question) guess.Chances) Metric {
	m := Metric{Name: name, Over: len(s.whole), Guess: s.guess(chance)}
	m.Value, m.SE, m.CI = s.share(judged(s.whole, holds))
	return m
}

func (s variantSet) perfect() Metric {
	return s.judge("perf_"+s.name, allRight, guess.Question.AllRight)
}

// more is the share of questions with at least k variants right, where one with fewer variants counts as not reaching it; with it, the
// share over the questions that have k variants.
func (s variantSet) more(k int) Metric {
	reached := func(question results.View) bool { return question.Tally().Correct >= k }
	m := s.judge(fmt.Sprintf("more_%d_%s", k, s.name), reached, func(g guess.Question) guess.Chances { return g.AtLeast(k) })
	for _, question := range s.whole {
		if len(question.Items) >= k {
			m.EligibleOver++
		}
	}
	m.Eligible = stats.Ratio(sumOf(judged(s.whole, reached)).Successes, m.EligibleOver)
	return m
}

// consistent says whether all variants have the same answer by content; letters may differ.
func consistent(question results.View) bool {
	votes := votesOf(question)
	return slices.Contains(votes[:], len(question.Items))
}

// outvotes says whether the gold content is chosen more often than any other.
func outvotes(question results.View) bool {
	gold, runnerUp := 0, 0
	first := question.Items[0]
	for content, n := range votesOf(question) {
		if content == guess.ContentAt(first.Variant, first.Gold) {
			gold = n
		} else {
			runnerUp = max(runnerUp, n)
		}
	}
	return gold > runnerUp
}

// votesOf is how often each content was chosen.
func votesOf(question results.View) (votes [journal.MaxOptions]int) {
	for a := range question.Answers() {
		if content := guess.ContentAt(a.Variant, a.Letter); content >= 0 && a.Answered() {
			votes[content]++
		}
	}
	return votes
}

// lostLater says whether the original order is answered right and another one is not.
func lostLater(question results.View) bool {
	for a := range question.Answers() {
		if a.Correct && a.Variant[0] == 'A' && task.IsRotation(a.Variant) {
			return !allRight(question)
		}
	}
	return false
}

// guesser is the guesser's view of a question, shared by all questions with the same orders and the same gold content.
func (s variantSet) guesser(question results.View) guess.Question {
	var key strings.Builder
	for _, it := range question.Items {
		key.WriteString(it.Variant + it.Gold)
	}
	g, known := s.guessers[key.String()]
	if !known {
		g = guess.Of(question)
		s.guessers[key.String()] = g
	}
	return g
}
