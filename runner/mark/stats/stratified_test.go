package stats

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// stratum is a subject of which asked questions were asked once and correct of them answered right.
func stratum(population, asked, correct int) Stratum {
	s := Stratum{Population: population, Scores: make([]float64, asked)}
	for i := range correct {
		s.Scores[i] = 1
	}
	return s
}

func TestStratifiedByHand(t *testing.T) {
	strata := []Stratum{stratum(300, 5, 4), stratum(100, 11, 1)}
	got := Stratified(strata, ThisSet, 0.95)
	// ¾·0.8 + ¼·1/11; (¾)²·0.16/4·(1 − 5/300) + (¼)²·(10/121)/10·(1 − 11/100)
	near(t, "accuracy", value(t, "accuracy", got.Value), 0.6+1.0/44, 1e-15)
	near(t, "standard error", value(t, "SE", got.SE), math.Sqrt(0.0225*(1-1.0/60)+1.0/16/121*0.89), 1e-15)
	macro := Macro(strata, 0.95)
	near(t, "macro accuracy", value(t, "macro", macro.Value), (0.8+1.0/11)/2, 1e-15)
	near(t, "macro standard error", value(t, "SE", macro.SE), math.Sqrt(0.04+1.0/121)/2, 1e-15)
}

func TestOneStratumIsAPlainProportion(t *testing.T) {
	got := Stratified([]Stratum{stratum(100_000, 50, 20)}, ThisSet, 0.95).Interval
	want := Proportion(20, 49, 0.95).Interval // the effective size is n−1
	near(t, "width", got.High-got.Low, want.High-want.Low, 2e-3)
	if !got.Contains(0.4) {
		t.Errorf("%+v does not hold 0.4", got)
	}
}

func TestStrataThatCannotSpeakSaySo(t *testing.T) {
	got := Stratified([]Stratum{stratum(10, 1, 1), stratum(10, 4, 2), {Population: 80}}, ThisSet, 0.95)
	near(t, "accuracy of those asked", value(t, "accuracy", got.Value), 0.75, 1e-15)
	if len(got.Warnings) != 2 {
		t.Errorf("warnings %q, want one for the lone question and one for the missing subject", got.Warnings)
	}
	if none := Stratified([]Stratum{{Population: 10}}, ThisSet, 0.95); none.Value.Defined() || !none.Interval.IsZero() {
		t.Errorf("nothing asked: %+v", none)
	}
	if none := Macro(nil, 0.95); none.Value.Defined() {
		t.Errorf("no subjects: %+v", none)
	}
	right := Macro([]Stratum{stratum(10, 5, 5), stratum(10, 5, 5)}, 0.95)
	near(t, "all right: as of ten questions", right.Interval.Low, math.Pow(0.035, 0.1), 1e-12)
}

func TestStratifiedAndMacroIntervalsCover(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	chances := []float64{0.15, 0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.75, 0.8, 0.5, 0.35, 0.45, 0.65, 0.25}
	weighted, macro, population := 0.0, 0.0, 0
	for i, p := range chances {
		size := 100 * (1 + i%4)
		weighted, macro, population = weighted+p*float64(size), macro+p/float64(len(chances)), population+size
	}
	weighted /= float64(population)
	const draws = 2000
	for _, perSubject := range []int{5, 20} {
		coveredWeighted, coveredMacro := 0, 0
		for range draws {
			strata := make([]Stratum, len(chances))
			for i, p := range chances {
				correct := 0
				for range perSubject {
					if random.Float64() < p {
						correct++
					}
				}
				strata[i] = stratum(100*(1+i%4), perSubject, correct)
			}
			if Stratified(strata, ThisSet, 0.95).Interval.Contains(weighted) {
				coveredWeighted++
			}
			if Macro(strata, 0.95).Interval.Contains(macro) {
				coveredMacro++
			}
		}
		near(t, "coverage, stratified", float64(coveredWeighted)/draws, 0.95, 0.02)
		near(t, "coverage, macro", float64(coveredMacro)/draws, 0.95, 0.02)
	}
}

func TestStrataOfScoresByHand(t *testing.T) {
	strata := []Stratum{{Population: 30, Scores: []float64{0, 0.5, 1, 0.5}}, {Population: 10, Scores: []float64{0.25, 0.75}}}
	got := Stratified(strata, ThisSet, 0.95)
	// s² are 1/6 and 1/8
	near(t, "mean", value(t, "mean", got.Value), 0.5, 1e-15)
	near(t, "standard error", value(t, "SE", got.SE), math.Sqrt(9.0/16/6/4*(1-4.0/30)+1.0/16/8/2*0.8), 1e-15)
}

func TestASubjectWithOneQuestionTakesTheVarianceOfAll(t *testing.T) {
	got := Stratified([]Stratum{stratum(40, 1, 1), stratum(60, 5, 3)}, ThisSet, 0.95)
	// all: 4 of 6 right, variance 2/9; the other subject: s² = 0.3
	near(t, "standard error", value(t, "SE", got.SE), math.Sqrt(0.16*2/9*39/40+0.36*0.3/5*55/60), 1e-15)
}

func TestASubjectThatWasAskedWhollyHasNoErrorLeft(t *testing.T) {
	got := Stratified([]Stratum{stratum(1, 1, 1), stratum(99, 5, 3)}, ThisSet, 0.95)
	near(t, "standard error", value(t, "SE", got.SE), math.Sqrt(0.99*0.99*0.3/5*94/99), 1e-15)
	if len(got.Warnings) != 1 {
		t.Errorf("warnings %q", got.Warnings)
	}
	if all := Stratified([]Stratum{stratum(10, 4, 1), stratum(20, 5, 3)}, ThisSet, 0.95); len(all.Warnings) != 0 {
		t.Errorf("nothing is missing: %q", all.Warnings)
	}
}

