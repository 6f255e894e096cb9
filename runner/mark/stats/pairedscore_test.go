package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
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
	for _, p := range []Pairs{{3, 4, 1, 2}, {50, 9, 14, 27}, {10, 0, 3, 7}, {390, 1, 0, 9}, {0, 5, 0, 0}, {8, 0, 0, 4}} {
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

// TestNoPairedTableContradictsItself is of all tables of up to 12 questions, and of random ones of up to 12,000.
func TestNoPairedTableContradictsItself(t *testing.T) {
	for n := 1; n <= 12; n++ {
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
	n := 1 + random.IntN(int(math.Exp(random.Float64()*math.Log(12_000)))+1)
	flips := random.IntN(1 + int(float64(n)*math.Pow(random.Float64(), 3)))
	a := random.IntN(flips + 1)
	return Pairs{OnlyA: a, OnlyB: flips - a, Both: n - flips}
}

// A pairedWorld is how many questions are asked, and how often only A and only B are right.
type pairedWorld struct {
	asked        int
	onlyA, onlyB float64
}

func (w pairedWorld) draw(random *rand.Rand) PairedScore {
	p := Pairs{}
	flips := w.onlyA + w.onlyB
	for at := 0; ; at++ { // from one flip to the next
		if at += int(min(1e9, math.Log(random.Float64())/math.Log1p(-flips))); at >= w.asked {
			break
		}
		if random.Float64()*flips < w.onlyA {
			p.OnlyA++
		} else {
			p.OnlyB++
		}
	}
	p.Both = w.asked - p.Discordant()
	return p.Score()
}

// keepsLevel fails where an interval is above the truth more than 2.5 % of the time, or leaves it out more often than at most, and
// returns both. Of many worlds one is above a level by chance, and so the worlds that are above one are drawn 20 times as often
// again.
func keepsLevel(t *testing.T, what string, draws int, most float64, draw func() (above, outside bool)) (above, outside float64) {
	t.Helper()
	count := func() {
		high, out := 0, 0
		for range draws {
			x, y := draw()
			high, out = high+int(one(x)), out+int(one(y))
		}
		above, outside = float64(high)/float64(draws), float64(out)/float64(draws)
	}
	if count(); above > 0.025 || outside > most {
		draws *= 20
		count()
	}
	tolerated := func(level float64) float64 { return level + 2.5*math.Sqrt(level*(1-level)/float64(draws)) }
	assert.Check(t, above <= tolerated(0.025), "%s: the true loss is ruled out %.4f of the time", what, above)
	assert.Check(t, outside <= tolerated(most), "%s: the interval lacks the truth %.4f of the time", what, outside)
	return above, outside
}

func one(holds bool) float64 { return map[bool]float64{true: 1}[holds] }

// TestThePairedScoreKeepsItsLevel has a loss of the margin called not worse 2.5 % of the time at most, equal runs called
// different 5 %, and intervals that hold the truth 94.5 % at least: of few flips more often than 97 %, since tables are few.
func TestThePairedScoreKeepsItsLevel(t *testing.T) {
	draws, sizes := 1000, []int{70, 700}
	if os.Getenv("LONG") != "" {
		draws, sizes = 10_000, []int{28, 70, 140, 350, 700, 1400}
	}
	random := rand.New(rand.NewPCG(36, 2))
	reach := normalQuantile(0.95)
	for _, n := range sizes {
		for _, flips := range []float64{0.01, 0.02, 0.04, 0.08, 0.2} {
			for _, margin := range []float64{0, 0.005, 0.01, 0.02, 0.05} {
				if margin > flips {
					continue
				}
				most := 0.055
				if margin == 0 {
					most = 0.05
				}
				w := pairedWorld{n, (flips + margin) / 2, (flips - margin) / 2}
				keepsLevel(t, fmt.Sprintf("%d questions, %g flips, loss %g", n, flips, margin), draws, most, func() (above, outside bool) {
					z := w.draw(random).z(-margin)
					return z > reach, math.Abs(z) > reach
				})
			}
		}
	}
}

// TestQuestionsForAMarginRuleItOut has models that are equally good: 7.85·ψ/m² questions rule a loss of the margin out 76 to 80
// % of the time: less often where few questions are asked.
func TestQuestionsForAMarginRuleItOut(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 4))
	for _, c := range []struct{ flips, margin float64 }{{0.08, 0.01}, {0.2, 0.02}, {0.04, 0.02}} {
		n, _ := QuestionsToDetect(c.margin, c.flips, 0.95, 0.8)
		w := pairedWorld{n, c.flips / 2, c.flips / 2}
		ruledOut := 0
		for range 4000 {
			if w.draw(random).z(-c.margin) > z975 {
				ruledOut++
			}
		}
		near(t, fmt.Sprintf("%d questions", n), float64(n), math.Ceil(7.8489*c.flips/c.margin/c.margin), 1)
		near(t, fmt.Sprintf("power of %d questions", n), float64(ruledOut)/4000, 0.8, 0.045)
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
