package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPublishedPairedTables(t *testing.T) {
	tests := []struct {
		name                string
		pairs               Pairs
		low, high, exact, m float64
		tolerance           float64
	}{
		// Newcombe 1998, Statist. Med. 17:2635, table III (sign turned: the paper's difference is first less second).
		{"newcombe, 36 12 2 0", Pairs{Both: 36, OnlyB: 12, OnlyA: 2}, 0.0569, 0.3404, -1, -1, 5e-5},
		{"newcombe, 54 0 0 0", Pairs{Both: 54}, -0.0664, 0.0664, 1, 1, 5e-5},
		// Altman et al. 2000, Statistics with Confidence, table 6.2, printed to three digits.
		{"altman, table 6.2", Pairs{Both: 14, OnlyA: 5, Neither: 22}, -0.226, -0.011, -1, -1, 5e-4},
		// Fagerland, Lydersen and Laake 2013 and their book's chapter 8: Bentur et al.'s and Cavo et al.'s trials.
		{"fagerland, bentur", Pairs{Both: 1, OnlyB: 7, OnlyA: 1, Neither: 12}, 0.026, 0.507, 0.0703, 0.0391, 5e-4},
		{"fagerland, cavo", Pairs{Both: 59, OnlyB: 16, OnlyA: 6, Neither: 80}, 0.0046, 0.1186, 0.0525, 0.0347, 5e-5},
	}
	for _, test := range tests {
		interval := test.pairs.Difference(0.95).Interval
		near(t, test.name+", low", interval.Low, test.low, test.tolerance)
		near(t, test.name+", high", interval.High, test.high, test.tolerance)
		if test.exact >= 0 {
			near(t, test.name+", McNemar", value(t, test.name, test.pairs.McNemar()), test.exact, test.tolerance)
			near(t, test.name+", mid-p", value(t, test.name, test.pairs.McNemarMidP()), test.m, test.tolerance)
		}
	}
}

func TestMcNemarIsTheBinomialTailOfTheDiscordant(t *testing.T) {
	for discordant := 1; discordant <= 60; discordant++ {
		for onlyA := 0; onlyA <= discordant; onlyA++ {
			pairs := Pairs{Both: 5, OnlyA: onlyA, OnlyB: discordant - onlyA, Neither: 3}
			fewer := min(onlyA, discordant-onlyA)
			want := min(1, 2*(1-exactBinomialTail(fewer+1, discordant, 0.5)))
			near(t, "exact", value(t, "exact", pairs.McNemar()), want, 1e-9)
			itself := exactBinomialTail(onlyA, discordant, 0.5) - exactBinomialTail(onlyA+1, discordant, 0.5)
			if 2*onlyA == discordant {
				itself /= 2
			}
			near(t, "mid-p", value(t, "mid-p", pairs.McNemarMidP()), want-itself, 1e-9)
		}
	}
}

func TestThePairedStandardErrorByHand(t *testing.T) {
	got := Pairs{Both: 43, OnlyA: 0, OnlyB: 7, Neither: 50}.Difference(0.95)
	near(t, "SE", value(t, "SE", got.SE), math.Sqrt(7-49.0/100)/100, 1e-15)
	got = Pairs{Both: 3, OnlyA: 4, OnlyB: 1, Neither: 2}.Difference(0.95)
	near(t, "SE", value(t, "SE", got.SE), math.Sqrt(5-9.0/10)/10, 1e-15)
}

func TestComparisonsOfNothingAreUndefined(t *testing.T) {
	var none Pairs
	if none.McNemar().Defined() || none.McNemarMidP().Defined() || none.Difference(0.95).Value.Defined() ||
		none.SmallestDetectable(0.95, 0.8).Defined() {
		t.Error("no questions, yet a figure")
	}
	same := Pairs{Both: 10, Neither: 10}
	near(t, "equal runs", value(t, "p", same.McNemar()), 1, 0)
	near(t, "equal runs, mid-p", value(t, "p", same.McNemarMidP()), 1, 0)
	near(t, "equal runs, difference", value(t, "d", same.Difference(0.95).Value), 0, 0)
	if same.SmallestDetectable(0.95, 0.8).Defined() {
		t.Error("no discordant questions, yet a smallest detectable difference")
	}
}

func TestDifferenceTurnsItsSignWithTheRuns(t *testing.T) {
	forward, backward := Pairs{50, 9, 14, 27}.Difference(0.95), Pairs{50, 14, 9, 27}.Difference(0.95)
	near(t, "value", forward.Value.Or(9), -backward.Value.Or(9), 0)
	near(t, "low", forward.Interval.Low, -backward.Interval.High, 1e-15)
	near(t, "high", forward.Interval.High, -backward.Interval.Low, 1e-15)
	near(t, "smallest detectable", value(t, "mdd", Pairs{50, 9, 14, 27}.SmallestDetectable(0.95, 0.8)), 2.8015852*math.Sqrt(0.23/100), 1e-7)
}

