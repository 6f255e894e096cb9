package results

import (
	"testing"

	"proctor/runner/mark/stats"
)

func TestALetterTakesOverWhereItIsPickedFarMoreOftenThanGold(t *testing.T) {
	for name, test := range map[string]struct {
		gold, picked []float64 // of A, B, …
		want         string
	}{
		"all the same letter":             {[]float64{0.25, 0.25, 0.25, 0.25}, []float64{0, 1, 0, 0}, "B"},
		"mostly the same":                 {[]float64{0.1, 0.1, 0.8}, []float64{0.6, 0.2, 0.2}, "A"},
		"an even spread":                  {[]float64{0.25, 0.25, 0.25, 0.25}, []float64{0.3, 0.2, 0.25, 0.25}, ""},
		"Binary's items, which are False": {[]float64{0.1, 0.9}, []float64{0, 1}, ""},
		"half":                            {[]float64{0.2, 0.8}, []float64{0.5, 0.5}, ""},
	} {
		var counts []Letter
		for i := range test.gold {
			counts = append(counts, Letter{Letter: string(rune('A' + i)), GoldShare: stats.Of(test.gold[i]), PickedShare: stats.Of(test.picked[i])})
		}
		if got, over := TakesOver(counts); got.Letter != test.want || over != (test.want != "") {
			t.Errorf("%s: %q, %v", name, got.Letter, over)
		}
	}
}
