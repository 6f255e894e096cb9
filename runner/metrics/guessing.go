package metrics

import (
	"proctor/runner/results"
	"proctor/runner/stats"
)

// A Guess is what guessing scores where a question is asked in several orders of its options, under three assumptions, since
// they are not the same then: a guesser who draws a letter for every order anew; one who draws an option and finds it again
// in every order; one who draws a letter and keeps it. Each draws evenly from what the question has.
type Guess struct {
	Anew    stats.Number `json:"drawn_anew,omitzero"`
	Content stats.Number `json:"same_content,omitzero"`
	Letter  stats.Number `json:"same_letter,omitzero"`
}

// IsZero says whether nothing is known of it; encoding/json's omitzero asks it.
func (g Guess) IsZero() bool { return !g.Content.Defined() }

// alike is the guess at what does not depend on other orders.
func alike(chance stats.Number) Guess { return Guess{chance, chance, chance} }

// chance is that of guessing an item right.
func chance(it *results.Item) float64 { return 1 / float64(it.Options) }

// average is the mean of the values, undefined without any.
func average(values []float64) stats.Number {
	mean, _ := stats.Spread(values)
	return mean
}

// chances are those of guessing each scored item right.
func chances(v results.View) []float64 {
	var all []float64
	for a := range v.Scored() {
		all = append(all, chance(a.Item))
	}
	return all
}

// expected is what guessing would get right of the scored items: the baseline of every accuracy that pools them.
func expected(v results.View) stats.Number { return average(chances(v)) }

// answeredChance is what guessing would get right of the answered items.
func answeredChance(v results.View) stats.Number {
	return expected(v.Where(func(it *results.Item) bool { return v.Of(it).Answered() }))
}

// questionChances are the means of each question's scored items' chances: what [questionMeans] are for a guesser.
func questionChances(v results.View) []float64 {
	var all []float64
	for question := range v.Questions() {
		if mean, defined := expected(question).Get(); defined {
			all = append(all, mean)
		}
	}
	return all
}

// aboveChance is the one-sided p of "no better than guessing" from the questions' means less what guessing would get of
// them. Undefined where these do not vary.
func aboveChance(v results.View) stats.Number {
	excess := questionMeans(v)
	for i, chance := range questionChances(v) {
		excess[i] -= chance
	}
	return stats.Exceeds(excess)
}

// chanceCorrected is (score − chance)/(1 − chance).
func chanceCorrected(score, chance stats.Number) stats.Number {
	s, scoreDefined := score.Get()
	c, chanceDefined := chance.Get()
	if !scoreDefined || !chanceDefined {
		return stats.Undefined
	}
	return stats.Of((s - c) / (1 - c))
}

// A guesser answers a question in all its orders; count is how many of them are right, of all that there are.
type guesser struct {
	options, orders int
	atLetter        []int // of each letter, in how many of the orders it is the gold one
	unmoved         int   // letters that show the same content in every order
	winning         int   // letters that show the gold content in more orders than any other
}

func guesserOf(orders results.View) guesser {
	g := guesser{options: orders.Items[0].Options, orders: len(orders.Items)}
	for letter := range g.options {
		shown, right := make([]int, g.options), 0
		for _, it := range orders.Items {
			content := contentAt(it.Variant, string(rune('A'+letter)))
			shown[max(0, content)]++
			if it.Gold[0] == byte('A'+letter) {
				right++
			}
		}
		gold := max(0, contentAt(orders.Items[0].Variant, orders.Items[0].Gold))
		most, rival := 0, 0
		for content, n := range shown {
			most = max(most, n)
			if content != gold {
				rival = max(rival, n)
			}
		}
		g.atLetter = append(g.atLetter, right)
		if most == g.orders {
			g.unmoved++
		}
		if right > rival {
			g.winning++
		}
	}
	return g
}

// atLeast is the chance of k right answers or more, k ≥ 1.
func (g guesser) atLeast(k int) [3]float64 {
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
	return [3]float64{anew, content, float64(letters) * p}
}

func (g guesser) allRight() [3]float64 { return g.atLeast(g.orders) }

// lostLater is the chance of the original order's being right and another one's not: of all, the chance that the original
// is right, 1/options, less that of all.
func (g guesser) lostLater() [3]float64 {
	all := g.allRight()
	for i := range all {
		all[i] = 1/float64(g.options) - all[i]
	}
	return all
}

// consistent is the chance of choosing the same content in every order.
func (g guesser) consistent() [3]float64 {
	p := 1 / float64(g.options)
	anew := float64(g.options) * stats.BinomialChance(g.orders, g.orders, p)
	return [3]float64{anew, 1, float64(g.unmoved) * p}
}

// votes is the chance of choosing the gold content more often than any other.
func (g guesser) votes() [3]float64 {
	p := 1 / float64(g.options)
	return [3]float64{stats.VoteByChance(g.options, g.orders).Or(-1), p, float64(g.winning) * p}
}

// guess is the mean over whole questions of what a guesser has a chance for. A chance below 0 is not known.
func (s variantSet) guess(of func(guesser) [3]float64) Guess {
	var sum [3]float64
	known := true
	for _, orders := range s.whole {
		for i, x := range of(s.guesser(orders)) {
			sum[i] += x
			known = known && x >= 0
		}
	}
	mean := func(i int) stats.Number { return stats.Of(sum[i] / float64(len(s.whole))) }
	g := Guess{mean(0), mean(1), mean(2)}
	if !known {
		g.Anew = stats.Undefined
	}
	return g
}
