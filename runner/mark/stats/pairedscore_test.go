package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

func TestThePairedStandardErrorByHand(t *testing.T) {
	got := Pairs{Both: 43, OnlyA: 0, OnlyB: 7, Neither: 50}.Score().Difference(0.95)
	near(t, "SE", value(t, "SE", got.SE), math.Sqrt(7-49.0/100)/100, 1e-15)
	got = Pairs{Both: 3, OnlyA: 4, OnlyB: 1, Neither: 2}.Score().Difference(0.95)
	near(t, "SE", value(t, "SE", got.SE), math.Sqrt(5-9.0/10)/10, 1e-15)
}

// likeliest is the log-likelihood of a table under the difference null, at the most over a fine grid of shares and then around
// its best.
func likeliest(p Pairs, null float64) (onlyA, onlyB float64) {
	ln := func(k int, share float64) float64 {
		if k == 0 {
			return 0
		}
		return float64(k) * math.Log(share)
	}
	least, most := max(0, -null), (1-null)/2
	best, at := math.Inf(-1), least
	for range 6 {
		width := (most - least) / 1000
		for i := range 1001 {
			a := least + width*float64(i)
			b := a + null
			if l := ln(p.OnlyA, a) + ln(p.OnlyB, b) + ln(p.Both+p.Neither, 1-a-b); l > best {
				best, at = l, a
			}
		}
		least, most = max(least, at-2*width), min(most, at+2*width)
	}
	return at, at + null
}

func TestTheScoreTestByLikelihood(t *testing.T) {
	for _, p := range []Pairs{{3, 4, 1, 2}, {50, 9, 14, 27}, {10, 0, 3, 7}, {390, 1, 0, 9}, {0, 15, 0, 0}, {8, 0, 0, 4}} {
		for _, null := range []float64{-0.4, -0.05, -0.01, 0.02, 0.3} {
			a, b := likeliest(p, null)
			n := float64(p.Total())
			z := max(0, math.Abs(float64(p.OnlyB-p.OnlyA)/n-null)-0.2/n) / math.Sqrt((a+b-null*null)/n)
			near(t, fmt.Sprintf("%+v at %g", p, null), value(t, "p", p.Score().P(null)), math.Erfc(z/math.Sqrt2), 1e-5)
		}
		// At no difference it is McNemar's statistic, (|c − b| − 1/5)²/(b + c).
		if flips := float64(p.Discordant()); flips > 0 {
			z := max(0, math.Abs(float64(p.OnlyB-p.OnlyA))-0.2) / math.Sqrt(flips)
			near(t, "McNemar", value(t, "p", p.Score().P(0)), math.Erfc(z/math.Sqrt2), 1e-12)
		}
	}
}

func TestComparisonsOfNothingAreUndefined(t *testing.T) {
	var none Pairs
	if none.McNemar().Defined() || none.Score().Difference(0.95).Value.Defined() ||
		none.Score().P(0).Defined() || none.Score().SmallestDetectable(0.95, 0.8).Defined() || none.Score().RightA.Defined() {
		t.Error("no questions, yet a figure")
	}
	same := Pairs{Both: 10, Neither: 10}
	near(t, "equal runs", value(t, "p", same.McNemar()), 1, 0)
	near(t, "equal runs, score", value(t, "p", same.Score().P(0)), 1, 0)
	difference := same.Score().Difference(0.95)
	near(t, "equal runs, difference", value(t, "d", difference.Value), 0, 0)
	high := difference.Interval.High // (δ − 1/5n)² is z²/n·δ·(1 − δ)
	near(t, "equal runs, bound", math.Pow(high-0.01, 2), z975*z975/20*high*(1-high), 1e-12)
	assert.Check(t, !same.Score().SmallestDetectable(0.95, 0.8).Defined() && !difference.SE.Defined(),
		"no discordant questions, yet a smallest detectable difference or a standard error")
}

func TestDifferenceTurnsItsSignWithTheRuns(t *testing.T) {
	forward, backward := Pairs{50, 9, 14, 27}.Score().Difference(0.95), Pairs{50, 14, 9, 27}.Score().Difference(0.95)
	near(t, "value", forward.Value.Or(9), -backward.Value.Or(9), 0)
	near(t, "low", forward.Interval.Low, -backward.Interval.High, 1e-15)
	near(t, "high", forward.Interval.High, -backward.Interval.Low, 1e-15)
	near(t, "smallest detectable", value(t, "mdd", Pairs{50, 9, 14, 27}.Score().SmallestDetectable(0.95, 0.8)),
		2.8015852*math.Sqrt(0.23/100), 1e-7)
}

func TestQuestionsThatAllAgreeRuleALossOut(t *testing.T) {
	n := QuestionsToRuleOut(0.01, 0.95)
	at, below := Pairs{Both: n}.Score().Difference(0.95), Pairs{Both: n - 1}.Score().Difference(0.95)
	assert.Check(t, n == 420 && at.Interval.Low > -0.01 && below.Interval.Low <= -0.01,
		"%d questions rule out %g, one fewer %g", n, at.Interval.Low, below.Interval.Low)
}

