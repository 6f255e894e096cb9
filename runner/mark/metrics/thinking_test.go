package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// twoBudgets are a run's items at a large budget and at a small one, at which a share of the questions is lost.
func twoBudgets(random *rand.Rand, questions, items int, lost float64) (large, small results.View) {
	answer := func(q int, correct bool) *results.Item {
		return &results.Item{Record: journal.Record{QuestionID: q, Subject: "law"}, Marks: []grade.Mark{{Correct: correct}}}
	}
	for q := range questions {
		knows, loses := random.Float64() < 0.8, random.Float64() < lost
		for range items {
			correct := knows && (items == 1 || random.Float64() < 0.9)
			large.Items, small.Items = append(large.Items, answer(q, correct)), append(small.Items, answer(q, correct && !loses))
		}
	}
	return large, small
}

// TestTheDifferenceOfTwoBudgetsCovers has few questions that come out differently, as budgets do: Student's t covers far less.
func TestTheDifferenceOfTwoBudgetsCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(60, 6))
	s := &settings{confidence: stats.DefaultConfidence}
	const draws, questions, lost = 1000, 60, 0.04
	for _, items := range []int{1, 4} {
		truth := -0.8 * lost
		if items > 1 {
			truth *= 0.9
		}
		held, students := 0, 0
		for range draws {
			large, small := twoBudgets(random, questions, items, lost)
			e := s.change(large, small)
			near(t, "difference", e.Value, s.accuracy(small).Value.Or(9)-s.accuracy(large).Value.Or(9))
			if e.Interval.Contains(truth) {
				held++
			}
			var differences [][]float64
			of := large.QuestionMeans()
			for i, x := range small.QuestionMeans() {
				differences = append(differences, []float64{x - of[i], 1})
			}
			student := stats.OfTotals([]stats.Sample{differences}, stats.OfRatio, math.Inf(-1), math.Inf(1), s.confidence)
			if student.Interval.Contains(truth) {
				students++
			}
		}
		assert.Check(t, held >= 915*draws/1000 && students < 9*draws/10, // 93 % less two standard errors
			"%d items a question: %d of %d cover, by Student's t %d", items, held, draws, students)
	}
}

func TestFewQuestionsGiveTwoBudgetsNoInterval(t *testing.T) {
	random, s := rand.New(rand.NewPCG(60, 7)), &settings{confidence: stats.DefaultConfidence}
	for questions := 8; questions <= 11; questions++ {
		for items := 1; items <= 2; items++ {
			e := s.change(twoBudgets(random, questions, items, 0.5))
			assert.Check(t, e.Value.Defined() == !e.Interval.IsZero() && e.Interval.IsZero() == (questions < 10), "%d questions: %+v", questions, e)
		}
	}
}
