package stats

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// scoresOf makes the scores of a set's questions, from 0 to 1.
func scoresOf(questions int, score func(i int) float64) []float64 {
	scores := make([]float64, questions)
	for i := range scores {
		scores[i] = score(i)
	}
	return scores
}

// shareOf has so many of 1,000 questions right.
func shareOf(perMille int) func(i int) float64 {
	return func(i int) float64 {
		if i%1000 < perMille {
			return 1
		}
		return 0
	}
}

var scored = map[string]func(i int) float64{
	"1 % right":           shareOf(10),
	"12 % right":          shareOf(120),
	"50 % right":          shareOf(500),
	"85 % right":          shareOf(850),
	"all right":           shareOf(1000),
	"four repeats":        func(i int) float64 { return float64(i%5) / 4 },
	"balanced accuracy":   func(i int) float64 { return 0.5*shareOf(400)(i) + 0.5*float64(i%10)/9 },
	"one in 20 loses all": func(i int) float64 { return 0.55 + 0.1*float64(i%4) - 0.55*float64(i%20/19) },
}

func ranges(scores []float64) []Range {
	all := make([]Range, len(scores))
	for i, x := range scores {
		all[i] = Range{x, x}
	}
	return all
}

// A look after every question, up to the last one: the share of runs in which any of the intervals misses the mean.
func TestAMeanSequenceHardlyEverMisses(t *testing.T) {
	rounds, size, aims := 250, 2000, []float64{0.05}
	if os.Getenv("LONG") != "" {
		rounds, size, aims = 10_000, 12_000, []float64{0.01, 0.02, 0.05}
	}
	const alpha = 0.05
	for name, score := range scored {
		for _, aim := range aims {
			source, scores := rand.New(rand.NewPCG(8, 1)), scoresOf(size, score)
			mean, variance := moments(scores)
			missed, stops := 0, 0
			for round := range rounds {
				source.Shuffle(size, func(i, j int) { scores[i], scores[j] = scores[j], scores[i] })
				up := upward{size: float64(size), mean: mean, aim: aim}
				down := upward{size: float64(size), mean: 1 - mean, aim: aim}
				for _, x := range scores {
					up.add(x)
					if down.add(1 - x); max(up.log, down.log) >= math.Log(2/alpha) {
						missed++
						break
					}
				}
				if round < 5 {
					stops += stopsAt(scores, aim)
				}
			}
			share, fixed := float64(missed)/float64(rounds), 3.84*variance/aim/aim
			t.Logf("%-20s of %d, ± %.2f: %.4f covered at any time, stops after %4d on average; fixed number %4.0f", name, size, aim,
				1-share, stops/5, fixed)
			if share > alpha+3*math.Sqrt(alpha*(1-alpha)/float64(rounds)) {
				t.Errorf("%s, ± %g: %.4f of the runs miss", name, aim, share)
			}
			if least := 60 / aim / 20; float64(stops)/5 > 2*fixed+least {
				t.Errorf("%s, ± %g: stops after %d questions, a fixed number is %.0f", name, aim, stops/5, fixed)
			}
		}
	}
}

