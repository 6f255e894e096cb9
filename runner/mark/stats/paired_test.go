package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

func TestPublishedPairedTables(t *testing.T) {
	tests := []struct {
		name      string
		pairs     Pairs
		exact     float64
		tolerance float64
	}{
		{"54 alike", Pairs{Both: 54}, 1, 5e-5},
		// Fagerland, Lydersen and Laake 2013 and their book's chapter 8: Bentur et al.'s and Cavo et al.'s trials.
		{"fagerland, bentur", Pairs{Both: 1, OnlyB: 7, OnlyA: 1, Neither: 12}, 0.0703, 5e-5},
		{"fagerland, cavo", Pairs{Both: 59, OnlyB: 16, OnlyA: 6, Neither: 80}, 0.0525, 5e-5},
	}
	for _, test := range tests {
		near(t, test.name+", McNemar", value(t, test.name, test.pairs.McNemar()), test.exact, test.tolerance)
	}
}

func TestMcNemarIsTheBinomialTailOfTheDiscordant(t *testing.T) {
	for discordant := 1; discordant <= 60; discordant++ {
		for onlyA := 0; onlyA <= discordant; onlyA++ {
			pairs := Pairs{Both: 7, OnlyA: onlyA, OnlyB: discordant - onlyA, Neither: 3}
			fewer := min(onlyA, discordant-onlyA)
			want := min(1, 2*(1-exactBinomialTail(fewer+1, discordant, 0.5)))
			near(t, "exact", value(t, "exact", pairs.McNemar()), want, 1e-9)
		}
	}
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

func TestQuestionsToDetectFindsTheDifferenceAsOftenAsItSays(t *testing.T) {
	n, ok := QuestionsToDetect(0.05, 0.15, 0.95, 0.80)
	if !ok || n != 471 { // (2.8015852/0.05)²·0.15 = 470.93
		t.Fatalf("got %d, %v, want 471", n, ok)
	}
	random := rand.New(rand.NewPCG(6, 6))
	const draws = 3000
	found := 0
	for range draws {
		if drawPairs(random, n, 0.5, 0.05, 0.10).Score().P(0).Or(1) <= 0.05 {
			found++
		}
	}
	near(t, "power", float64(found)/draws, 0.80, 0.025)
	for _, bad := range [][2]float64{{0, 0.1}, {0.01, 0}, {0.01, 1.5}, {1e-9, 1}, {0.01, -0.1}} {
		if n, ok := QuestionsToDetect(bad[0], bad[1], 0.95, 0.8); ok {
			t.Errorf("difference %g at discordance %g: %d questions, want none", bad[0], bad[1], n)
		}
	}
}

func TestQuestionsForHalfWidth(t *testing.T) {
	for _, halfWidth := range []float64{0.2, 0.05, 0.02, 0.005} {
		n, ok := QuestionsForHalfWidth(halfWidth, 0.5, 0.95)
		// At p̂ = ½ Wilson's half width is z/(2√(n+z²)) exactly, so n ≥ z²/(4h²) − z².
		want := int(math.Ceil(z975*z975/(4*halfWidth*halfWidth) - z975*z975))
		if halfWidth == 0.2 { // an exact interval of 93 % is wider there
			want = 23
		}
		assert.Check(t, ok && n == want, "±%g: %d questions, want %d", halfWidth, n, want)
	}
	for _, k := range []int{0, 1, 14, 60, 137} {
		want := value(t, "half width", Proportion(k, 137, 0.95).Interval.HalfWidth())
		near(t, "expected half width", value(t, "half width", ExpectedHalfWidth(137, float64(k)/137, 0.95)), want, 1e-12)
	}
	if ExpectedHalfWidth(0, 0.5, 0.95).Defined() || ExpectedHalfWidth(10, 1.5, 0.95).Defined() || Detectable(0, 0.95, 0.8).Defined() {
		t.Error("no questions, or no share, have a half width")
	}
	for _, bad := range [][2]float64{{-0.1, 0.5}, {0, 0.5}, {0.5, 0.5}, {1e-9, 0.5}, {0.1, -0.1}, {0.1, 1.1}, {0.1, math.NaN()}} {
		if n, ok := QuestionsForHalfWidth(bad[0], bad[1], 0.95); ok {
			t.Errorf("±%g around %g: %d questions", bad[0], bad[1], n)
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
	if n, ok := QuestionsForHalfWidth(0.4, 0.5, 0.95); !ok || n != 5 {
		t.Errorf("±0.4: %d questions, %v", n, ok)
	}
	if n, ok := QuestionsToDetect(0.1, 1, 0.95, 0.8); !ok || n != 785 {
		t.Errorf("all verdicts differ: %d questions, %v", n, ok)
	}
	for n, want := range map[float64]bool{1: false, 2: true} { // an interval of one question says nothing
		if width := ExpectedHalfWidth(n, 1, 0.95); width.Defined() != want {
			t.Errorf("%g questions: ±%v", n, width)
		}
	}
}