func TestTheIntervalBorrowsVarianceWhereFewWereAsked(t *testing.T) {
	// W = ½, n = 3 of 30: a subject's W²/n·(1 − n/N) is 0.075, two thirds of which take S², a third its own s².
	for _, c := range []struct {
		first     []float64
		mean      float64
		effective float64
	}{
		{[]float64{1, 1, 1}, 1.0 / 2, 10},        // ¼ / (2 · 0.075 · ⅔ · ¼)
		{[]float64{0, 0, 0}, 0, 20.0 / 3},        // all alike: 1 / (2 · 0.075)
		{[]float64{1, 1, 0}, 1.0 / 3, 80.0 / 11}, // 2/9 / (0.075 · ⅓ · ⅓ + 2 · 0.075 · ⅔ · 2/9)
	} {
		e := Stratified([]Stratum{{30, c.first}, {30, []float64{0, 0, 0}}}, ThisSet, 0.95)
		want := share{c.mean, c.effective}.interval(0.95, "", 0)
		near(t, "value", value(t, "value", e.Value), c.mean, 1e-12)
		near(t, "low", e.Interval.Low, want.Low, 1e-12)
		near(t, "high", e.Interval.High, want.High, 1e-12)
	}
	halves := Stratum{30, []float64{0.5, 0.5, 0.5}}
	near(t, "low of halves", Stratified([]Stratum{halves, halves}, ThisSet, 0.95).Interval.Low, share{0.5, 20.0 / 3}.interval(0.95, "", 0).Low, 1e-12)
}

func TestWhatIsLentToSubjectsWithFewQuestions(t *testing.T) {
	const all, pooled = 0.5, 0.25 + 0.25*0.00480769/(0.00480769+0.0625) // v = 0.0673077 / 14
	for name, c := range map[string]struct {
		asked []int // questions of a subject, in turn
		want  float64
	}{
		"an even draw":                    {[]int{2, 2}, pooled},
		"one more of some":                {[]int{2, 3}, pooled},
		"two more of some":                {[]int{2, 4}, all},
		"one alone":                       {[]int{1, 2}, all},
		"13 subjects":                     {[]int{2}, all},
		"another subject that is unasked": {[]int{2, 2, 0}, pooled},
	} {
		var strata []Stratum
		var within []float64
		for len(within) < 14 {
			for _, n := range c.asked {
				strata = append(strata, Stratum{Scores: make([]float64, n)})
				if n > 0 {
					within = append(within, float64(len(within)%2)/2)
				}
			}
			if len(c.asked) == 1 && len(within) == 13 {
				break
			}
		}
		near(t, name, lent(strata, within, all), c.want, 1e-7)
	}
	even := slices.Repeat([]Stratum{{Scores: []float64{1, 1}}}, 14)
	near(t, "all subjects each alike", lent(even, make([]float64, 14), all), all, 0)
	near(t, "subjects no more unlike than their questions", lent(even, slices.Repeat([]float64{0.6, 0.5}, 7), all), all, 0)
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
		for name, estimate := range map[string]func([]Stratum) Estimate{
			"macro":      func(s []Stratum) Estimate { return Macro(s, 0.95) },
			"like these": func(s []Stratum) Estimate { return Stratified(s, LikeThese, 0.95) },
		} {
			share := covers(draws, c.right, func() Interval {
				strata := make([]Stratum, 14)
				for h := range strata {
					strata[h] = stratum(sizes[h], c.each, drawPairs(random, c.each, c.right, 0, 0).Both)
				}
				return estimate(strata).Interval
			})
			if share < 0.93-slack*math.Sqrt(0.93*0.07/float64(draws)) {
				t.Errorf("%s of %d questions of each subject, %g right: covers %.4f", name, c.each, c.right, share)
			}
		}
	}
	for _, subjects := range []int{3, 6, 7, 14, 49} {
		strata := make([]Stratum, subjects)
		for h := range strata {
			strata[h] = stratum(100+h, 2, 2)
		}
		for name, e := range map[string]Estimate{"macro": Macro(strata, 0.95), "whole": Stratified(strata, LikeThese, 0.95)} {
			if i := e.Interval; e.Value.Or(0) != 1 || i.High != 1 || i.Low > 0.98 {
				t.Errorf("%s of %d subjects, all right: %v in %+v", name, subjects, e.Value, i)
			}
		}
	}
}

// TestAnIntervalDoesNotJumpAtTheLastQuestion draws all of a set but a few questions: of questions like these that is as much as
// all of it, of the set alone nearly nothing is left open.
func TestAnIntervalDoesNotJumpAtTheLastQuestion(t *testing.T) {
	var part, whole []Stratum
	right, all := 0, 0
	for h, n := range sizes {
		k := n * (4 + h%5) / 9
		part, whole = append(part, stratum(n, n-2, k-1)), append(whole, stratum(n, n, k))
		right, all = right+k, all+n
	}
	width := func(i Interval) float64 { return i.High - i.Low }
	like, last := Stratified(part, LikeThese, 0.95).Interval, Stratified(whole, LikeThese, 0.95).Interval
	near(t, "the last questions", width(like)/width(last), 1, 0.005)
	near(t, "all of them", width(last)/width(Proportion(right, all, 0.95).Interval), 1, 0.06)
	if set := Stratified(part, ThisSet, 0.95).Interval; width(set) > 0.1*width(like) {
		t.Errorf("of the set alone %+v, of questions like these %+v", set, like)
	}
}
