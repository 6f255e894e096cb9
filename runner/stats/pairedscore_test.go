package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
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
			z := (float64(p.OnlyB-p.OnlyA)/n - null) / math.Sqrt((a+b-null*null)/n)
			near(t, fmt.Sprintf("%+v at %g", p, null), value(t, "p", p.Score().P(null)), math.Erfc(math.Abs(z)/math.Sqrt2), 1e-5)
		}
		// At no difference it is McNemar's statistic, (c − b)²/(b + c).
		if flips := float64(p.Discordant()); flips > 0 {
			near(t, "McNemar", value(t, "p", p.Score().P(0)), math.Erfc(math.Abs(float64(p.OnlyB-p.OnlyA))/math.Sqrt(2*flips)), 1e-12)
		}
	}
}

func TestComparisonsOfNothingAreUndefined(t *testing.T) {
	var none Pairs
	if none.McNemar().Defined() || none.McNemarMidP().Defined() || none.Score().Difference(0.95).Value.Defined() ||
		none.Score().P(0).Defined() || none.Score().SmallestDetectable(0.95, 0.8).Defined() || none.Score().RightA.Defined() {
		t.Error("no questions, yet a figure")
	}
	same := Pairs{Both: 10, Neither: 10}
	near(t, "equal runs", value(t, "p", same.McNemar()), 1, 0)
	near(t, "equal runs, mid-p", value(t, "p", same.McNemarMidP()), 1, 0)
	near(t, "equal runs, score", value(t, "p", same.Score().P(0)), 1, 0)
	difference := same.Score().Difference(0.95)
	near(t, "equal runs, difference", value(t, "d", difference.Value), 0, 0)
	near(t, "equal runs, bound", difference.Interval.High, z975*z975/(20+z975*z975), 1e-12)
	if same.Score().SmallestDetectable(0.95, 0.8).Defined() || difference.SE.Defined() {
		t.Error("no discordant questions, yet a smallest detectable difference or a standard error")
	}
}

func TestDifferenceTurnsItsSignWithTheRuns(t *testing.T) {
	forward, backward := Pairs{50, 9, 14, 27}.Score().Difference(0.95), Pairs{50, 14, 9, 27}.Score().Difference(0.95)
	near(t, "value", forward.Value.Or(9), -backward.Value.Or(9), 0)
	near(t, "low", forward.Interval.Low, -backward.Interval.High, 1e-15)
	near(t, "high", forward.Interval.High, -backward.Interval.Low, 1e-15)
	near(t, "smallest detectable", value(t, "mdd", Pairs{50, 9, 14, 27}.Score().SmallestDetectable(0.95, 0.8)),
		2.8015852*math.Sqrt(0.23/100), 1e-7)
}

func TestWeightedPairsByHand(t *testing.T) {
	p := Score([]PairedStratum{{Pairs{Both: 2, OnlyA: 1, OnlyB: 1}, 300}, {Pairs{Both: 1, OnlyA: 1}, 100}, {Pairs{}, 50}})
	near(t, "A", value(t, "A", p.RightA), 0.75*3/4+0.25, 1e-15)
	near(t, "B", value(t, "B", p.RightB), 0.75*3/4+0.25/2, 1e-15)
	near(t, "difference", value(t, "difference", p.Difference(0.95).Value), -0.125, 1e-15)
	// w = 3/16 and 1/8; v = 2·4/3 and (1 − 1/2)·2; w̄ = 3/16
	w, x := 3.0/16, 1.0/8
	near(t, "effective", p.Effective, (w*8/3+x+2*w)/(w*w*8/3+x*x+2*w*w), 1e-12)
	near(t, "one stratum", Pairs{50, 9, 14, 27}.Score().Effective, 100, 1e-10)
	alone := Score([]PairedStratum{{Pairs{OnlyA: 1}, 1}, {Pairs{Neither: 1}, 3}}) // one question has no s²
	near(t, "one question each", alone.Effective, (0.25+1.5)/(0.0625+2*0.5625), 1e-12)
	same := Score([]PairedStratum{{Pairs{Both: 20}, 3}, {Pairs{Neither: 40}, 1}})
	near(t, "no flips", same.Effective, 20/0.75, 1e-12)
}