// drawPairs draws n questions whose chances are: both right, only A, only B, neither.
func drawPairs(random *rand.Rand, n int, both, onlyA, onlyB float64) Pairs {
	var pairs Pairs
	for range n {
		switch u := random.Float64(); {
		case u < both:
			pairs.Both++
		case u < both+onlyA:
			pairs.OnlyA++
		case u < both+onlyA+onlyB:
			pairs.OnlyB++
		default:
			pairs.Neither++
		}
	}
	return pairs
}

func TestPairedIntervalCoversAndMcNemarKeepsItsSize(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	const draws = 1500
	for _, test := range []struct {
		n                  int
		both, onlyA, onlyB float64
	}{
		{50, 0.4, 0.1, 0.1}, {50, 0.3, 0.2, 0.05}, {200, 0.5, 0.05, 0.05}, {200, 0.6, 0.02, 0.08}, {700, 0.35, 0.07, 0.07},
		{700, 0.45, 0.06, 0.05},
	} {
		covered, rejected := 0, 0
		for range draws {
			pairs := drawPairs(random, test.n, test.both, test.onlyA, test.onlyB)
			if pairs.Difference(0.95).Interval.Contains(test.onlyB - test.onlyA) {
				covered++
			}
			if pairs.McNemar().Or(1) <= 0.05 {
				rejected++
			}
		}
		if share := float64(covered) / draws; share < 0.94 {
			t.Errorf("%+v: the interval covers %.4f, want 0.94 or more", test, share)
		}
		if share := float64(rejected) / draws; test.onlyA == test.onlyB && share > 0.05 {
			t.Errorf("%+v: McNemar's test rejects %.4f of true hypotheses, want 0.05 at most", test, share)
		}
	}
}

func TestQuestionsToDetectFindsTheDifferenceAsOftenAsItSays(t *testing.T) {
	n, ok := QuestionsToDetect(0.05, 0.15, 0.95, 0.80)
	if !ok || n != 471 { // (2.8015852/0.05)²·0.15 = 470.93
		t.Fatalf("got %d, %v, want 471", n, ok)
	}
	random := rand.New(rand.NewPCG(6, 6))
	const draws = 3000
	found := 0
	for range draws {
		if drawPairs(random, n, 0.5, 0.05, 0.10).McNemarMidP().Or(1) <= 0.05 {
			found++
		}
	}
	near(t, "power", float64(found)/draws, 0.80, 0.025)
	for _, bad := range [][2]float64{{0, 0.1}, {0.01, 0}, {0.01, 1.5}, {1e-9, 1}} {
		if n, ok := QuestionsToDetect(bad[0], bad[1], 0.95, 0.8); ok {
			t.Errorf("difference %g at discordance %g: %d questions, want none", bad[0], bad[1], n)
		}
	}
}

func TestSoManyQuestionsShowAnEffectFourTimesInFive(t *testing.T) {
	const asked, right, chance = 300, 45, 0.12
	chances := func(n int) []float64 {
		all := make([]float64, n)
		for i := range all {
			all[i] = chance
		}
		return all
	}
	n, ok := QuestionsToShow(asked, PoissonBinomialTail(right, chances(asked)).Or(1), 0.95, 0.8)
	source, shown, rounds := rand.New(rand.NewPCG(1, 5)), 0, 400
	for range rounds {
		right := 0
		for range n {
			if source.Float64() < 45.0/asked {
				right++
			}
		}
		if PoissonBinomialTail(right, chances(n)).Or(1) < 0.05 {
			shown++
		}
	}
	if share := float64(shown) / float64(rounds); !ok || share < 0.72 || share > 0.9 {
		t.Errorf("%d questions show it %.3f of the time", n, share)
	}
	for _, p := range []float64{0, 0.5, 0.9, math.NaN()} {
		if n, ok := QuestionsToShow(asked, p, 0.95, 0.8); ok {
			t.Errorf("p = %g: %d questions", p, n)
		}
	}
}

func TestQuestionsForHalfWidth(t *testing.T) {
	for _, halfWidth := range []float64{0.2, 0.05, 0.02, 0.005} {
		n, ok := QuestionsForHalfWidth(halfWidth, 0.5, 0.95)
		// At p̂ = ½ Wilson's half width is z/(2√(n+z²)) exactly, so n ≥ z²/(4h²) − z².
		want := int(math.Ceil(z975*z975/(4*halfWidth*halfWidth) - z975*z975))
		if !ok || n != want {
			t.Errorf("±%g: %d questions, want %d", halfWidth, n, want)
		}
	}
	for _, p := range []float64{0.1, 0.8, 1} {
		n, z := 137.0, z975
		want := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / (1 + z*z/n)
		near(t, "expected half width", value(t, "half width", ExpectedHalfWidth(137, p, 0.95)), want, 1e-12)
	}
	if ExpectedHalfWidth(0, 0.5, 0.95).Defined() || ExpectedHalfWidth(10, 1.5, 0.95).Defined() {
		t.Error("no questions, or no share, have a half width")
	}
	for _, bad := range []float64{0, -1, 0.5, math.NaN()} {
		if _, ok := QuestionsForHalfWidth(bad, 0.5, 0.95); ok {
			t.Errorf("±%g has an answer", bad)
		}
	}
}

