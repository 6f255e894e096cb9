package stats

import "testing"

func numbers(xs ...float64) []Number {
	ns := make([]Number, len(xs))
	for i, x := range xs {
		ns[i] = Of(x)
	}
	return ns
}

func compareNumbers(t *testing.T, got, want []Number) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d numbers, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i].Defined() != want[i].Defined() {
			t.Errorf("number %d: defined %v, want %v", i, got[i].Defined(), want[i].Defined())
			continue
		}
		near(t, "adjusted", got[i].Or(0), want[i].Or(0), 1e-12)
	}
}

// heart are the p-values of Benjamini and Hochberg 1995, §4.1.
var heart = numbers(.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .3240, .4262, .5719, .6528, .7590, 1)

func TestHolm(t *testing.T) {
	compareNumbers(t, Holm(numbers(0.01, 0.04, 0.03, 0.005)), numbers(0.03, 0.06, 0.06, 0.02))
	compareNumbers(t, Holm([]Number{Of(0.02), Undefined, Of(0.03)}), []Number{Of(0.04), Undefined, Of(0.04)})
	compareNumbers(t, Holm(numbers(0.6, 0.7)), numbers(1, 1))
	compareNumbers(t, Holm(nil), nil)
	if got := below(Holm(heart), 0.05); got != 3 { // as the paper finds for Bonferroni's and Hochberg's procedures
		t.Errorf("rejects %d of the published fifteen, want 3", got)
	}
}

func TestBonferroni(t *testing.T) {
	compareNumbers(t, Bonferroni(numbers(0.01, 0.04, 0.5)), numbers(0.03, 0.12, 1))
	compareNumbers(t, Bonferroni([]Number{Of(0.02), Undefined, Of(0.01)}), []Number{Of(0.04), Undefined, Of(0.02)})
	if got := below(Bonferroni(heart), 0.05); got != 3 { // as published
		t.Errorf("rejects %d of the published fifteen, want 3", got)
	}
}

func below(ps []Number, alpha float64) int {
	count := 0
	for _, p := range ps {
		if p.Or(1) <= alpha {
			count++
		}
	}
	return count
}
