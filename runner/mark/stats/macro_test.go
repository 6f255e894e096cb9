package stats

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gotest.tools/v3/assert"
)

// subject has asked questions, each asked once, and correct of them answered right.
func subject(n, correct int) []float64 {
	scores := make([]float64, n)
	for i := range correct {
		scores[i] = 1
	}
	return scores
}

func TestMacroByHand(t *testing.T) {
	macro := Macro([][]float64{subject(5, 4), subject(11, 1)}, 0.95)
	near(t, "macro accuracy", value(t, "macro", macro.Value), (0.8+1.0/11)/2, 1e-15)
	near(t, "macro standard error", value(t, "SE", macro.SE), math.Sqrt(0.04+1.0/121)/2, 1e-15)
	of := Macro([][]float64{{0, 0.5, 1, 0.5}, {0.25, 0.75}}, 0.95) // s² are 1/6 and 1/8
	near(t, "mean of scores", value(t, "mean", of.Value), 0.5, 1e-15)
	near(t, "standard error of scores", value(t, "SE", of.SE), math.Sqrt(1.0/6/4+1.0/8/2)/2, 1e-15)
	// A subject with one question takes the variance of all: 4 of 6 right, variance 2/9; the other subject: s² = 0.3.
	lone := Macro([][]float64{subject(1, 1), subject(5, 3)}, 0.95)
	near(t, "standard error with one question", value(t, "SE", lone.SE), math.Sqrt(2.0/9+0.3/5)/2, 1e-15)
	assert.Check(t, len(macro.Warnings)+len(of.Warnings) == 0, "nothing is missing: %q, %q", macro.Warnings, of.Warnings)
}

func TestOneSubjectIsAPlainProportion(t *testing.T) {
	got := Macro([][]float64{subject(50, 20)}, 0.95).Interval
	want := Proportion(20, 49, 0.95).Interval // the effective size is n−1
	near(t, "width", got.High-got.Low, want.High-want.Low, 2e-3)
	assert.Check(t, got.Contains(0.4), "%+v does not hold 0.4", got)
}

func TestSubjectsThatCannotSpeakSaySo(t *testing.T) {
	got := Macro([][]float64{subject(1, 1), subject(4, 2), nil}, 0.95)
	near(t, "accuracy of those asked", value(t, "accuracy", got.Value), 0.75, 1e-15)
	assert.Check(t, len(got.Warnings) == 2, "warnings %q, want one for the lone question and one for the missing subject", got.Warnings)
	for _, nothing := range [][][]float64{nil, {nil}} {
		none := Macro(nothing, 0.95)
		assert.Check(t, !none.Value.Defined() && none.Interval.IsZero(), "nothing asked: %+v", none)
	}
	right := Macro([][]float64{subject(5, 5), subject(5, 5)}, 0.95)
	near(t, "all right: as of ten questions", right.Interval.Low, math.Pow(0.035, 0.1), 1e-12)
}

func TestTheIntervalBorrowsVarianceFromFewQuestions(t *testing.T) {
	// n = 3: of each subject's ¼/3 two thirds take S², a third its own s².
	for _, c := range []struct {
		first     []float64
		mean      float64
		effective float64
	}{
		{[]float64{1, 1, 1}, 1.0 / 2, 9},         // ¼ / (2 · 1/12 · ⅔ · ¼)
		{[]float64{0, 0, 0}, 0, 6},               // all alike: 1 / (2 · 1/12)
		{[]float64{1, 1, 0}, 1.0 / 3, 72.0 / 11}, // 2/9 / (1/12 · ⅓ · ⅓ + 2 · 1/12 · ⅔ · 2/9)
	} {
		e := Macro([][]float64{c.first, {0, 0, 0}}, 0.95)
		want := share{c.mean, c.effective}.interval(0.95, "")
		near(t, "value", value(t, "value", e.Value), c.mean, 1e-12)
		near(t, "low", e.Interval.Low, want.Low, 1e-12)
		near(t, "high", e.Interval.High, want.High, 1e-12)
	}
	halves := []float64{0.5, 0.5, 0.5}
	near(t, "low of halves", Macro([][]float64{halves, halves}, 0.95).Interval.Low, share{0.5, 6}.interval(0.95, "").Low, 1e-12)
}

// TestAMacroAccuracyOfFewErrorsCovers draws subjects that are nearly always right: where all of a draw is right, the mean of 14
// ones is 1 up to rounding, and no interval of its own.
func TestAMacroAccuracyOfFewErrorsCovers(t *testing.T) {
	draws, slack := 1500, 3.0
	if os.Getenv("LONG") != "" {
		draws, slack = 10_000, 2
	}
	random := rand.New(rand.NewPCG(36, 8))
	for _, c := range []struct {
		each  int
		right float64
	}{{5, 0.97}, {10, 0.99}, {20, 0.99}, {5, 0.9}, {20, 0.97}} {
		share := covers(draws, c.right, func() Interval {
			subjects := make([][]float64, 14)
			for h := range subjects {
				subjects[h] = subject(c.each, drawPairs(random, c.each, c.right, 0, 0).Both)
			}
			return Macro(subjects, 0.95).Interval
		})
		assert.Check(t, share >= 0.93-slack*math.Sqrt(0.93*0.07/float64(draws)),
			"%d questions of each subject, %g right: covers %.4f", c.each, c.right, share)
	}
	for _, count := range []int{3, 6, 7, 14, 49} {
		subjects := make([][]float64, count)
		for h := range subjects {
			subjects[h] = subject(2, 2)
		}
		if e := Macro(subjects, 0.95); e.Value.Or(0) != 1 || e.Interval.High != 1 || e.Interval.Low > 0.98 {
			t.Errorf("%d subjects, all right: %v in %+v", count, e.Value, e.Interval)
		}
	}
}

