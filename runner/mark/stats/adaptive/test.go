package adaptive

import (
	"math"

	"proctor/runner/mark/stats"
	"proctor/runner/mark/stats/betting"
)

// A Test decides how a model does beside another while their questions are answered, block after block.
type Test struct {
	strata                  []Stratum
	learnt                  []learnt
	flips                   []float64 // share of each stratum's questions that is expected to flip, by what is learnt
	left                    []int     // questions of each stratum that no block had yet
	notWorse, worse, better wager
	ratios                  [3]ratio // against the same hypotheses, in their order
	margin, alpha           float64
	open                    block // the last one
	within                  []int // questions of each stratum of it that are not known yet
	history                 []play
}

// A learnt is how many questions of a stratum are known by now, and flip.
type learnt struct{ known, flips float64 }

// New is a test on a set, which the strata make up. margin is a share.
func New(strata []Stratum, margin, alpha float64) *Test {
	t := &Test{strata: strata, learnt: make([]learnt, len(strata)), margin: margin, alpha: alpha, within: make([]int, len(strata))}
	for _, s := range strata {
		t.left = append(t.left, s.Questions)
	}
	t.flips = expect(t.strata, t.learnt, believed)
	t.notWorse, t.worse, t.better = against(strata, -margin, +1), against(strata, 0, -1), against(strata, 0, +1)
	t.ratios = [...]ratio{ratioOf(strata, +1), ratioOf(strata, -1), ratioOf(strata, +1)}
	return t
}

// A block is some questions of each stratum, of which what is known before decides how many, and what is staked on them.
type block struct {
	counts  []int
	weights []float64  // of a question of each stratum
	best    [2]float64 // the stakes that seem best, by [side]
	control []float64  // mean difference in each, as expected
	rest    float64    // Σ control over all questions that are left, by their number
	flips   []float64  // share of each stratum's questions that is expected to flip
	parts   []float64  // the strata's shares of all questions that are left
	pending int        // questions not known yet
}

// Begin begins a block of so many questions of each stratum: at least one wherever any is left in the set. It panics otherwise,
// or where the last block has not ended: its bets would prove nothing.
func (t *Test) Begin(counts []int) {
	if t.open.pending > 0 {
		panic("a block begins before the last one has ended")
	}
	b := block{counts: counts, weights: make([]float64, len(counts)), control: make([]float64, len(counts)), flips: t.flips, parts: t.parts()}
	all := 0
	for h, n := range counts {
		if n > t.left[h] || n < min(1, t.left[h]) {
			panic("a block has no question of a stratum, or more than are left")
		}
		b.pending, all = b.pending+n, all+t.left[h]
	}
	for h, n := range counts {
		t.within[h] = n
		if n == 0 {
			continue
		}
		b.control[h] = t.flips[h] * t.strata[h].flip()
		b.weights[h] = float64(b.pending) * float64(t.left[h]) / float64(n) / float64(all)
		b.rest += b.control[h] * float64(t.left[h]) / float64(all)
	}
	_, b.best = t.growth(counts)
	t.open = b
	for i, w := range []*wager{&t.notWorse, &t.worse, &t.better} {
		t.ratios[i].begin(&b, w.rest(), t.margin)
		w.begin(&b)
	}
	t.history = append(t.history, play{block: b})
}

// Add takes the difference of a question of the block, of stratum h: it is known to lie from least to most, which are the same unless the
// question failed. For each decision it counts as what speaks against it, so that no decision rests on what failed.
func (t *Test) Add(h, least, most int) betting.Verdict {
	if t.within[h] == 0 {
		panic("the block has no such question any more")
	}
	t.within[h]--
	t.left[h]--
	t.notWorse.add(h, float64(least))
	t.better.add(h, float64(least))
	t.worse.add(h, float64(most))
	for i, d := range [...]int{least, most, least} {
		t.ratios[i].add(h, float64(d))
	}
	if least == most {
		l := &t.learnt[h]
		l.known, l.flips = l.known+1, l.flips+math.Abs(float64(least))
	}
	last := &t.history[len(t.history)-1]
	last.answers = append(last.answers, answer{h, least, most})
	if t.open.pending--; t.open.pending == 0 {
		for _, w := range []*wager{&t.notWorse, &t.worse, &t.better} {
			w.end()
		}
		for i := range t.ratios {
			t.ratios[i].end()
		}
		last.ratios = t.likelihoods()
		t.flips = expect(t.strata, t.learnt, believed)
	}
	return t.Verdict()
}

// Verdict is what is decided: see [betting.VerdictOf].
func (t *Test) Verdict() betting.Verdict {
	notWorse, worse, better := t.Evidence()
	return betting.VerdictOf(notWorse, worse, better, t.alpha)
}

// Evidence are the capitals against "worse by the margin or more", "not worse" and "not better": e-values.
func (t *Test) Evidence() (notWorse, worse, better float64) {
	ratios := t.likelihoods()
	return both(&t.notWorse, ratios[0]), both(&t.worse, ratios[1]), both(&t.better, ratios[2])
}

// likelihoods are the ratios' capitals. That against "not better" is at most as large as that against "worse by the margin or more",
// which says less: so evidence never falls as a hypothesis says more, and verdicts and intervals agree.
func (t *Test) likelihoods() [3]float64 {
	notWorse := t.ratios[0].capital()
	return [...]float64{notWorse, t.ratios[1].capital(), min(notWorse, t.ratios[2].capital())}
}

// both is a capital of which one half bets by stakes and the other by likelihoods.
func both(w *wager, ratio float64) float64 { return (w.capital() + ratio) / 2 }

// Mean is that of what is known by now.
func (t *Test) Mean() stats.Number {
	known, flips := make([]int, len(t.strata)), make([]int, len(t.strata))
	for h, l := range t.learnt {
		known[h], flips[h] = int(l.known), int(l.flips)
	}
	return MeanOf(t.strata, known, flips)
}

// MeanOf estimates the mean difference over the set: that of each stratum's known questions, weighted by its questions. Undefined
// before every stratum has one.
func MeanOf(strata []Stratum, known, flips []int) stats.Number {
	sum, all := 0.0, 0.0
	for h := range strata {
		if known[h] == 0 {
			return stats.Undefined
		}
		sum += float64(strata[h].Questions) * strata[h].flip() * float64(flips[h]) / float64(known[h])
		all += float64(strata[h].Questions)
	}
	return stats.Of(sum / all)
}

// Takes says whether a block of so many questions of each stratum can begin.
func (t *Test) Takes(counts []int) bool {
	for h, n := range counts {
		if n < min(1, t.left[h]) {
			return false
		}
	}
	return true
}
