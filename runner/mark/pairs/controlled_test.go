package pairs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"proctor/runner/mark/pairs/pairstest"
	"proctor/scripts/tests/errortest"
)

// TestAControlMovesTheDifferenceToTheSet has a control that says of each question what the runs do: its mean over all that it knows
// is the estimate.
func TestAControlMovesTheDifferenceToTheSet(t *testing.T) {
	a := pairstest.MCQ("Q8_0", 400, func(q int) bool { return q < 300 })
	b := pairstest.MCQ("Q4_K_M", 400, func(q int) bool { return q >= 24 && q < 310 })
	// Of 800 questions more, B loses 100.
	first := pairstest.MCQ("Q8_0", 1200, func(q int) bool { return q < 300 || q >= 400 }).Write(t, "first")
	second := pairstest.MCQ("Q4_K_M", 1200, func(q int) bool { return q >= 24 && q < 310 || q >= 500 }).Write(t, "second")
	few := pairstest.MCQ("Q4_K_M", 200, func(q int) bool { return q >= 24 }).Write(t, "few")
	runs := []string{a.Write(t, "a"), b.Write(t, "b")}
	with, err := Of(runs, Options{Control: []string{first, second}})
	if err != nil {
		t.Fatal(err)
	}
	p := with.Pairs[0]
	x, want := p.Control, float64(-24+10-100)/1200
	if x == nil || x.Of != 1200 || math.Abs(x.Difference.Or(9)-want) > 1e-9 || math.Abs(x.Rho.Or(0)-1) > 1e-9 ||
		x.CI.Low >= want || x.CI.High <= want || x.Worth.Or(0) < 1 {
		t.Errorf("%+v, want %g", x, want)
	}
	without, err := Of(runs, Options{})
	if err != nil || without.Verdict != with.Verdict || without.Pairs[0].Control != nil {
		t.Errorf("the verdict is %q, with a control %q, %v", without.Verdict, with.Verdict, err)
	}
	for says, control := range map[string][]string{
		"1 runs: give two":              {first},
		"is of another model or":        {second, first},
		"have no answer to question 20": {first, few},
	} {
		_, err := Of(runs, Options{Control: control})
		errortest.For(t, says, err, says)
	}
}

// TestAScoreNarrowsTheInterval has the divergences of 1,200 questions, of which 400 are compared: the larger, the likelier B loses what A
// has right and wins what it has wrong.
func TestAScoreNarrowsTheInterval(t *testing.T) {
	source := rand.New(rand.NewPCG(43, 4))
	knows := func(q int) bool { return q%3 != 0 }
	var items []string
	var all, flips []float64
	for q := range 1200 {
		kld := 0.05 * math.Exp(source.NormFloat64())
		flips = append(flips, 0)
		if source.Float64() < 4*kld*kld/0.02 {
			flips[q] = 1
		}
		if all = append(all, kld); knows(q) {
			all[q] = -kld
		}
		items = append(items, fmt.Sprintf(`{"id": "mmlu_pro/%d", "subject": "law", "mean_kld": %g}`, q, kld))
	}
	answers := func(q int) bool { return knows(q) != (flips[q] == 1) }
	whole := pairstest.MCQ("Q8_0", 1200, knows).Write(t, "whole")
	runs := []string{pairstest.MCQ("Q8_0", 400, knows).Write(t, "a"), pairstest.MCQ("Q4_K_M", 400, answers).Write(t, "b")}
	read := func(reference, against string, items []string) *Score {
		text := strings.ReplaceAll(pairstest.Score(reference, "Q4_K_M"), `"by_item": []`, `"by_item": [`+strings.Join(items, ", ")+"]")
		score, err := ReadScore("score.json", strings.NewReader(strings.ReplaceAll(text, "runs/f16", against)))
		if err != nil {
			t.Fatal(err)
		}
		return score
	}
	c, err := Of(runs, Options{ControlScore: read("Q8_0", whole, items)})
	if err != nil {
		t.Fatal(err)
	}
	truth := 0.0
	for q, flip := range flips {
		if truth += flip / 1200; knows(q) {
			truth -= 2 * flip / 1200
		}
	}
	p, x := c.Pairs[0], c.Pairs[0].Control
	if x == nil || x.Of != 1200 || x.Score != "score.json" || x.RunA != whole || x.RunB != "" || x.Rho.Or(0) < 0.5 || x.Worth.Or(0) < 1.15 ||
		x.CI.High-x.CI.Low > 0.95*(p.CI.High-p.CI.Low) || x.CI.Low > truth || x.CI.High < truth {
		t.Fatalf("%+v, of the set %g; without it %+v", x, truth, p.CI)
	}
	want := p.Difference.Or(9)
	for q, value := range all {
		want += x.Beta.Or(0) * value / 1200
		if q < 400 {
			want -= x.Beta.Or(0) * value / 400
		}
	}
	if math.Abs(x.Difference.Or(9)-want) > 0.004 { // each half takes the other's β
		t.Errorf("%g, want about %g", x.Difference.Or(9), want)
	}
	for says, score := range map[string]*Score{
		"which is not the file that":    read("F16", whole, items),
		"has no answer to question 7:":  read("Q8_0", whole, append(items[:7:7], items[8:]...)),
		"is of another model or anothe": read("Q8_0", runs[1], items),
	} {
		_, err := Of(runs, Options{ControlScore: score})
		errortest.For(t, says, err, says)
	}
}
