package adaptive

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"proctor/runner/mark/stats/betting"
)

// A made question is what one knows of it, and what the models do.
type made struct {
	Prediction
	difference int
	fails      bool
}

// set is a made-up one: so many questions flip to the better and to the worse. doubt makes each one's doubt from whether it flips.
func set(source *rand.Rand, questions, up, down int, doubt func(flips bool) float64) []made {
	all := make([]made, questions)
	for i := range all {
		switch {
		case i < up:
			all[i].difference = 1
		case i < up+down:
			all[i].difference, all[i].Right = -1, true
		default:
			all[i].Right = source.IntN(2) == 0
		}
		all[i].Doubt = doubt(i < up+down)
	}
	return all
}

// shifted is doubt that is higher by so many standard deviations where answers flip: 0 tells nothing, 1.5 has an AUC of 0.86, and below
// 0 it misleads.
func shifted(source *rand.Rand, by float64) func(bool) float64 {
	return func(flips bool) float64 {
		if flips {
			return source.NormFloat64() + by
		}
		return source.NormFloat64()
	}
}

// asked asks a set until it is decided, as a run does, and calls each after every block.
func asked(source *rand.Rand, all []made, margin float64, each func(*Test)) (betting.Verdict, int) {
	predictions := make([]Prediction, len(all))
	for i := range all {
		predictions[i] = all[i].Prediction
	}
	strata, of := Cut(predictions)
	queues := make([][]made, len(strata))
	for _, i := range source.Perm(len(all)) {
		queues[of[i]] = append(queues[of[i]], all[i])
	}
	test, seen := New(strata, margin, 0.05), 0
	for next := 100; ; next = max(12, seen/8) {
		for _, piece := range Pieces(test.Next(next)) {
			test.Begin(piece)
			for h, n := range piece {
				for _, q := range queues[h][:n] {
					least, most := q.difference, q.difference
					if q.fails {
						least, most = -1, 0
						if !q.Right {
							least, most = 0, 1
						}
					}
					test.Add(h, least, most)
				}
				queues[h], seen = queues[h][n:], seen+n
			}
			if each != nil {
				each(test)
			}
			if v := test.Verdict(); v != "" && each == nil {
				return v, seen
			}
		}
		if seen == len(all) {
			return test.Verdict(), seen
		}
	}
}

func rounds(few int) int {
	if os.Getenv("LONG") != "" {
		return 10_000
	}
	return few
}

// TestTestsRarelyDecideWrongly has the nulls of which a wrong decision is easiest: models that are equally good, and one that is worse
// by just the margin.
func TestTestsRarelyDecideWrongly(t *testing.T) {
	const margin = 0.05
	equal, worse := []betting.Verdict{betting.Worse, betting.Better}, []betting.Verdict{betting.NotWorse, betting.Better}
	for name, test := range map[string]struct {
		questions, up, down int
		shift               float64
		failing             float64
		wrong               []betting.Verdict
		subject             int // questions of a subject that has all flips, and doubt of its own; 0 where doubt is of each question
	}{
		"equal, few flip":                               {400, 8, 8, 1.5, 0, equal, 0},
		"equal, many flip":                              {400, 60, 60, 1.5, 0, equal, 0},
		"equal, predictions are useless":                {400, 20, 20, 0, 0, equal, 0},
		"equal, predictions mislead":                    {400, 20, 20, -2, 0, equal, 0},
		"equal, predictions are perfect":                {400, 20, 20, 9, 0, equal, 0},
		"equal, 100 questions":                          {100, 8, 8, 1.5, 0, equal, 0},
		"at the margin, few flip":                       {400, 0, 20, 1.5, 0, worse, 0},
		"at the margin, many flip":                      {400, 40, 60, 1.5, 0, worse, 0},
		"at the margin, useless":                        {400, 20, 40, 0, 0, worse, 0},
		"at the margin, misleading":                     {400, 5, 25, -2, 0, worse, 0},
		"at the margin, misleading, all losses":         {400, 0, 20, -9, 0, worse, 0},
		"at the margin, perfect":                        {400, 5, 25, 9, 0, worse, 0},
		"at the margin, 100 questions":                  {100, 2, 7, 1.5, 0, worse, 0},
		"at the margin, some fail":                      {400, 10, 30, 1.5, 0.1, worse, 0},
		"equal, some fail":                              {400, 20, 20, 1.5, 0.05, equal, 0},
		"equal, strong subjects, of high doubt":         {400, 20, 20, 2, 0, equal, 50},
		"equal, strong subjects, of low doubt":          {400, 20, 20, -2, 0, equal, 50},
		"at the margin, strong subjects, of high doubt": {400, 5, 25, 2, 0, worse, 50},
		"at the margin, strong subjects, of low doubt":  {400, 5, 25, -2, 0, worse, 50},
		"at the margin, strong subjects, losses alone":  {400, 0, 20, -2, 0, worse, 25},
	} {
		t.Run(name, func(t *testing.T) {
			source, wrong, seen := rand.New(rand.NewPCG(4, 3)), 0, 0
			n := rounds(300)
			for range n {
				all := set(source, test.questions, test.up, test.down, shifted(source, test.shift))
				for i := range all {
					if all[i].fails = source.Float64() < test.failing; test.subject > 0 {
						all[i].Doubt = shifted(source, test.shift)(i < test.subject)
					}
				}
				verdict, questions := asked(source, all, margin, nil)
				if seen += questions; slices.Contains(test.wrong, verdict) {
					wrong++
				}
			}
			share := float64(wrong) / float64(n)
			t.Logf("%.4f wrong, after %d questions", share, seen/n)
			if share > 0.05 {
				t.Errorf("%.4f of the decisions are wrong", share)
			}
		})
	}
}

