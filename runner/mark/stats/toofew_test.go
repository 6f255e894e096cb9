package stats

import (
	"fmt"
	"testing"
)

// TestTooFewQuestionsSayHowManyCarryAnInterval asks as many as are said, which are enough, and one fewer, which are not.
func TestTooFewQuestionsSayHowManyCarryAnInterval(t *testing.T) {
	question := []float64{1, 0, 3, 0, 0, 0, 3, 1} // right in the first run alone
	for name, of := range map[string]func(n int) Interval{
		"all right":       func(n int) Interval { return Proportion(n, n, 0.95).Interval },
		"all of scores":   func(n int) Interval { return Mean(make([]float64, n), 0.95).Interval },
		"all of clusters": func(n int) Interval { return ClusteredProportion(repeated(Cluster{0, 4}, n), 0.95).Interval },
		"a ratio":         func(n int) Interval { return ofRatio(n).Interval },
		"99.99 %":         func(n int) Interval { return Proportion(n, n, 0.9999).Interval },
		"balanced accuracy": func(n int) Interval {
			return BalancedAccuracy(repeated(Confusion{TruePositive: 1, TrueNegative: 3}, n), 0.95).Interval
		},
		"macro": func(n int) Interval { return Macro([][]float64{subject(n, n)}, 0.95).Interval },
		"paired totals": func(n int) Interval {
			return PairedTotals(repeated(question, n), gapOfBalanced, 0.95).Interval
		},
		"pairs, 99.9999 %": func(n int) Interval { return Pairs{Both: n}.Score().Difference(0.999999).Interval },
	} {
		first := of(1)
		if !first.IsZero() || first.Needed < 2 {
			t.Errorf("%s: one question has %+v", name, first)
			continue
		}
		if i := of(first.Needed); i.IsZero() {
			t.Errorf("%s: %d questions carry no interval", name, first.Needed)
		}
		for n := 2; n < first.Needed; n++ {
			if i := of(n); !i.IsZero() || i.Needed != first.Needed {
				t.Errorf("%s: %d questions have %+v, of one %d are needed", name, n, i, first.Needed)
			}
		}
	}
	if none := Proportion(0, 0, 0.95).Interval; none.Needed != 0 {
		t.Errorf("no questions: %+v", none)
	}
	half := Proportion(1, 2, 0.95).Interval // of which no whole number is right in three
	if !half.IsZero() || half.Needed != 3 {
		t.Errorf("one of two: %s", fmt.Sprintf("%+v", half))
	}
}

func repeated[T any](x T, n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = x
	}
	return all
}

func ofRatio(n int) Estimate {
	return OfTotals([]Sample{repeated([]float64{2, 2}, n)}, OfRatio, 0, 1, 0.95)
}
