package pairs

import (
	"math"
	"testing"

	"proctor/runner/mark/pairs/pairstest"
)

// Three runs of 60 questions, right on different ones; a wrong answer is always the same letter, so that runs agree where both are
// right or both wrong.
func TestRunsAreConsistentWhereAllAnswerAlike(t *testing.T) {
	right := []func(q int) bool{
		func(q int) bool { return q < 40 },
		func(q int) bool { return q < 30 },
		func(q int) bool { return q < 30 || q >= 50 },
	}
	a, b, c := pairstest.MCQ("Q8_0", 60, right[0]), pairstest.MCQ("Q6_K", 60, right[1]), pairstest.MCQ("Q4_K_M", 60, right[2])
	for q := range 60 { // an answer that only two of them give
		if q >= 45 && q < 48 {
			c.Records[q].Text = "I do not know."
		}
	}
	got := compared(t, Options{}, a, b, c).Consistency
	same, sameRight, agreement := 0, 0, 0.0
	for q := range 60 {
		letters := []bool{right[0](q), right[1](q), right[2](q)}
		alike := 0
		for i := range letters {
			for k := range i {
				silent := q >= 45 && q < 48 && i == 2
				if letters[i] == letters[k] && !silent {
					alike++
				}
			}
		}
		agreement += float64(alike) / 3 / 60
		if alike == 3 {
			same++
			if letters[0] {
				sameRight++
			}
		}
	}
	if got.Questions != 60 || got.Same != same || got.SameRight != sameRight || same != 37 || sameRight != 30 {
		t.Errorf("%+v, want %d alike, %d of them right", got, same, sameRight)
	}
	pairstest.Near(t, "rate", got.Rate, float64(same)/60)
	pairstest.Near(t, "agreement", got.Agreement, agreement)
	if rate, _ := got.Rate.Get(); !(got.CI.Low < rate && rate < got.CI.High && got.CI.High-got.CI.Low < 0.3) {
		t.Errorf("interval %+v", got.CI)
	}
}

// An item that one run failed takes its question out; a question of two items needs both alike.
func TestConsistencyIsOfWholeQuestionsThatAllRunsAnswered(t *testing.T) {
	a := pairstest.Binary("Q8_0", 20, func(q, option int) bool { return option == 0 })
	b := pairstest.Binary("Q4_0", 20, func(q, option int) bool { return option == 0 || q < 5 && option == 1 })
	b.Records[len(b.Records)-1].Finish, b.Records[len(b.Records)-1].Text = "error", ""
	got := compared(t, Options{}, a, b).Consistency
	if got.Questions != 19 || got.Same != 14 {
		t.Errorf("%+v", got)
	}
	options := a.Records[0].OptionsOriginal
	if want := (14 + 5*(1-1/float64(options))) / 19; math.Abs(got.Agreement.Or(0)-want) > 1e-12 {
		t.Errorf("agreement %v, want %v", got.Agreement, want)
	}
}

func TestALetterStandsForItsOption(t *testing.T) {
	for _, c := range [][3]string{{"B", "", "B"}, {"B", "BCA", "A"}, {"A", "BCA", "C"}, {"J", "BCA", "J"}, {"", "BCA", ""}} {
		if got := option(c[0], c[1]); got != c[2] {
			t.Errorf("%s in the order %q is %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