// TestShardsRarelyDecideWrongly has two shards, each with half of every stratum, whose evidence is the mean of both.
func TestShardsRarelyDecideWrongly(t *testing.T) {
	for name, up := range map[string]int{"at the margin": 5, "equal": 25} {
		source, wrong, decided, n := rand.New(rand.NewPCG(4, 8)), 0, 0, rounds(200)
		for range n {
			all := set(source, 400, up, 25, shifted(source, 1.5))
			predictions := make([]Prediction, len(all))
			for i := range all {
				predictions[i] = all[i].Prediction
			}
			strata, of := Cut(predictions)
			sum := [3]float64{}
			order := source.Perm(len(all))
			for shard := range 2 {
				queues, left := make([][]made, len(strata)), make([]int, len(strata))
				for _, i := range order {
					if h := of[i]; left[h]%2 == shard {
						queues[h] = append(queues[h], all[i])
					}
					left[of[i]]++
				}
				for h := range queues {
					left[h] = len(queues[h])
				}
				test := New(strata, 0.05, 0.05)
				for seen := 0; test.Verdict() == ""; {
					counts := Fitting(test.Next(max(12, min(100, 100-seen), seen/8)), left)
					if !test.Takes(counts) {
						break
					}
					for _, piece := range Pieces(counts) {
						test.Begin(piece)
						for h, k := range piece {
							for _, q := range queues[h][:k] {
								test.Add(h, q.difference, q.difference)
							}
							queues[h], left[h], seen = queues[h][k:], left[h]-k, seen+k
						}
					}
				}
				notWorse, worse, better := test.Evidence()
				sum[0], sum[1], sum[2] = sum[0]+notWorse/2, sum[1]+worse/2, sum[2]+better/2
			}
			right := map[int]betting.Verdict{5: betting.Worse, 25: betting.NotWorse}[up]
			switch betting.VerdictOf(sum[0], sum[1], sum[2], 0.05) {
			case "":
			case right:
				decided++
			default:
				wrong++
			}
		}
		t.Logf("%s: %d wrong, %d right of %d", name, wrong, decided, n)
		if wrong > n/20 || up == 25 && decided < n/10 {
			t.Errorf("%s: %d of %d decisions are wrong, %d right", name, wrong, n, decided)
		}
	}
}

// TestIntervalsHoldTheMean has every interval of a run hold it, however many there are.
func TestIntervalsHoldTheMean(t *testing.T) {
	source, missed, n, width := rand.New(rand.NewPCG(4, 4)), 0, rounds(60)/5, 0.0
	for range n {
		all := set(source, 400, 14, 30, shifted(source, 1.5))
		out, blocks := false, 0
		asked(source, all, 0.05, func(test *Test) {
			if blocks++; blocks%6 == 0 {
				i := test.Interval(0.95)
				out = out || i.Low > -0.04 || i.High < -0.04
				width = i.High - i.Low
			}
		})
		if out {
			missed++
		}
	}
	if share := float64(missed) / float64(n); share > 0.05 || width > 0.12 {
		t.Errorf("%.4f of the sequences miss the mean; the last is %.3f wide", share, width)
	}
}

// TestAnIntervalAgreesWithTheVerdict has both speak of one capital.
func TestAnIntervalAgreesWithTheVerdict(t *testing.T) {
	source := rand.New(rand.NewPCG(4, 5))
	for range 20 {
		asked(source, set(source, 400, 5, 45, shifted(source, 1.5)), 0.05, func(test *Test) {
			_, worse, _ := test.Evidence()
			if i := test.Interval(0.95); i.High < 0 && worse < 40*0.999 && i.High < -1e-6 {
				// The interval counts the largest capital, so that one which fell again may be below.
				if !test.reaches(-1e-9, -1, 40) {
					t.Errorf("the interval ends at %g, and the capital is %g", i.High, worse)
				}
			}
		})
	}
}

// uniformly is how many questions package betting takes of a set.
func uniformly(source *rand.Rand, all []made, margin float64) int {
	test := betting.New([]int{len(all)}, make([]int, len(all)), margin, 0.05)
	for k, i := range source.Perm(len(all)) {
		if test.Add(all[i].difference) != "" {
			return k + 1
		}
	}
	return len(all)
}

