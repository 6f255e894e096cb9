package control

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawn is a set of N questions, of which n are drawn: d is −1, 0 or 1, and c is d but for a share that is d of another question.
func drawn(source *rand.Rand, all, n int, other float64) (d, c, set []float64) {
	differences := make([]float64, all)
	for i := range differences {
		switch x := source.Float64(); {
		case x < 0.06:
			differences[i] = -1
		case x < 0.10:
			differences[i] = 1
		}
	}
	set = append(set, differences...)
	for i := range set {
		if source.Float64() < other {
			set[i] = differences[source.IntN(all)]
		}
	}
	for _, i := range source.Perm(all)[:n] {
		d, c = append(d, differences[i]), append(c, set[i])
	}
	return d, c, set
}

// TestIntervalsHoldTheMeanOfQuestionsLikeThese has 6 % lost and 4 % won: a mean of −0.02.
func TestIntervalsHoldTheMeanOfQuestionsLikeThese(t *testing.T) {
	const rounds = 4000
	for name, other := range map[string]float64{"a control that goes with it": 0.2, "one that does not": 1} {
		source := rand.New(rand.NewPCG(5, 1))
		held, worth, sum := 0, 0.0, 0.0
		for range rounds {
			d, c, all := drawn(source, 3000, 500, other)
			e := Of(d, c, all, 0.95)
			if e.CI.Low <= -0.02 && -0.02 <= e.CI.High {
				held++
			}
			worth += e.Worth.Or(0) / rounds
			sum += e.Difference.Or(0) / rounds
		}
		share := float64(held) / rounds
		t.Logf("%s: %.4f hold the mean, worth %.2f, mean %.5f", name, share, worth, sum)
		if share < 0.94 || share > 0.962 || math.Abs(sum+0.02) > 0.0007 {
			t.Errorf("%s: %.4f of the intervals hold the mean, and the mean estimate is %g", name, share, sum)
		}
		if other == 1 && (worth < 0.97 || worth > 1.01) || other < 1 && worth < 1.9 {
			t.Errorf("%s: worth %.2f", name, worth)
		}
	}
}

// TestTheControlIsCentred has a draw whose questions have another mean of c than the set: where c is d, the estimate is the set's.
func TestTheControlIsCentred(t *testing.T) {
	var d, all []float64
	for i := range 1000 {
		x := 0.0
		if i%10 == 0 {
			x = -1
		}
		all = append(all, x)
		if i < 300 && i%3 != 1 {
			d = append(d, x)
		}
	}
	if e := Of(d, d, all, 0.95); math.Abs(e.Difference.Or(9)+0.1) > 1e-12 || math.Abs(e.Rho.Or(0)-1) > 1e-9 || math.Abs(e.Beta.Or(0)-1) > 1e-9 {
		t.Errorf("%+v", e)
	}
}

func TestTooFewQuestionsHaveNoInterval(t *testing.T) {
	few, same := make([]float64, 99), make([]float64, 500)
	few[3] = 1
	if e := Of(few, few, few, 0.95); e.Difference.Defined() {
		t.Errorf("99 questions: %+v", e)
	}
	for i := range 30 {
		same[i] = 1
	}
	if e := Of(same, make([]float64, 500), make([]float64, 900), 0.95); e.Difference.Defined() {
		t.Errorf("a control that is the same everywhere: %+v", e)
	}
}

// scored is a set of which each question has a divergence, with a heavy tail: the larger, the likelier its answer flips. What the
// reference has right can be lost, and else be won.
func scored(source *rand.Rand, all, n int) (d, c, set []float64, mean float64) {
	differences := make([]float64, all)
	for i := range all {
		divergence, sign := math.Exp(1.2*source.NormFloat64()-3), -1.0
		if source.Float64() < 0.4 {
			sign = 1
		}
		if source.Float64() < min(0.9, 2.5*divergence) {
			differences[i] = sign
			mean += sign / float64(all)
		}
		set = append(set, sign*divergence)
	}
	for _, i := range source.Perm(all)[:n] {
		d, c = append(d, differences[i]), append(c, set[i])
	}
	return d, c, set, mean
}

// TestADivergenceNarrowsTheInterval has intervals that hold the mean of questions like these, which is that of many sets.
func TestADivergenceNarrowsTheInterval(t *testing.T) {
	const rounds = 2000
	source, means, held, worth, rho := rand.New(rand.NewPCG(5, 2)), 0.0, 0, 0.0, 0.0
	var all []Estimate
	for range rounds {
		d, c, set, mean := scored(source, 3000, 500)
		e := Of(d, c, set, 0.95)
		all, means = append(all, e), means+mean/rounds
		worth, rho = worth+e.Worth.Or(0)/rounds, rho+e.Rho.Or(0)/rounds
	}
	for _, e := range all {
		if e.CI.Low <= means && means <= e.CI.High {
			held++
		}
	}
	if share := float64(held) / rounds; share < 0.935 || share > 0.965 || worth < 1.1 || rho < 0.3 {
		t.Errorf("%.4f of the intervals hold %.4f; worth %.3f, ρ %.3f", share, means, worth, rho)
	} else {
		t.Logf("%.4f of the intervals hold %.4f; worth %.3f, ρ %.3f", share, means, worth, rho)
	}
}
