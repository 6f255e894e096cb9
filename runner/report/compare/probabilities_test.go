package compare

import (
	"errors"
	"math"
	"slices"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// directRun is a run asked directly, the surer of its letters the higher sharpness is.
func directRun(r testRun, sharpness float64, seed uint64) testRun {
	header, records := journaltest.Direct(r.header, slices.Clone(r.records), sharpness, seed)
	return testRun{header: header, records: records}
}

func TestProbabilitiesArePairedByQuestion(t *testing.T) {
	a, b := two()
	a, b = directRun(a, 2, 1), directRun(b, 2, 2)
	for i := range b.records[:100] { // what is the same in both
		b.records[i].LetterLogprobs, b.records[i].Text = a.records[i].LetterLogprobs, a.records[i].Text
	}
	p := compared(t, Options{}, a, b).Pairs[0].Probabilities
	if p == nil || p.Questions != 400 || p.Wilcoxon.N != 300 || p.Wilcoxon.Exact {
		t.Fatalf("%+v", p)
	}
	var differences []float64
	meanA, meanB, sum, squares := 0.0, 0.0, 0.0, 0.0
	for i := range a.records {
		x, y := plainGold(&a.records[i]), plainGold(&b.records[i])
		differences = append(differences, y-x)
		meanA, meanB, sum = meanA+x/400, meanB+y/400, sum+y-x
	}
	for _, d := range differences {
		squares += (d - sum/400) * (d - sum/400)
	}
	near(t, "A", p.GoldLogprob.ValueA, meanA)
	near(t, "B", p.GoldLogprob.ValueB, meanB)
	se := math.Sqrt(squares / 399 / 400)
	if got := p.GoldLogprob.SE.Or(0); math.Abs(got-se) > 1e-8 || math.Abs(p.GoldLogprob.Difference.Or(9)-sum/400) > 1e-8 {
		t.Errorf("%g ± %g, want %g ± %g", p.GoldLogprob.Difference.Or(9), got, sum/400, se)
	}
	const t399 = 1.965927295920 // 97.5 % of Student's t with 399 degrees of freedom
	if ci := p.GoldLogprob.CI; math.Abs(ci.High-ci.Low-2*t399*se) > 1e-7 {
		t.Errorf("%+v", ci)
	}
	if same := compared(t, Options{}, a, a).Pairs[0].Probabilities; same.Wilcoxon.PValue.Defined() ||
		same.GoldLogprob.Difference.Or(9) != 0 || same.GoldLogprob.PValue.Defined() {
		t.Errorf("a run beside itself: %+v", same)
	}
	plain, _ := two()
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
	a, b := two()
	_, err := Of([]string{a.write(t, "A"), directRun(b, 2, 1).write(t, "B")}, Options{Force: true})
	var refused *NotComparableError
	if !errors.As(err, &refused) || !refused.Final || refused.Fields[0].Field != "task" {
		t.Errorf("%v", err)
	}
}