func TestDoubtSavesQuestionsAndUselessDoubtCostsFew(t *testing.T) {
	for name, test := range map[string]struct {
		shift, most float64
		flips       int // of each kind
	}{
		"AUC 0.92, 8 % flip": {2, 0.6, 160}, "AUC 0.98, 8 % flip": {3, 0.5, 160}, "perfect, 15 % flip": {9, 0.35, 300},
		"useless, 8 % flip": {0, 1.2, 160}, "useless, 4 % flip": {0, 1.25, 80}, "misleading, 8 % flip": {-2, 1.2, 160},
	} {
		source := rand.New(rand.NewPCG(4, 6))
		var with, without []int
		for range max(15, rounds(0)/100) {
			all := set(source, 4000, test.flips, test.flips, shifted(source, test.shift))
			_, n := asked(source, all, 0.02, nil)
			with, without = append(with, n), append(without, uniformly(source, all, 0.02))
		}
		slices.Sort(with)
		slices.Sort(without)
		ratio := float64(with[len(with)/2]) / float64(without[len(without)/2])
		t.Logf("%s: %d questions, %d drawn uniformly: %.2f", name, with[len(with)/2], without[len(without)/2], ratio)
		if ratio > test.most {
			t.Errorf("%s: %.2f of the questions, want at most %g", name, ratio, test.most)
		}
	}
}

func TestBlocksDealOutWhatIsLeft(t *testing.T) {
	source := rand.New(rand.NewPCG(4, 7))
	for range 50 {
		n := 1 + source.IntN(700)
		all := set(source, n, n/20, n/15, shifted(source, 1))
		predictions := make([]Prediction, n)
		for i := range all {
			predictions[i] = all[i].Prediction
		}
		strata, of := Cut(predictions)
		sizes := make([]int, len(strata))
		for i, h := range of {
			if sizes[h]++; strata[h].Right != predictions[i].Right {
				t.Fatal("a question is on the wrong side")
			}
		}
		test, whole := New(strata, 0.02, 0.05), 0
		for h, s := range strata {
			if s.Questions != sizes[h] || math.IsNaN(s.Doubt) || math.IsInf(s.Doubt, 0) {
				t.Fatalf("%+v has %d questions", s, sizes[h])
			}
		}
		for whole < n {
			want, was := max(12, whole/8), whole
			counts := test.Next(want)
			for _, piece := range Pieces(counts) {
				test.Begin(piece) // panics where a stratum lacks
				for h, k := range piece {
					for range k {
						test.Add(h, 0, 0)
						whole++
					}
				}
			}
			if got := whole - was; got < min(want, n-was) || got > max(want, atLeast*len(strata)) {
				t.Fatalf("%d questions after %d of %d, wanted %d", got, was, n, want)
			}
		}
		if _, worse, better := test.Evidence(); worse > 1.01 || better > 1.01 || test.Verdict() != betting.NotWorse || test.Mean().Or(1) != 0 {
			t.Errorf("of the same answers: %g, %g, %q, mean %v", worse, better, test.Verdict(), test.Mean())
		}
	}
}

func TestABlockWithoutAStratumIsRefused(t *testing.T) {
	test := New([]Stratum{{Questions: 5, Right: true}, {Questions: 5}}, 0.1, 0.05)
	for name, counts := range map[string][]int{"none of one": {1, 0}, "more than are left": {6, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: nothing refuses it", name)
				}
			}()
			test.Begin(counts)
		}()
	}
}

func TestQualityIsThatOfTheDraw(t *testing.T) {
	strata := []Stratum{{Questions: 100, Right: true, Doubt: 1}, {Questions: 900, Right: true, Doubt: -0.2}}
	// 40 % and 1 % flip: 4.9 % of all, the mean is −0.049. One question drawn uniformly has 0.046599; this draw 0.01·0.24/50·0.5 +
	// 0.81·0.0099/100·(8/9) = 0.00009528.
	q := QualityOf(strata, []int{50, 100}, []int{20, 1})
	want := (0.1*0.4*0.9*0.99 + 0.5*0.1*0.4*0.1*0.6 + 0.5*0.9*0.01*0.9*0.99) / 0.049 / 0.951
	if math.Abs(q.AUC.Or(0)-want) > 1e-9 || math.Abs(q.Uniform.Or(0)-0.046599/(0.00009528+0.000046599)) > 0.1 {
		t.Errorf("%+v, want %g", q, want)
	}
	if q := QualityOf(strata, []int{50, 100}, []int{0, 0}); q.AUC.Defined() || q.Uniform.Defined() {
		t.Errorf("where nothing flips: %+v", q)
	}
	if q := QualityOf(strata, []int{0, 100}, []int{0, 3}); q.AUC.Defined() {
		t.Errorf("where a stratum is not known: %+v", q)
	}
}
