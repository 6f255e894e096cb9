package stats_test

import (
	"fmt"

	"proctor/runner/mark/stats"
)

// A share has Wilson's interval.
func ExampleProportion() {
	e := stats.Proportion(70, 140, 0.95)
	fmt.Printf("%.3f, %.3f to %.3f (%s)\n", e.Value.Or(0), e.Interval.Low, e.Interval.High, e.Interval.Method)
	// Output: 0.500, 0.418 to 0.582 (wilson)
}

// What can't be computed is undefined, never 0 or NaN.
func ExampleRatio() {
	fmt.Println(stats.Ratio(1, 4).Or(-1), stats.Ratio(0, 0).Defined())
	// Output: 0.25 false
}

// Two runs of the same questions are compared by those that only one of them has right.
func ExamplePairs_Score() {
	pairs := stats.Pairs{Both: 288, OnlyA: 12, OnlyB: 5, Neither: 95}
	score := pairs.Score()
	difference := score.Difference(0.95)
	fmt.Printf("%.4f, p = %.2f\n", difference.Value.Or(0), score.P(0).Or(1))
	// Output: -0.0175, p = 0.10
}