// stopsAt is after how many questions the interval is narrow enough.
func stopsAt(scores []float64, aim float64) int {
	low, high := 1, len(scores)
	for low < high {
		middle := (low + high) / 2
		if MeanSequence(ranges(scores[:middle]), len(scores), 1, aim, 0.95).HalfWidth().Or(1) <= aim {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// Of a small set, what was asked leaves little open, which a sequence of draws with replacement would not know.
func TestAMeanSequenceKnowsHowManyAreLeft(t *testing.T) {
	source, scores := rand.New(rand.NewPCG(3, 3)), scoresOf(2000, shareOf(500))
	source.Shuffle(2000, func(i, j int) { scores[i], scores[j] = scores[j], scores[i] })
	if n := stopsAt(scores, 0.02); n > 1600 {
		t.Errorf("stops after %d of 2,000 questions; 2,401 would be a fixed number's", n)
	}
}

func TestAMeanSequenceOnlyNarrows(t *testing.T) {
	source, scores := rand.New(rand.NewPCG(4, 4)), scoresOf(600, scored["balanced accuracy"])
	mean, _ := moments(scores)
	source.Shuffle(600, func(i, j int) { scores[i], scores[j] = scores[j], scores[i] })
	known := ranges(scores)
	before := Interval{Low: 0, High: 1}
	for n := 1; n <= 600; n += 7 {
		now := MeanSequence(known[:n], 600, 1, 0.04, 0.95)
		if now.Low < before.Low-2e-6 || now.High > before.High+2e-6 || !now.Contains(mean) {
			t.Fatalf("after %d: %+v, before %+v", n, now, before)
		}
		before = now
	}
	all := MeanSequence(known, 600, 1, 0.04, 0.95)
	if width := all.HalfWidth().Or(1); width > 0.01 || !all.Contains(mean) {
		t.Errorf("of all questions: %+v, mean %g", all, mean)
	}
	half := MeanSequence(ranges(scoresOf(300, func(i int) float64 { return scores[i] / 2 })), 600, 0.5, 0.02, 0.95)
	if whole := MeanSequence(known[:300], 600, 1, 0.04, 0.95); math.Abs(half.Low-whole.Low/2) > 2e-6 ||
		math.Abs(half.High-whole.High/2) > 2e-6 {
		t.Errorf("scores half as large have %+v, not half of %+v", half, whole)
	}
}

// What fails may be right or wrong, whichever way it goes: the interval holds for both, and for the mean of what does not fail.
func TestAMeanSequenceCoversWhateverFailedWouldSay(t *testing.T) {
	for name, failing := range map[string]func(i int) bool{
		"right ones fail": func(i int) bool { return i%10 == 0 },
		"wrong ones fail": func(i int) bool { return i%10 == 1 },
		"both fail":       func(i int) bool { return i%10 < 2 },
	} {
		source, order := rand.New(rand.NewPCG(6, 4)), make([]int, 500) // every other one is right
		failed, right := 0.0, 0.0
		for i := range order {
			order[i] = i
			if failing(i) {
				failed++
			} else {
				right += float64((i + 1) % 2)
			}
		}
		missedAll, missedOthers := 0, 0
		for range 200 {
			source.Shuffle(500, func(i, j int) { order[i], order[j] = order[j], order[i] })
			var known []Range
			for _, i := range order[:400] {
				x := Range{float64((i + 1) % 2), float64((i + 1) % 2)}
				if failing(i) {
					x = Range{0, 1}
				}
				known = append(known, x)
			}
			interval := MeanSequence(known, 500, 1, 0.05, 0.95)
			if !interval.Contains(0.5) {
				missedAll++
			}
			if !interval.Contains(right / (500 - failed)) {
				missedOthers++
			}
		}
		if missedAll > 10 || missedOthers > 10 {
			t.Errorf("%s: %d of 200 intervals miss the mean of all, %d that of the others", name, missedAll, missedOthers)
		}
	}
}

func TestMeanSequencesOfNothing(t *testing.T) {
	for name, i := range map[string]Interval{
		"no scores":         MeanSequence(nil, 5, 1, 0.1, 0.95),
		"more than the set": MeanSequence(make([]Range, 6), 5, 1, 0.1, 0.95),
		"no aim":            MeanSequence(make([]Range, 2), 5, 1, 0, 0.95),
	} {
		if !i.IsZero() {
			t.Errorf("%s: %+v", name, i)
		}
	}
}

func TestQuestionsUntilNarrow(t *testing.T) {
	ends := []int{100, 200, 400, 600, 800, 1000, 1500, 2000}
	n := QuestionsUntilNarrow(ends, 0.05, 0.5, 0.95, 10).Or(0)
	source, scores, sum := rand.New(rand.NewPCG(2, 7)), scoresOf(2000, shareOf(500)), 0
	for range 10 {
		source.Shuffle(2000, func(i, j int) { scores[i], scores[j] = scores[j], scores[i] })
		sum += stopsAt(scores, 0.05)
	}
	if least := float64(sum) / 10; n < least-50 || n > least+200 {
		t.Errorf("%g questions, one after the other %g", n, least)
	}
	if wide := QuestionsUntilNarrow(ends, 0.05, 0.98, 0.95, 10).Or(0); wide >= n/2 {
		t.Errorf("%g questions where nearly all are right, %g where half are", wide, n)
	}
	if QuestionsUntilNarrow(nil, 0.05, 0.5, 0.95, 1).Defined() || QuestionsUntilNarrow(ends, 0.05, 1.5, 0.95, 1).Defined() {
		t.Error("of no questions, or a share above 1")
	}
}
