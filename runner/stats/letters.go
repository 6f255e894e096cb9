package stats

import (
	"fmt"

	"gonum.org/v1/gonum/stat"
)

// ChiSquare is the result of a χ² test.
type ChiSquare struct {
	Statistic Number
	DF        int
	P         Number
	Warnings  []string
}

// LetterBias tests whether letters are picked as often as they are gold: Pearson's Σ (picked − expected)²/expected with
// expected = Σpicked · gold/Σgold and one degree of freedom fewer than there are letters that are ever gold. Since a
// model that knows the answers picks the gold letters, right answers pull the statistic towards 0: a small p is a real
// preference, a large one no proof of none.
//
// picked and gold are counts by letter, of the same length. A letter that is never gold has no expected count and is
// left out, with a warning when it was picked; expected counts below 5 carry a warning, as the distribution is then only roughly
// χ² (Cochran 1954, Biometrics 10:417). Undefined with fewer than two letters that are ever gold.
func LetterBias(picked, gold []int) ChiSquare {
	pickedSum, goldSum, stray := 0, 0, 0
	for i := range gold {
		if gold[i] == 0 {
			stray += picked[i]
			continue
		}
		pickedSum, goldSum = pickedSum+picked[i], goldSum+gold[i]
	}
	var result ChiSquare
	if stray > 0 {
		result.Warnings = append(result.Warnings, fmt.Sprintf("%d answers are letters that are never gold and are left out", stray))
	}
	var observed, expected []float64
	thin := 0
	for i := range gold {
		if gold[i] > 0 {
			share := float64(pickedSum) * float64(gold[i]) / float64(goldSum)
			observed, expected = append(observed, float64(picked[i])), append(expected, share)
			if share < 5 {
				thin++
			}
		}
	}
	if len(observed) < 2 || pickedSum == 0 {
		return result
	}
	if thin > 0 {
		result.Warnings = append(result.Warnings, fmt.Sprintf("%d letters are expected fewer than 5 times, so p is rough", thin))
	}
	statistic := stat.ChiSquare(observed, expected)
	result.DF, result.Statistic = len(observed)-1, Of(statistic)
	result.P = chiSquaredTail(statistic, float64(result.DF))
	return result
}
