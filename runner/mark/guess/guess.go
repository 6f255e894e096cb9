// Package guess computes the score of guessing, also where a question is asked in several orders of its options.
//
// Neighbours: runner/mark/results has the items, runner/mark/metrics the figures that these are compared with.
package guess

import (
	"slices"
	"strings"

	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Scores are the scores of three guessers, which differ where a question is asked in several orders of its options: one draws a letter
// for every order anew; one draws an option and finds it again in every order; one draws a letter and keeps it. Each draws evenly.
type Scores struct {
	Anew    stats.Number `json:"drawn_anew,omitzero"`
	Content stats.Number `json:"same_content,omitzero"`
	Letter  stats.Number `json:"same_letter,omitzero"`
}

// IsZero says whether nothing is known; encoding/json's omitzero uses it.
func (s Scores) IsZero() bool { return !s.Content.Defined() }

// Alike are the scores in a figure that does not depend on other orders.
func Alike(chance stats.Number) Scores { return Scores{chance, chance, chance} }

// Chances are the three guessers' chances, in the order of [Scores].
type Chances [3]float64

// Mean are the means of questions' chances.
func Mean(questions []Chances) Scores {
	var means [3]stats.Number
	for i := range means {
		sum := 0.0
		for _, chances := range questions {
			sum += chances[i]
		}
		means[i] = stats.Of(sum / float64(len(questions)))
	}
	return Scores{means[0], means[1], means[2]}
}

// Item is the chance of guessing an item right.
func Item(it *results.Item) float64 { return 1 / float64(it.Options) }

// Items are the chances of each scored item.
func Items(v results.View) []float64 {
	var all []float64
	for a := range v.Scored() {
		all = append(all, Item(a.Item))
	}
	return all
}

// Expected is the share of the scored items that guessing gets right: the baseline of every accuracy that pools them.
func Expected(v results.View) stats.Number {
	mean, _ := stats.Spread(Items(v))
	return mean
}

// Questions are the means of each question's chances over its scored items: [results.View.QuestionMeans] for a guesser.
func Questions(v results.View) []float64 {
	var all []float64
	for question := range v.Questions() {
		if mean, defined := Expected(question).Get(); defined {
			all = append(all, mean)
		}
	}
	return all
}

// A Question describes, for a guesser, a question in all the orders it was asked in.
type Question struct {
	options, orders int
	atLetter        []int // of each letter, in how many of the orders it is the gold one
	unmoved         int   // letters that show the same content in every order
}

// Of is a question, given by its items.
func Of(orders results.View) Question {
	g := Question{options: orders.Items[0].Options, orders: len(orders.Items)}
	for letter := range g.options {
		shown, right := make([]int, g.options), 0
		for _, it := range orders.Items {
			content := ContentAt(it.Variant, string(rune('A'+letter)))
			shown[max(0, content)]++
			if it.Gold[0] == byte('A'+letter) {
				right++
			}
		}
		g.atLetter = append(g.atLetter, right)
		if slices.Max(shown) == g.orders {
			g.unmoved++
		}
	}
	return g
}

// AtLeast is the chance of k right answers or more, k ≥ 1.
func (g Question) AtLeast(k int) Chances {
	p := 1 / float64(g.options)
	anew := 0.0
	for j := k; j <= g.orders; j++ {
		anew += stats.BinomialChance(j, g.orders, p)
	}
	letters := 0
	for _, right := range g.atLetter {
		if right >= k {
			letters++
		}
	}
	content := p
	if k > g.orders {
		content = 0
	}
	return Chances{anew, content, float64(letters) * p}
}

// AllRight is the chance of all answers being right.
func (g Question) AllRight() Chances { return g.AtLeast(g.orders) }

// LostLater is the chance that the original order is right and another one is not: 1/options less the chance that all are right.
func (g Question) LostLater() Chances {
	all := g.AllRight()
	for i := range all {
		all[i] = 1/float64(g.options) - all[i]
	}
	return all
}

// Consistent is the chance of choosing the same content in every order.
func (g Question) Consistent() Chances {
	p := 1 / float64(g.options)
	anew := float64(g.options) * stats.BinomialChance(g.orders, g.orders, p)
	return Chances{anew, 1, float64(g.unmoved) * p}
}

// ContentAt is the original option at a letter under a pattern, or -1: the pattern's i-th letter is where original option i now is.
func ContentAt(pattern string, letter string) int { return strings.Index(pattern, letter) }