func TestMidPWithAsManyOnBothSides(t *testing.T) {
	near(t, "mid-p of 3 and 3", value(t, "mid-p", Pairs{OnlyA: 3, OnlyB: 3}.McNemarMidP()), 1-10.0/64, 1e-12)
	near(t, "mid-p of 2 and 4", value(t, "mid-p", Pairs{OnlyA: 2, OnlyB: 4}.McNemarMidP()), 44.0/64-15.0/64, 1e-12)
}

func TestSizesThatThereAreNot(t *testing.T) {
	for _, bad := range [][2]float64{{0, 0.1}, {0.01, 0}, {0.01, -0.1}, {0.01, 1.5}, {1e-9, 1}} {
		if n, ok := QuestionsToDetect(bad[0], bad[1], 0.95, 0.8); ok || n != 0 {
			t.Errorf("difference %g at discordance %g: %d questions, %v", bad[0], bad[1], n, ok)
		}
	}
	for _, bad := range [][2]float64{{-0.1, 0.5}, {0, 0.5}, {0.5, 0.5}, {0.6, 0.5}, {0.1, -0.1}, {0.1, 1.1}, {0.1, math.NaN()}} {
		if n, ok := QuestionsForHalfWidth(bad[0], bad[1], 0.95); ok || n != 0 {
			t.Errorf("±%g around %g: %d questions, %v", bad[0], bad[1], n, ok)
		}
	}
	if n, ok := QuestionsForHalfWidth(1e-9, 0.5, 0.95); ok {
		t.Errorf("more questions than an int32 counts: %d", n)
	}
	for _, expected := range []float64{-0.1, 1.1, math.NaN()} {
		if width := ExpectedHalfWidth(1, expected, 0.95); width.Defined() {
			t.Errorf("around %g: ±%v", expected, width)
		}
	}
	near(t, "detectable at 0.5", value(t, "effect", Detectable(0.5, 0.95, 0.8)), (1.959963984540054+0.8416212335729143)/2, 1e-9)
	for _, se := range []float64{0, -1, math.NaN()} {
		if Detectable(se, 0.95, 0.8).Defined() {
			t.Errorf("a standard error of %g detects something", se)
		}
	}
}

func TestSizesAtTheirBounds(t *testing.T) {
	for _, expected := range []float64{0, 0.2, 1} { // as many as give the very half width are enough
		width := value(t, "half width", ExpectedHalfWidth(100, expected, 0.95))
		if n, ok := QuestionsForHalfWidth(width, expected, 0.95); !ok || n != 100 {
			t.Errorf("±%g around %g: %d questions, %v", width, expected, n, ok)
		}
	}
	if n, ok := QuestionsForHalfWidth(0.4, 0.5, 0.95); !ok || n != 3 {
		t.Errorf("±0.4: %d questions, %v", n, ok)
	}
	if n, ok := QuestionsToDetect(0.1, 1, 0.95, 0.8); !ok || n != 785 {
		t.Errorf("all verdicts differ: %d questions, %v", n, ok)
	}
	for _, all := range []float64{1, -1} {
		if n, ok := QuestionsToDetect(all, 1, 0.95, 0.8); !ok || n != 8 {
			t.Errorf("a difference of %g: %d questions, %v", all, n, ok)
		}
	}
	if _, ok := QuestionsToDetect(0.1, 1.01, 0.95, 0.8); ok {
		t.Error("more than all verdicts differ")
	}
	for _, expected := range []float64{0, 1} {
		if width := ExpectedHalfWidth(1, expected, 0.95); !width.Defined() {
			t.Errorf("one question at %g has no half width", expected)
		}
	}
	if ExpectedHalfWidth(0, 0.5, 0.95).Defined() {
		t.Error("no question has a half width")
	}
}

func TestAgreementOnEveryQuestion(t *testing.T) {
	// 0 of n: the exact bounds of printed tables, 30.85 % of 10 and 3.62 % of 100.
	for n, want := range map[int]float64{10: 0.3085, 100: 0.0362} {
		i := Agreement(n, 0.95)
		near(t, "high", i.High, want, 5e-5)
		near(t, "low", i.Low, -want, 5e-5)
	}
	n := QuestionsToRuleOut(0.01, 0.95)
	if at, below := Agreement(n, 0.95).High, Agreement(n-1, 0.95).High; n != 368 || at > 0.01 || below <= 0.01 {
		t.Errorf("%d questions rule out %g, one fewer %g", n, at, below)
	}
}