func TestQuestionsThatAllAgreeRuleALossOut(t *testing.T) {
	n := QuestionsToRuleOut(0.01, 0.95, 1)
	at, below := Pairs{Both: n}.Score().Difference(0.95), Pairs{Both: n - 1}.Score().Difference(0.95)
	if n != 381 || at.Interval.Low <= -0.01 || below.Interval.Low > -0.01 {
		t.Errorf("%d questions rule out %g, one fewer %g", n, at.Interval.Low, below.Interval.Low)
	}
	near(t, "weighted", float64(QuestionsToRuleOut(0.01, 0.95, 1.5)), 571, 0)
}

// agrees fails where a table's interval, p-values and estimate contradict one another.
func agrees(t *testing.T, what any, p PairedScore) {
	t.Helper()
	for _, confidence := range []float64{0.95, 0.99} {
		d := p.Difference(confidence)
		i := d.Interval
		if i.IsZero() || !i.Contains(d.Value.Or(9)) || i.Low < -1 || i.High > 1 {
			t.Fatalf("%v: %v in %+v", what, d.Value, i)
		}
		for _, null := range []float64{0, -0.005, -0.01, -0.02, -0.05, 0.01, 0.1, -0.7} {
			q, known := p.P(null).Get()
			inside := i.Contains(null)
			if near := math.Abs(q-(1-confidence)) < 1e-9; !known || !near && inside != (q >= 1-confidence) {
				t.Fatalf("%v: p of %g is %g, and %v…%v holds it: %v", what, null, q, i.Low, i.High, inside)
			}
		}
		if wider := p.Difference(0.999).Interval; wider.Low > i.Low || wider.High < i.High {
			t.Fatalf("%v: %+v is not in %+v", what, i, wider)
		}
	}
}

// TestNoPairedTableContradictsItself is of all tables of up to 12 questions, and of random ones of up to 12,000 of 1 to 14
// subjects.
func TestNoPairedTableContradictsItself(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for a := 0; a <= n; a++ {
			for b := 0; a+b <= n; b++ {
				p := Pairs{OnlyA: a, OnlyB: b, Both: n - a - b}
				agrees(t, p, p.Score())
				agrees(t, p, Score([]PairedStratum{{p, 3}, {Pairs{OnlyA: b, Neither: n}, 1}}))
			}
		}
	}
	random := rand.New(rand.NewPCG(36, 1))
	for range 2000 {
		strata := randomStrata(random)
		agrees(t, strata, Score(strata))
		all := Pairs{}
		for _, s := range strata {
			all.Both, all.OnlyA, all.OnlyB = all.Both+s.Both, all.OnlyA+s.OnlyA, all.OnlyB+s.OnlyB
		}
		agrees(t, all, all.Score())
	}
}

// randomStrata are up to 14 subjects with up to 12,000 questions in all, most of them with few flips.
func randomStrata(random *rand.Rand) []PairedStratum {
	strata := make([]PairedStratum, 1+random.IntN(14))
	most := int(math.Exp(random.Float64()*math.Log(12_000/float64(len(strata))))) + 1
	for i := range strata {
		n := 1 + random.IntN(most)
		flips := random.IntN(1 + int(float64(n)*math.Pow(random.Float64(), 3)))
		a := random.IntN(flips + 1)
		strata[i] = PairedStratum{Pairs{OnlyA: a, OnlyB: flips - a, Both: n - flips}, float64(1 + random.IntN(1400))}
	}
	return strata
}

// sizes are the questions of MMLU-Pro's subjects.
var sizes = []int{1351, 1299, 1132, 1101, 969, 924, 844, 818, 798, 789, 717, 499, 410, 381}

// A paired world is how often only A and only B are right in each subject, and how many questions of each are asked.
type pairedWorld struct {
	name         string
	asked        []int
	onlyA, onlyB []float64
}

func (w pairedWorld) difference() float64 {
	sum, total := 0.0, 0.0
	for h, n := range sizes[:len(w.asked)] {
		sum, total = sum+float64(n)*(w.onlyB[h]-w.onlyA[h]), total+float64(n)
	}
	return sum / total
}

