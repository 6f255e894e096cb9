package pairs

import (
	"strings"

	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Consistency says how often runs answer a question alike, rightly or not. A letter stands for its option, wherever a shuffled one
// stands, and no answer is like no other.
type Consistency struct {
	Questions int            `json:"questions"`        // that no run lacks an item of
	Same      int            `json:"same"`             // with the same letter under all runs, to each of their items
	SameRight int            `json:"same_right"`       // of those, right
	Rate      stats.Number   `json:"rate,omitzero"`    // same / questions
	CI        stats.Interval `json:"rate_ci,omitzero"` // of the rate
	// Agreement is the mean over the questions of the share of pairs of runs that answer alike, as lm-eval's SCORE tasks count
	// their consistency rate.
	Agreement   stats.Number   `json:"agreement,omitzero"`
	AgreementCI stats.Interval `json:"agreement_ci,omitzero"`
}

// consistency counts questions that runs answer alike; nil where they have none in common.
func consistency(runs []Run, confidence float64) *Consistency {
	answers := make([]map[string]results.Answer, len(runs)) // by the item's id
	items := map[key]int{}                                  // of each question, in the run that has most of them
	for i := range runs {
		answers[i] = map[string]results.Answer{}
		own := map[key]int{}
		for a := range runs[i].Marked.View(0).Answers() {
			own[keyOf(a.Item)]++
			items[keyOf(a.Item)] = max(items[keyOf(a.Item)], own[keyOf(a.Item)])
			if !a.Tag.IsError() {
				answers[i][a.ID] = a
			}
		}
	}
	c := &Consistency{}
	var agreements []float64
	for question := range runs[0].Marked.View(0).Questions() {
		alike, ok := alikeIn(question, answers, items[keyOf(question.Items[0])])
		if !ok {
			continue
		}
		c.Questions++
		agreements = append(agreements, alike.agreement)
		if alike.same {
			c.Same++
			if alike.right {
				c.SameRight++
			}
		}
	}
	if c.Questions == 0 {
		return nil
	}
	rate, agreement := stats.Proportion(c.Same, c.Questions, false, confidence), stats.Mean(agreements, confidence)
	c.Rate, c.CI, c.Agreement, c.AgreementCI = rate.Value, rate.Interval, agreement.Value, agreement.Interval
	return c
}

// alike says how a question's items were answered by all runs.
type alike struct {
	same, right bool    // every item
	agreement   float64 // share of pairs of runs, mean over the items
}

// alikeIn is false where a run lacks one of the question's items, or was asked another question.
func alikeIn(question results.View, answers []map[string]results.Answer, items int) (a alike, ok bool) {
	if len(question.Items) != items {
		return a, false
	}
	a.same, a.right = true, true
	for _, it := range question.Items {
		counts := map[string]int{}
		gold := ""
		for i, run := range answers {
			answer, answered := run[it.ID]
			if !answered || answer.Options != it.Options || i > 0 && option(answer.Gold, answer.Order) != gold {
				return a, false
			}
			gold = option(answer.Gold, answer.Order)
			if answer.Answered() {
				counts[option(answer.Letter, answer.Order)]++
			}
			a.right = a.right && answer.Correct
		}
		pairs := 0
		for _, n := range counts {
			pairs += n * (n - 1) / 2
			a.same = a.same && n == len(answers)
		}
		a.same = a.same && len(counts) == 1
		a.agreement += float64(pairs) / float64(len(answers)*(len(answers)-1)/2) / float64(items)
	}
	return a, true
}

// option is the letter that an option has in the set's order, where the options were shuffled.
func option(letter, order string) string {
	if at := strings.Index(order, letter); at >= 0 && letter != "" {
		return string(rune('A' + at))
	}
	return letter
}
