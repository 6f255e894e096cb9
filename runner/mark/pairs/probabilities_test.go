package pairs

import (
	"errors"
	"math"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/mark/pairs/pairstest"
)

func TestProbabilitiesArePairedByQuestion(t *testing.T) {
	a, b := pairstest.Two()
	a, b = pairstest.Direct(a, 2, 1), pairstest.Direct(b, 2, 2)
	for i := range b.Records[:100] { // what is the same in both
		b.Records[i].LetterLogprobs, b.Records[i].Text = a.Records[i].LetterLogprobs, a.Records[i].Text
	}
	p := compared(t, Options{}, a, b).Pairs[0].Probabilities
	if p == nil || p.Questions != 400 {
		t.Fatalf("%+v", p)
	}
	meanA, meanB, sum, squares := 0.0, 0.0, 0.0, 0.0
	for i := range a.Records {
		x, y := plainGold(&a.Records[i]), plainGold(&b.Records[i])
		meanA, meanB, sum = meanA+x/400, meanB+y/400, sum+y-x
	}
	for i := range a.Records {
		d := plainGold(&b.Records[i]) - plainGold(&a.Records[i]) - sum/400
		squares += d * d
	}
	pairstest.Near(t, "A", p.GoldLogprob.ValueA, meanA)
	pairstest.Near(t, "B", p.GoldLogprob.ValueB, meanB)
	se := math.Sqrt(squares / 399 / 400)
	if got := p.GoldLogprob.SE.Or(0); math.Abs(got-se) > 1e-8 || math.Abs(p.GoldLogprob.Difference.Or(9)-sum/400) > 1e-8 {
		t.Errorf("%g ± %g, want %g ± %g", p.GoldLogprob.Difference.Or(9), got, sum/400, se)
	}
	const t399 = 1.965927295920 // 97.5 % of Student's t with 399 degrees of freedom
	if ci := p.GoldLogprob.CI; math.Abs(ci.High-ci.Low-2*t399*se) > 1e-7 {
		t.Errorf("%+v", ci)
	}
	if same := compared(t, Options{}, a, a).Pairs[0].Probabilities; same.GoldLogprob.Difference.Or(9) != 0 || same.GoldLogprob.PValue.Defined() {
		t.Errorf("a run beside itself: %+v", same)
	}
	plain, _ := pairstest.Two()
	if p := compared(t, Options{}, plain, plain).Pairs[0].Probabilities; p != nil {
		t.Errorf("of runs that are not direct: %+v", p)
	}
}

// plainGold is the logarithm of the gold letter's probability among the letters.
func plainGold(r *journal.Record) float64 {
	mass := 0.0
	for _, l := range r.LetterLogprobs {
		mass += math.Exp(l)
	}
	return r.LetterLogprobs[r.Gold[0]-'A'] - math.Log(mass)
}

func TestADirectRunIsNotComparedWithOneThatReasons(t *testing.T) {
	a, b := pairstest.Two()
	_, err := Of([]string{a.Write(t, "A"), pairstest.Direct(b, 2, 1).Write(t, "B")}, Options{Force: true})
	var refused *NotComparableError
	if !errors.As(err, &refused) || !refused.Final || refused.Fields[0].Field != "task" {
		t.Errorf("%v", err)
	}
}