// covers is the share of draws whose interval holds the truth.
func covers(draws int, truth float64, draw func() Interval) float64 {
	held := 0
	for range draws {
		if draw().Contains(truth) {
			held++
		}
	}
	return float64(held) / float64(draws)
}

func TestMedianIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 19))
	for _, n := range []int{9, 40} {
		share := covers(3000, 0.6931471805599453, func() Interval { // ln 2, the median of the exponential distribution
			values := make([]float64, n)
			for i := range values {
				values[i] = random.ExpFloat64()
			}
			return Median(values, 0.95).Interval
		})
		assert.Check(t, share >= 0.942 && share <= 0.99, "n = %d: covers %.4f, want 0.95 or somewhat more", n, share)
	}
}

// Subjects far from each other: a mean of few questions of each, whose variance is partly that of all, covers up to 99 % of the time.
func TestMacroIntervalsCoverWhereSubjectsDiffer(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 21))
	for i, middle := range []float64{-2, 0, 2, -2, 0, 2, -2, 0, 2} {
		apart := []float64{2, 0.5, 3}[i/3]
		for _, each := range []int{2, 3, 7, 12, 25} {
			chances, mean := make([]float64, 14), 0.0
			for h := range chances {
				chances[h] = 1 / (1 + math.Exp(-middle-apart*math.Sin(2.1*float64(h))))
				mean += chances[h] / 14
			}
			share := covers(3000, mean, func() Interval {
				subjects := make([][]float64, 14)
				for h, p := range chances {
					subjects[h] = subject(each, drawPairs(random, each, p, 0, 0).Both)
				}
				return Macro(subjects, 0.95).Interval
			})
			if share < 0.925 { // 0.93 less a standard error of the simulation
				t.Errorf("%d a subject, around %g ± %g: covers %.4f", each, middle, apart, share)
			}
		}
	}
}

func TestClusteredErrorAgreesWithTheDoubleSum(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	var clusters []Cluster
	var items [][]float64 // the same clusters, item by item
	for range 40 {
		size := 1 + random.IntN(9)
		one, right := make([]float64, size), 0
		for i := range one {
			if random.IntN(3) > 0 {
				one[i] = 1
				right++
			}
		}
		clusters, items = append(clusters, Cluster{right, size}), append(items, one)
	}
	n, sum := 0.0, 0.0
	for _, one := range items {
		for _, x := range one {
			n, sum = n+1, sum+x
		}
	}
	mean, total := sum/n, 0.0
	for _, one := range items { // Miller's equation 4, every pair of a cluster, an item with itself included
		for _, x := range one {
			for _, y := range one {
				total += (x - mean) * (y - mean)
			}
		}
	}
	want := math.Sqrt(total/(n*n)) * math.Sqrt(40.0/39)
	got := ClusteredProportion(append(clusters, Cluster{}), 0.95)
	near(t, "mean", value(t, "mean", got.Value), mean, 1e-14)
	near(t, "standard error", value(t, "SE", got.SE), want, 1e-14)
	size := mean * (1 - mean) / want / want * math.Pow(z975/2.0226909, 2) // t 0.975 with 39 degrees of freedom
	_, high := share{mean, size}.bounds(z975)
	near(t, "high", got.Interval.High, high, 1e-7)
}

func TestMeansThatDoNotVary(t *testing.T) {
	perfect := Mean([]float64{1, 1, 1, 1, 1, 1, 1, 1}, 0.95)
	near(t, "all right, low", perfect.Interval.Low, math.Pow(0.035, 1.0/8), 1e-12)
	near(t, "all right, high", perfect.Interval.High, 1, 0)
	assert.Check(t, len(perfect.Warnings) == 1, "warnings %q, want one", perfect.Warnings)
	hopeless := ClusteredProportion([]Cluster{{0, 4}, {0, 4}, {0, 10}}, 0.95)
	near(t, "all wrong, low", hopeless.Interval.Low, 0, 0)
	near(t, "all wrong, high", hopeless.Interval.High, 1-math.Pow(0.035, 1.0/3), 1e-12)
	thirds := Mean([]float64{1.0 / 3, 1.0 / 3, 1.0 / 3}, 0.95) // 1/3 thrice adds up to 1 only by luck
	assert.Check(t, thirds.Interval.Contains(1.0/3) && thirds.Interval.HalfWidth().Or(0) >= 0.1, "three equal thirds: %+v", thirds.Interval)
	alone := Mean([]float64{0.5}, 0.95)
	assert.Check(t, !alone.SE.Defined() && alone.Interval.IsZero() && len(alone.Warnings) == 1, "one score: %+v", alone)
	if none := Mean(nil, 0.95); none.Value.Defined() {
		t.Errorf("no scores: %+v", none)
	}
	if none := ClusteredProportion([]Cluster{{}, {}}, 0.95); none.Value.Defined() {
		t.Errorf("empty clusters: %+v", none)
	}
}

func TestTheTTestsAreStudents(t *testing.T) {
	// Student 1908, hours of sleep gained by ten patients with two drugs: t = 4.0621 with 9 degrees of freedom, p = 0.002833 (R's ?sleep).
	sleep := []float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}
	near(t, "p of more than 0", value(t, "p", Exceeds(sleep)), 0.00283289/2, 1e-8)
	for i := range sleep {
		sleep[i] = -sleep[i]
	}
	near(t, "p the other way", value(t, "p", Exceeds(sleep)), 1-0.00283289/2, 1e-8)
	assert.Check(t, !Exceeds([]float64{1}).Defined() && !Exceeds([]float64{0.1, 0.1, 0.1}).Defined() && !Exceeds(nil).Defined(),
		"a p-value without variation")
}
