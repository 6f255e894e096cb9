package compare

import (
	"bytes"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/runner/journal"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
)

// differingRuns are two runs of 40 questions: A knows 30, B loses 4 of them and wins 2; one item failed, and one text is hostile.
func differingRuns() (a, b pairstest.Run) {
	a, b = pairstest.MCQ("Q8_0", 40, func(q int) bool { return q < 30 }), pairstest.MCQ("Q4_K_M", 40, func(q int) bool { return q >= 4 && q < 32 })
	for _, run := range []pairstest.Run{a, b} {
		for i := range run.Records {
			run.Records[i].OptionTexts = []string{" one", "two", "three", "four"}
		}
	}
	b.Records[0].Text = "I can't say \x1b[2J\u202e."
	b.Records[35].Finish, b.Records[35].Error = "error", "it failed"
	return a, b
}

func TestGoldenFlips(t *testing.T) {
	a, b := differingRuns()
	paths := []string{a.Write(t, "a"), b.Write(t, "b")}
	for name, text := range map[string]bool{"flips": false, "flips-text": true} {
		flips, err := FlipsOf(paths, pairs.Options{}, text)
		assert.NilError(t, err)
		for _, format := range FlipFormats {
			var out bytes.Buffer
			assert.NilError(t, format.Write(&out, flips))
			golden.Assert(t, out.String(), name+format.Ext)
		}
	}
}

func TestFlipsAreThoseThatAComparisonCounts(t *testing.T) {
	a, b := differingRuns()
	third := pairstest.MCQ("F16", 40, func(q int) bool { return q%2 == 0 })
	paths := []string{a.Write(t, "a"), b.Write(t, "b"), third.Write(t, "c")}
	flips, err := FlipsOf(paths, pairs.Options{}, false)
	assert.NilError(t, err)
	c, err := pairs.Of(paths, pairs.Options{})
	assert.NilError(t, err)
	for i, pair := range c.Pairs {
		got := flips.Pairs[i]
		if got.A != pair.A || got.B != pair.B || got.Items != pair.Items || got.RightToWrong != pair.RightToWrong ||
			got.WrongToRight != pair.WrongToRight || len(got.Flips) != pair.RightToWrong+pair.WrongToRight {
			t.Errorf("%s → %s: %d and %d of %d, the comparison has %d and %d of %d", got.A, got.B, got.RightToWrong, got.WrongToRight,
				got.Items, pair.RightToWrong, pair.WrongToRight, pair.Items)
		}
		for n, flip := range got.Flips {
			assert.Check(t, (flip.Change == rightToWrong) == (n < got.RightToWrong) && (flip.A.Tag == "") == (flip.Change == rightToWrong),
				"flip %d is %+v", n, flip)
		}
	}
}

func TestFlipsOfOtherQuestionsAreRefused(t *testing.T) {
	a, b := differingRuns()
	b.Records = append([]journal.Record(nil), b.Records[5:]...)
	paths := []string{a.Write(t, "a"), b.Write(t, "b")}
	_, err := FlipsOf(paths, pairs.Options{}, false)
	assert.Check(t, err != nil, "runs of other questions are compared")
	flips, err := FlipsOf(paths, pairs.Options{Force: true}, false)
	assert.Check(t, err == nil && len(flips.Warnings) != 0, "%+v, %v", flips, err)
}

func TestRunsWithoutAFlipHaveNoTableOfThem(t *testing.T) {
	a, _ := differingRuns()
	flips, err := FlipsOf([]string{a.Write(t, "a"), a.Write(t, "b")}, pairs.Options{}, false)
	assert.NilError(t, err)
	var out bytes.Buffer
	assert.NilError(t, FlipFormats[0].Write(&out, flips))
	assert.Check(t, strings.Contains(out.String(), "wrong → right 0, of 40 items") && !strings.Contains(out.String(), "subject"),
		"no flips:\n%s", out.String())
}

func TestOneFlipIsATableAndALineWithItsTextAsItIs(t *testing.T) {
	a := pairstest.MCQ("Q8_0", 40, func(q int) bool { return q < 30 })
	b := pairstest.MCQ("Q4_K_M", 40, func(q int) bool { return q < 29 })
	for i := range b.Records {
		b.Records[i].Text = "a<b & " + b.Records[i].Text
	}
	flips, err := FlipsOf([]string{a.Write(t, "a"), b.Write(t, "b")}, pairs.Options{}, true)
	assert.NilError(t, err)
	for name, want := range map[string]string{"txt": "right → wrong 1,", "jsonl": `"completion":"a<b & `} {
		var out bytes.Buffer
		for _, format := range FlipFormats {
			if format.Ext == "."+name {
				err = format.Write(&out, flips)
			}
		}
		assert.Check(t, err == nil && strings.Contains(out.String(), want), "%s: %v, want %s in\n%s", name, err, want, out.String())
	}
}

func TestAQuestionThatEitherRunHasOnlyInPartIsNotWhole(t *testing.T) {
	know := func(q, _ int) bool { return q%3 > 0 }
	whole, part := pairstest.Circular("Q8_0", 60, know), pairstest.Circular("Q4_K_M", 60, know)
	part.Records = part.Records[:len(part.Records)-1]
	for name, runs := range map[string][2]pairstest.Run{"the first": {part, whole}, "the second": {whole, part}} {
		p := compared(t, pairs.Options{Force: true}, runs[0], runs[1]).Pairs[0]
		if n := p.Table.Both + p.Table.OnlyA + p.Table.OnlyB + p.Table.Neither; n != 59 {
			t.Errorf("%s lacks an order of a question: %d whole questions, %+v", name, n, p.Table)
		}
		all := strings.Join(p.Warnings, "\n")
		assert.Check(t, strings.Contains(all, "1 item asked in one of the runs only"), "%s lacks an order: warnings %q", name, all)
	}
}
