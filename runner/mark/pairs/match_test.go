package pairs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/mark/pairs/pairstest"
)

// texts gives a made-up run the texts of its questions, as a run of ours keeps them: in the prompt.
func texts(p pairstest.Run) pairstest.Run {
	p.Records = slices.Clone(p.Records)
	for i := range p.Records {
		r := &p.Records[i]
		r.OptionTexts = []string{"red", "green", "blue", fmt.Sprintf("hue %d", r.QuestionID/2)}
		r.Prompt = fmt.Sprintf("Question:\nWhich is colour %d?\nOptions:\nA. red\nB. green\nC. blue\nD. hue %d\nAnswer:", r.QuestionID,
			r.QuestionID/2)
	}
	return p
}

// logged is the run as another harness's log has it: of a set of its own, whose questions it counts in its own order.
func logged(p pairstest.Run) pairstest.Run {
	p = texts(p)
	h := &p.Header
	h.Style, _, _ = strings.Cut(h.Style, "@")
	h.Dataset.Name, h.Dataset.SHA256, h.Dataset.Split = "imported-log", "another", "validation"
	slices.Reverse(p.Records)
	for i := range p.Records {
		r := &p.Records[i]
		r.Question, r.Prompt = fmt.Sprintf(" Which is colour %d?\n", r.QuestionID), "[{}]"
		r.ID, r.QuestionID, r.Subject = fmt.Sprintf("mmlu_pro/%d", i), i, "colours"
	}
	return p
}

func TestALogIsComparableWithARunOfItsQuestions(t *testing.T) {
	a := texts(pairstest.MCQ("Q8_0", 40, func(q int) bool { return q >= 10 }))
	b := logged(pairstest.MCQ("Q4_K_M", 40, func(q int) bool { return q < 30 }))
	c := compared(t, Options{}, a, b, b)
	for _, p := range c.Pairs {
		if p.Items != 40 || p.RightToWrong != 10 || p.WrongToRight != 10 || p.LeftOut != 0 || len(p.Subjects) != 3 {
			t.Errorf("%d items, %d lost, %d won, %d left out", p.Items, p.RightToWrong, p.WrongToRight, p.LeftOut)
		}
		if len(p.Warnings) == 0 || !strings.Contains(p.Warnings[0], "questions were matched by their texts and options") {
			t.Errorf("warnings %q", p.Warnings)
		}
	}
	other := logged(pairstest.MCQ("Q6_K", 40, func(q int) bool { return q < 30 }))
	other.Header.Dataset.SHA256 = "a third"
	slices.Reverse(other.Records) // its ids stay as they are
	if p := compared(t, Options{}, b, other).Pairs[0]; p.Items != 40 || p.Flips.Or(1) != 0 {
		t.Errorf("of two logs: %d items, flips %v", p.Items, p.Flips)
	}
}

func TestOnlyTheSameQuestionsAreMatched(t *testing.T) {
	all := func(int) bool { return true }
	for name, test := range map[string]struct {
		change func(b *pairstest.Run)
		items  int
		want   string
	}{
		"more questions":               {func(b *pairstest.Run) { *b = logged(pairstest.MCQ("Q4_K_M", 44, all)) }, 40, "40 of 40 shared and 40 of 44"},
		"another text":                 {func(b *pairstest.Run) { b.Records[3].Question = "Which is it?" }, 39, "39 of 40 shared and 39 of 40"},
		"another option":               {func(b *pairstest.Run) { b.Records[3].OptionTexts[3] = "grey" }, 39, "39 of 40 shared and 39 of 40"},
		"another order of the options": {func(b *pairstest.Run) { slices.Reverse(b.Records[3].OptionTexts) }, 39, "39 of 40"},
		"no texts, so that ids decide": {func(b *pairstest.Run) {
			*b = pairstest.MCQ("Q4_K_M", 40, all)
			b.Header.Dataset.SHA256 = "another"
		}, 40, "dataset.sha256 (abababab"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := texts(pairstest.MCQ("Q8_0", 40, all)), logged(pairstest.MCQ("Q4_K_M", 40, all))
			test.change(&b)
			paths := []string{a.Write(t, "a"), b.Write(t, "b")}
			_, err := Of(paths, Options{})
			assert.ErrorContains(t, err, test.want)
			c, err := Of(paths, Options{Force: true})
			assert.NilError(t, err)
			if p := c.Pairs[0]; p.Items != test.items || p.Flips.Or(1) != 0 {
				t.Errorf("%d items, flips %v, warnings %q", p.Items, p.Flips, p.Warnings)
			}
		})
	}
}

// Twins are questions that a set has twice, and items that a run asked several times.
func TestTwinsAreMatchedOneByOne(t *testing.T) {
	knows := func(int) bool { return true }
	twins := func(p pairstest.Run) pairstest.Run {
		for i := range p.Records {
			p.Records[i].Question, p.Records[i].OptionTexts, p.Records[i].Gold = "Which?", []string{"1", "2", "3", "4"}, "A"
			p.Records[i].Text = "the answer is (A)"
		}
		return p
	}
	a := twins(texts(pairstest.MCQ("Q8_0", 6, knows)))
	if p := compared(t, Options{}, a, twins(logged(pairstest.MCQ("Q4_K_M", 6, knows)))).Pairs[0]; p.Items != 6 || p.LeftOut != 0 {
		t.Errorf("%d items, %d left out", p.Items, p.LeftOut)
	}
	a, b := texts(pairstest.MCQ("Q8_0", 6, knows).Again(3, nil)), texts(pairstest.MCQ("Q4_K_M", 6, knows).Again(3, nil))
	b.Header.Dataset.SHA256 = "another"
	if p := compared(t, Options{}, a, b).Pairs[0]; p.Items != 18 || p.Questions != 6 {
		t.Errorf("%d items of %d questions", p.Items, p.Questions)
	}
}
