// Package guess says what guessing scores, also where a question is asked in several orders of its options.
//
// Neighbours: runner/mark/results has the items, runner/mark/metrics the figures that these stand beside.
package guess

import (
	"slices"
	"strings"

	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Scores are what guessing scores where a question is asked in several orders of its options, under three assumptions, since
// they are not the same then: a guesser who draws a letter for every order anew; one who draws an option and finds it again
// in every order; one who draws a letter and keeps it. Each draws evenly from what the question has.
type Scores struct {
	Anew    stats.Number `json:"drawn_anew,omitzero"`
	Content stats.Number `json:"same_content,omitzero"`
	Letter  stats.Number `json:"same_letter,omitzero"`
}

// IsZero says whether nothing is known of it; encoding/json's omitzero asks it.
func (s Scores) IsZero() bool { return !s.Content.Defined() }

// Alike are the scores in what does not depend on other orders.
func Alike(chance stats.Number) Scores { return Scores{chance, chance, chance} }

// Chances are those of the three guessers, in the order of [Scores].
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

// Items are those of each scored item.
func Items(v results.View) []float64 {
	var all []float64
	for a := range v.Scored() {
		all = append(all, Item(a.Item))
	}
	return all
}

// Expected is what guessing would get right of the scored items: the baseline of every accuracy that pools them.
func Expected(v results.View) stats.Number {
	mean, _ := stats.Spread(Items(v))
	return mean
}

// Questions are the means of each question's scored items' chances: what [results.View.QuestionMeans] are for a guesser.
func Questions(v results.View) []float64 {
	var all []float64
	for question := range v.Questions() {
		if mean, defined := Expected(question).Get(); defined {
			all = append(all, mean)
		}
	}
	return all
}

// A Question is one in all the orders that it was asked in, for somebody who guesses.
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

// LostLater is the chance of the original order's being right and another one's not: of all, the chance that the original
// is right, 1/options, less that of all.
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

// ContentAt is the original option that a pattern puts at a letter, or -1: the pattern's i-th letter is where original
// option i now stands.
func ContentAt(pattern string, letter string) int { return strings.Index(pattern, letter) }
