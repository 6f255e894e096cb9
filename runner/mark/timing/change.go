package timing

import (
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A Change is how many more output tokens run B writes for a question than run A. Tokens are the model's doing, unlike
// times, which the machine has a part in.
type Change struct {
	ValueA  stats.Number   `json:"tokens_per_question_a"`
	ValueB  stats.Number   `json:"tokens_per_question_b"`
	Change  stats.Number   `json:"change,omitzero"`    // as a share of A's: 0.25 is a quarter more
	CI      stats.Interval `json:"change_ci,omitzero"` // paired by question
	Changed bool           `json:"significant"`        // the interval leaves out 0
}

// ChangeOf compares the output of the same items, in the same order, in two runs, paired by question: the ratio of B's tokens
// to A's less 1, with the interval of its logarithm. It is nil where one of their journals counts none.
func ChangeOf(a, b results.View, confidence float64) *Change {
	var questions [][]float64
	start, sumA, sumB := 0, 0.0, 0.0
	for question := range a.Questions() {
		wroteA, wroteB := 0.0, 0.0
		for i, it := range question.Items {
			wroteA += float64(it.Usage.OutputTokens)
			wroteB += float64(b.Items[start+i].Usage.OutputTokens)
		}
		start += len(question.Items)
		sumA, sumB = sumA+wroteA, sumB+wroteB
		questions = append(questions, []float64{wroteB, wroteA})
	}
	if sumA == 0 || sumB == 0 {
		return nil
	}
	ci := stats.PositiveOfTotals(questions, stats.OfRatio, confidence).Interval
	if !ci.IsZero() {
		ci.Low, ci.High = ci.Low-1, ci.High-1
	}
	asked := float64(len(questions))
	return &Change{
		ValueA: stats.Of(sumA / asked), ValueB: stats.Of(sumB / asked),
		Change: stats.Of(sumB/sumA - 1), CI: ci, Changed: !ci.IsZero() && !ci.Contains(0),
	}
}