func (w pairedWorld) draw(random *rand.Rand) PairedScore {
	strata := make([]PairedStratum, len(w.asked))
	for h, n := range w.asked {
		strata[h] = PairedStratum{drawPairs(random, n, 0, w.onlyA[h], w.onlyB[h]), float64(sizes[h])}
	}
	return Score(strata)
}

// pairedWorlds are draws that are even over 14 subjects, and draws without subjects, with few flips and many; in all subjects, or
// losses in the largest three and gains in the smallest.
func pairedWorlds(each []int) []pairedWorld {
	var all []pairedWorld
	for _, n := range each {
		for _, flips := range []float64{2, 4, 8, 20, 60} {
			share := flips / float64(14*n)
			if share > 0.12 {
				continue
			}
			even, a, b, loss, gain := make([]int, 14), make([]float64, 14), make([]float64, 14), make([]float64, 14), make([]float64, 14)
			for h := range even {
				even[h], a[h], b[h] = n, share/2, share/2
				if h < 3 {
					loss[h] = share * 14 / 6
				}
				if h >= 11 {
					gain[h] = share * 14 / 6
				}
			}
			none := make([]float64, 14)
			name := fmt.Sprintf("%d of each subject, %g flips", n, flips)
			all = append(all, pairedWorld{name + ", alike", even, a, b}, pairedWorld{name + ", losses", even, b, none},
				pairedWorld{name + ", losses of large subjects", even, loss, gain}, pairedWorld{name + ", of one subject", []int{14 * n}, a, b},
				pairedWorld{name + ", losses of one subject", []int{14 * n}, a, none})
		}
	}
	return all
}

// TestThePairedScoreKeepsItsLevel has a loss of the margin called not worse 2.5 % of the time at most, equal runs told apart
// 5.5 %, and intervals that hold the truth 93 % at least: of few flips somewhat more often than 97 %, since tables are few.
func TestThePairedScoreKeepsItsLevel(t *testing.T) {
	draws, slack, each := 500, 4.0, []int{5, 50}
	if os.Getenv("LONG") != "" {
		draws, slack, each = 10_000, 2, []int{2, 5, 12, 28, 100}
	}
	random := rand.New(rand.NewPCG(36, 2))
	reach := normalQuantile(0.95)
	tolerated := func(level float64) float64 { return level + slack*math.Sqrt(level*(1-level)/float64(draws)) }
	for _, w := range pairedWorlds(each) {
		truth := w.difference()
		above, below := 0, 0
		for range draws {
			switch z := w.draw(random).z(truth); {
			case z > reach:
				above++
			case z < -reach:
				below++
			}
		}
		ruledOut, outside := float64(above)/float64(draws), float64(above+below)/float64(draws)
		if ruledOut > tolerated(0.027) {
			t.Errorf("%s: the true loss of %.4f is ruled out %.4f of the time", w.name, -truth, ruledOut)
		}
		if most := map[bool]float64{true: 0.055, false: 0.07}[truth == 0]; outside > tolerated(most) {
			t.Errorf("%s: the interval lacks %.4f %.4f of the time", w.name, truth, outside)
		}
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
				if x := chance(high); x > 0.031 {
					t.Errorf("%d questions, loss %g, gains %g: ruled out %.4f of the time", n, margin, gain, x)
				}
				if x := chance(out); x > 0.07 {
					t.Errorf("%d questions, loss %g, gains %g: lacked %.4f of the time", n, margin, gain, x)
				}
			}
		}
	}
}

// TestOneFlipOf400DoesNotRuleOutALossOfAPoint has what square-and-add of Wilson's bounds says too easily: with a true loss of
// one point and nothing won, not worse in 9 % of the draws.
func TestOneFlipOf400DoesNotRuleOutALossOfAPoint(t *testing.T) {
	ruledOut := 0.0
	for lost := range 20 {
		if (Pairs{Both: 400 - lost, OnlyA: lost}).Score().Difference(0.95).Interval.Low > -0.01 {
			ruledOut += BinomialChance(lost, 400, 0.01)
		}
	}
	near(t, "ruled out", ruledOut, math.Pow(0.99, 400), 1e-12) // without any flip alone: 1.8 %
}
