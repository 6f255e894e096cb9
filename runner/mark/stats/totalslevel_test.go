package stats

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// A totalsWorld draws the questions of a set for two runs, as [PairedTotals] takes them, and knows what the second loses.
type totalsWorld struct {
	name      string
	statistic Statistic
	draw      func(random *rand.Rand, lost float64) []float64
}

// gapOfMeans is the mean of the second run less that of the first: sums by trials, as of repeats.
func gapOfMeans(x []float64) (float64, []float64) {
	return x[2]/x[3] - x[0]/x[1], []float64{-1 / x[1], x[0] / x[1] / x[1], 1 / x[3], -x[2] / x[3] / x[3]}
}

// lossWorlds are yes/no tasks and repeats, with few changes and many, where the second run loses so much as is said.
func lossWorlds() []totalsWorld {
	var worlds []totalsWorld
	for _, rates := range [][2]float64{{0.3, 0.95}, {0.7, 0.9}, {0.95, 0.99}} {
		for _, changed := range []float64{0.02, 0.1, 0.4} {
			worlds = append(worlds, totalsWorld{
				fmt.Sprintf("yes/no, rates %v, %g changed", rates, changed), gapOfBalanced,
				func(random *rand.Rand, lost float64) []float64 {
					x := drawTwice(random, rates[0], rates[1], changed)
					if x[4] > 0 && random.Float64() < lost { // what the second finds is lost
						x[4], x[7] = 0, 1
					}
					return x
				},
			})
		}
	}
	for _, repeats := range []int{2, 5} {
		for _, noise := range []float64{0.02, 0.1, 0.5} {
			worlds = append(worlds, totalsWorld{
				fmt.Sprintf("%d repeats, %g noise", repeats, noise), gapOfMeans,
				func(random *rand.Rand, lost float64) []float64 {
					skill := float64(random.IntN(10)/3) / 3 // 0, 1/3 and 2/3 each three times of ten, and 1 once
					var right [2]float64
					fails := random.Float64() < lost
					for run := range right {
						for range repeats {
							hit := random.Float64() < skill
							if random.Float64() > noise {
								hit = skill > 0.5
							}
							if hit && !(run == 1 && fails) {
								right[run]++
							}
						}
					}
					return []float64{right[0] / float64(repeats), 1, right[1] / float64(repeats), 1}
				},
			})
		}
	}
	return worlds
}

// pool are questions of a world, and the true difference of the statistic if they are all there are.
func (w totalsWorld) pool(random *rand.Rand, lost float64) (questions [][]float64, truth float64) {
	questions = make([][]float64, 50_000)
	for i := range questions {
		questions[i] = w.draw(random, lost)
	}
	sum := make([]float64, len(questions[0]))
	for _, x := range questions {
		floats.Add(sum, x)
	}
	truth, _ = w.statistic(sum)
	return questions, truth
}

func TestPairedTotalsKeepTheLevelAtTheMargin(t *testing.T) {
	draws, totals := 300, []int{70, 280}
	if os.Getenv("LONG") != "" {
		draws, totals = 10_000, []int{28, 70, 140, 350, 700, 1400}
	}
	random := rand.New(rand.NewPCG(36, 75))
	worst := map[string]float64{}
	for _, w := range lossWorlds() {
		t.Run(w.name, func(t *testing.T) {
			for _, lost := range []float64{0, 0.01, 0.05, 0.1} {
				pool, truth := w.pool(random, lost)
				for _, n := range totals {
					questions := make([][]float64, n)
					what := fmt.Sprintf("%g lost, %d questions", lost, n)
					ruledOut, outside := keepsLevel(t, what, draws, 0.055, func() (above, outside bool) {
						for q := range questions {
							questions[q] = pool[random.IntN(len(pool))]
						}
						i := PairedTotals(questions, w.statistic, 0.95).Interval
						return !i.IsZero() && i.Low > truth, !i.IsZero() && !i.Contains(truth)
					})
					worst["ruled out"], worst["lacked"] = max(worst["ruled out"], ruledOut), max(worst["lacked"], outside)
				}
			}
		})
	}
	t.Logf("at the most: %v", worst)
}