// agrees fails where a table's interval, p-values and estimate contradict one another.
func agrees(t *testing.T, what any, p PairedScore) {
	t.Helper()
	for _, confidence := range []float64{0.95, 0.99} {
		d := p.Difference(confidence)
		i := d.Interval
		assert.Assert(t, !i.IsZero() && i.Contains(d.Value.Or(9)) && i.Low >= -1 && i.High <= 1, "%v: %v in %+v", what, d.Value, i)
		for _, null := range []float64{0, -0.005, -0.01, -0.02, -0.05, 0.01, 0.1, -0.7} {
			q, known := p.P(null).Get()
			inside := i.Contains(null)
			if near := math.Abs(q-(1-confidence)) < 1e-9; !known || !near && inside != (q >= 1-confidence) {
				t.Fatalf("%v: p of %g is %g, and %v…%v holds it: %v", what, null, q, i.Low, i.High, inside)
			}
		}
		wider := p.Difference(0.999).Interval
		assert.Assert(t, wider.Low <= i.Low && wider.High >= i.High, "%v: %+v is not in %+v", what, i, wider)
	}
}

// TestNoPairedTableContradictsItself is of all tables of 10 to 12 questions, and of random ones of up to 12,000.
func TestNoPairedTableContradictsItself(t *testing.T) {
	for n := FewestPairs; n <= 12; n++ {
		for a := 0; a <= n; a++ {
			for b := 0; a+b <= n; b++ {
				p := Pairs{OnlyA: a, OnlyB: b, Both: n - a - b}
				agrees(t, p, p.Score())
				exactly(t, p)
			}
		}
	}
	random := rand.New(rand.NewPCG(36, 1))
	for range 2000 {
		all := randomPairs(random)
		agrees(t, all, all.Score())
		exactly(t, all)
	}
}

// exactly fails where McNemar's exact test finds a difference that the interval denies.
func exactly(t *testing.T, p Pairs) {
	t.Helper()
	for _, confidence := range []float64{0.95, 0.99} {
		if i := p.Score().Difference(confidence).Interval; p.McNemar().Or(1) < 1-confidence && i.Contains(0) {
			t.Fatalf("%+v: exact p %v, interval %+v", p, p.McNemar(), i)
		}
	}
}

// randomPairs are those of up to 12,000 questions, most of them with few flips.
func randomPairs(random *rand.Rand) Pairs {
	n := FewestPairs + random.IntN(int(math.Exp(random.Float64()*math.Log(12_000)))+1)
	flips := random.IntN(1 + int(float64(n)*math.Pow(random.Float64(), 3)))
	a := random.IntN(flips + 1)
	return Pairs{OnlyA: a, OnlyB: flips - a, Both: n - flips}
}

// TestQuestionsForAMarginRuleItOut has models that are equally good: 7.85·ψ/m² questions rule a loss of the margin out 75 to 80
// % of the time: less often where few questions are asked.
func TestQuestionsForAMarginRuleItOut(t *testing.T) {
	for _, c := range []struct{ flips, margin float64 }{{0.08, 0.01}, {0.2, 0.02}, {0.04, 0.02}} {
		n, _ := QuestionsToDetect(c.margin, c.flips, 0.95, 0.8)
		ruledOut, middle := 0.0, c.flips/2*float64(n)
		from, to := int(middle-6*math.Sqrt(middle)), int(middle+6*math.Sqrt(middle))
		for a := max(0, from); a <= to; a++ {
			for b := max(0, from); b <= to; b++ {
				if (Pairs{OnlyA: a, OnlyB: b, Both: n - a - b}).Score().z(-c.margin) > z975 {
					ruledOut += BinomialChance(a, n, c.flips/2) * BinomialChance(b, n-a, c.flips/2/(1-c.flips/2))
				}
			}
		}
		near(t, fmt.Sprintf("%d questions", n), float64(n), math.Ceil(7.8489*c.flips/c.margin/c.margin), 1)
		near(t, fmt.Sprintf("power of %d questions", n), ruledOut, 0.77, 0.03)
	}
}

// TestFewQuestionsKeepTheLevelExactly works out every table of few questions: what is ruled out wrongly by one side, and lacked.
func TestFewQuestionsKeepTheLevelExactly(t *testing.T) {
	reach := normalQuantile(0.95)
	for _, n := range []int{5, 8, 10, 12, 20, 30, 50} {
		for _, margin := range []float64{0, 0.01, 0.02, 0.05} {
			type cell struct{ a, b int }
			var high, out []cell
			for a := 0; a <= n; a++ {
				for b := 0; a+b <= n; b++ {
					z := Pairs{OnlyA: a, OnlyB: b, Both: n - a - b}.Score().z(-margin)
					if z > reach {
						high = append(high, cell{a, b})
					}
					if math.Abs(z) > reach {
						out = append(out, cell{a, b})
					}
				}
			}
			for _, gain := range []float64{0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3} {
				chance := func(cells []cell) float64 {
					sum := 0.0
					for _, c := range cells {
						sum += BinomialChance(c.a, n, gain+margin) * BinomialChance(c.b, n-c.a, gain/(1-gain-margin))
					}
					return sum
				}
				if x := chance(high); x > 0.025 {
					t.Errorf("%d questions, loss %g, gains %g: ruled out %.4f of the time", n, margin, gain, x)
				}
				if x := chance(out); x > 0.06 {
					t.Errorf("%d questions, loss %g, gains %g: lacked %.4f of the time", n, margin, gain, x)
				}
			}
		}
	}
}
