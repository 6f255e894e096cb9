package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// yesNo makes up a question of MMLU-Pro Binary whose items depend on each other: a hard one is hard for all its options.
func yesNo(random *rand.Rand) Confusion {
	skill := random.Float64()
	c := Confusion{}
	if random.Float64() < 0.3+0.6*skill {
		c.TruePositive = 1
	} else {
		c.FalseNegative = 1
	}
	for range 2 + random.IntN(8) {
		if random.Float64() < 0.7+0.3*skill {
			c.TrueNegative++
		} else {
			c.FalsePositive++
		}
	}
	return c
}

func yesNos(random *rand.Rand, n int) []Confusion {
	questions := make([]Confusion, n)
	for i := range questions {
		questions[i] = yesNo(random)
	}
	return questions
}

var ofConfusions = map[string]Statistic{"balanced accuracy": OfBalancedAccuracy, "F1": OfF1}

func TestStatisticsOfTotalsAreThoseOfTheConfusion(t *testing.T) {
	c := Confusion{TruePositive: 17, FalsePositive: 5, TrueNegative: 80, FalseNegative: 9}
	for name, want := range map[string]Number{
		"balanced accuracy": Of((c.TPR().Or(9) + c.TNR().Or(9)) / 2), "F1": c.F1(),
	} {
		got, gradient := ofConfusions[name](c.totals())
		near(t, name, got, value(t, name, want), 1e-14)
		for i := range gradient { // against the slope of a secant
			const h = 1e-4
			up, down := c.totals(), c.totals()
			up[i], down[i] = up[i]+h, down[i]-h
			above, _ := ofConfusions[name](up)
			below, _ := ofConfusions[name](down)
			near(t, fmt.Sprintf("%s, slope %d", name, i), gradient[i], (above-below)/(2*h), 1e-9)
		}
	}
}

func TestTotalsOfSubjectsByHand(t *testing.T) {
	subjects := [][]float64{subject(5, 4), subject(11, 1)}
	var samples []Sample
	for _, scores := range subjects {
		samples = append(samples, ones(scores))
	}
	got := OfTotals(samples, OfRatio, 0, 1, 0.95)
	near(t, "value", value(t, "value", got.Value), 5.0/16, 1e-15)
	near(t, "standard error", value(t, "SE", got.SE), math.Sqrt(5*0.2+11.0/11)/16, 1e-15)
	mean, se := value(t, "value", got.Value), value(t, "SE", got.SE)
	_, high := share{mean, mean * (1 - mean) / se / se * math.Pow(z975/2.144786687916925, 2)}.bounds(z975) // t with 14 degrees
	near(t, "high", got.Interval.High, high, 1e-6)
	macro := MacroOfTotals(samples, OfRatio, 0, 1, 0.95)
	wanted := Macro(subjects, 0.95)
	near(t, "macro", value(t, "macro", macro.Value), value(t, "macro", wanted.Value), 1e-15)
	near(t, "macro standard error", value(t, "SE", macro.SE), value(t, "SE", wanted.SE), 1e-15)
	none := OfTotals(nil, OfRatio, 0, 1, 0.95)
	assert.Check(t, !none.Value.Defined(), "of nothing: %+v", none)
	lone := OfTotals([]Sample{{{1, 2}}}, OfRatio, 0, 1, 0.95)
	assert.Check(t, value(t, "one question", lone.Value) == 0.5 && !lone.SE.Defined() && lone.Interval.IsZero(), "one question: %+v", lone)
	same := OfTotals([]Sample{{{2, 2}, {4, 4}, {1, 1}}}, OfRatio, 0, 1, 0.95)
	near(t, "all right: as of three questions", same.Interval.Low, math.Pow(0.035, 1.0/3), 1e-12)
	endless := OfTotals([]Sample{{{2, 1}, {2, 1}}}, OfRatio, 0, math.Inf(1), 0.95)
	assert.Check(t, endless.Interval.IsZero() && value(t, "alike", endless.Value) == 2, "all alike without bounds: %+v", endless)
}

func TestIntervalsOfTotalsCover(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 33))
	var all Confusion // a million questions are the truth
	for range 300_000 {
		all = Sum([]Confusion{all, yesNo(random)})
	}
	for name, statistic := range ofConfusions {
		truth, _ := statistic(all.totals())
		for _, n := range []int{40, 150} {
			share := covers(1500, truth, func() Interval {
				return OfTotals([]Sample{Confusions(yesNos(random, n))}, statistic, -1, 1, 0.95).Interval
			})
			near(t, fmt.Sprintf("coverage, %s of %d questions", name, n), share, 0.95, 0.02)
		}
		// One world serves as 14 subjects. Their mean estimates the average over subjects of this size.
		const subjects, each = 14, 20
		mean, rounds := 0.0, 4000
		for range rounds {
			var sum Confusion
			for _, c := range yesNos(random, each) {
				sum = Sum([]Confusion{sum, c})
			}
			x, _ := statistic(sum.totals())
			mean += x / float64(rounds)
		}
		share := covers(700, mean, func() Interval {
			samples := make([]Sample, subjects)
			for i := range samples {
				samples[i] = Confusions(yesNos(random, each))
			}
			return MacroOfTotals(samples, statistic, -1, 1, 0.95).Interval
		})
		near(t, "coverage, macro "+name, share, 0.95, 0.025)
	}
}

// Of 14 subjects that are alike, eight have one question and never differ from it.
func TestMacroIntervalsCoverWithSubjectsOfOneQuestion(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 35))
	share := covers(3000, 0.5, func() Interval {
		samples := make([]Sample, 14)
		for h := range samples {
			for range 1 + (h+1)/9 {
				rate := random.Float64()
				x := []float64{0, 6}
				for range 6 {
					if random.Float64() < rate {
						x[0]++
					}
				}
				samples[h] = append(samples[h], x)
			}
		}
		return MacroOfTotals(samples, OfRatio, 0, 1, 0.95).Interval
	})
	near(t, "coverage", share, 0.965, 0.02)
}
