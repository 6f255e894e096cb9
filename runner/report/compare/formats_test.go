package compare

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	"gotest.tools/v3/golden"

	"proctor/backends"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
	"proctor/runner/report/page/pagetest"
)

func TestGoldenComparisons(t *testing.T) {
	a, b := pairstest.Two()
	third := pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })
	many := pairstest.MCQ("Q4_K_M", 3000, func(q int) bool { return q%3 > 0 && q != 100 })
	for name, c := range map[string]*pairs.Comparison{
		"two":    compared(t, pairs.Options{}, a, b),
		"direct": compared(t, pairs.Options{}, pairstest.Direct(a, 2, 1), pairstest.Direct(b, 1.9, 1)),
		"three":  compared(t, pairs.Options{}, a, b, third),
		"enough": compared(t, pairs.Options{}, pairstest.MCQ("Q8_0", 3000, func(q int) bool { return q%3 > 0 }), many),
		"binary": compared(t, pairs.Options{}, pairstest.Binary("Q8_0", 60, func(q, option int) bool { return option == q%4 || q%7 == 0 }),
			pairstest.Binary("Q4_K_M", 60, func(q, option int) bool { return option == q%4 && q%5 > 0 })),
		"circular": compared(t, pairs.Options{}, pairstest.Circular("Q8_0", 60, func(q, _ int) bool { return q%3 > 0 }),
			pairstest.Circular("Q4_K_M", 60, func(q, rotation int) bool { return q%3 > 0 && (q < 40 || rotation != 2) })),
	} {
		assertGoldens(t, c, name)
	}
}

// assertGoldens compares all formats of a comparison with files, short and in full.
func assertGoldens(t *testing.T, c *pairs.Comparison, name string) {
	t.Helper()
	write := func(format page.Format[*pairs.Comparison], file string) {
		var out bytes.Buffer
		assert.NilError(t, format.Write(&out, c))
		golden.Assert(t, out.String(), file)
	}
	for _, format := range figures {
		write(format, name+format.Ext)
	}
	for _, format := range Full[:2] {
		write(format, name+".full"+format.Ext)
	}
}

// TestTheDefaultFitsOneScreen uses comparisons with as many lines as the defaults can have.
func TestTheDefaultFitsOneScreen(t *testing.T) {
	a, b := pairstest.Two()
	third := pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })
	a.Header.Model.FellBack, b.Header.Model.FellBack, third.Header.Model.FellBack = "0 of 211 tensors are Q8_0", "1 of 211", "2 of 211"
	b.Header.Sampling.MaxTokens, third.Header.Sampling.MaxTokens = 77, 66
	for i := range b.Records[:300] {
		b.Records[i].Finish, b.Records[i].Text = backends.FinishLength, "i can't"
	}
	notices := []string{"one is not compared", "nor is two", "nor is three", "nor is four"}
	many := []pairstest.Run{third}
	for range 5 {
		many = append(many, a)
	}
	for name, c := range map[string]*pairs.Comparison{
		"two runs":   compared(t, pairs.Options{Force: true}, a, b),
		"undecided":  compared(t, pairs.Options{}, pairstest.MCQ("Q8_0", 400, pairstest.Knows(300, 0, 0)), a),
		"many":       compared(t, pairs.Options{Force: true}, many...),
		"not valid":  compared(t, pairs.Options{Force: true}, b, a, third),
		"six others": compared(t, pairs.Options{}, append(many, a)...),
	} {
		c.Warnings = append(notices, c.Warnings...)
		var out pagetest.Screen
		assert.NilError(t, shortPage(c).Text(&out))
		t.Run(name, func(t *testing.T) { pagetest.FitsFirstScreen(t, &out, 4-max(4, len(c.Runs))) }) // a line per run
	}
}

func TestNoComparisonHoldsWhatJSONCannotSay(t *testing.T) {
	always := func(answer bool) func(int) bool { return func(int) bool { return answer } }
	for name, runs := range map[string][2]pairstest.Run{
		"one question": {pairstest.MCQ("Q8_0", 1, always(true)), pairstest.MCQ("Q4_K_M", 1, always(false))},
		"all right":    {pairstest.MCQ("Q8_0", 9, always(true)), pairstest.MCQ("Q4_K_M", 9, always(true))},
		"all wrong":    {pairstest.MCQ("Q8_0", 9, always(false)), pairstest.MCQ("Q4_K_M", 9, always(false))},
		"one binary question": {pairstest.Binary("Q8_0", 1, func(int, int) bool { return true }),
			pairstest.Binary("Q4_K_M", 1, func(int, int) bool { return false })},
		"binary, always True": {pairstest.Binary("Q8_0", 5, func(int, int) bool { return true }),
			pairstest.Binary("Q4_K_M", 5, func(int, int) bool { return false })},
		"one circular": {pairstest.Circular("Q8_0", 1, func(int, int) bool { return true }),
			pairstest.Circular("Q4_K_M", 1, func(int, int) bool { return false })},
		"circular, all right": {pairstest.Circular("Q8_0", 5, func(int, int) bool { return true }),
			pairstest.Circular("Q4_K_M", 5, func(int, int) bool { return true })},
		"models without sizes": {pairstest.MCQ("", 5, always(true)), pairstest.MCQ("", 5, func(q int) bool { return q > 0 })},
	} {
		c := compared(t, pairs.Options{}, runs[0], runs[1], runs[1])
		for _, format := range figures {
			var out bytes.Buffer
			assert.NilError(t, format.Write(&out, c), "%s as %s", name, format.Name)
			assert.Check(t, is.Equal(pagetest.Unwritable(out.Bytes()), ""), "%s as %s", name, format.Name)
		}
	}
}

// TestWhatAFileReallyHasStandsBesideItsName has a file most of whose tensors have another quantisation than its name says.
func TestWhatAFileReallyHasStandsBesideItsName(t *testing.T) {
	a, b := pairstest.MCQ("F16", 82, pairstest.Knows(52, 0, 0)), pairstest.MCQ("Q4_K_M", 82, pairstest.Knows(62, 0, 2))
	b.Header.Model.FellBack = "15 of 211 tensors are Q4_K: Q5_0 166 (rows of 576 are no multiple of 256); 6.17 bits a weight"
	c, browser := written(t, t.TempDir(), pairs.Options{}, a, b)
	var screen, full strings.Builder
	assert.NilError(t, errors.Join(shortPage(c).Text(&screen), fullPage(c).Text(&full)))
	for name, text := range map[string]string{"the screen": screen.String(), "all": full.String(), "a browser": browser} {
		wanted := []string{"Q4_K_M: " + b.Header.Model.FellBack, "bits/weight", "16.00", "4.80"}
		if name == "the screen" { // the sentence has the bits, for which the table may lack room
			wanted = wanted[:1]
		}
		for _, want := range wanted {
			assert.Check(t, strings.Contains(text, want), "%s lacks %q", name, want)
		}
	}
}

// TestSubjectsHaveTheComparisonsConfidence has a subject with a p between 1 and 5 %.
func TestSubjectsHaveTheComparisonsConfidence(t *testing.T) {
	a, b := pairstest.MCQ("Q8_0", 82, pairstest.Knows(52, 0, 0)), pairstest.MCQ("Q4_K_M", 82, pairstest.Knows(62, 0, 2))
	for i := range a.Records {
		a.Records[i].Subject, b.Records[i].Subject = "law", "law"
	}
	for confidence, above := range map[float64]bool{0.95: true, 0.99: false} {
		c := compared(t, pairs.Options{Confidence: confidence}, a, b)
		p := &c.Pairs[0]
		row := subjectDrawing(p, c).(html.Strips).Rows[0]
		assert.Check(t, row.Name == "law" && row.Interval.Confidence == confidence && (row.Interval.Low > 0) == above &&
			(p.CI.Low > 0) == above, "%g: %+v", confidence, row)
	}
}

// figures are the formats that hold figures alone: an HTML comparison reads its journals again, and has tests of its own.
var figures = slices.DeleteFunc(slices.Clone(Formats), func(f page.Format[*pairs.Comparison]) bool { return f.Name == "html" })

// compared compares runs, which it calls a, b, c … on disk.
func compared(t testing.TB, o pairs.Options, runs ...pairstest.Run) *pairs.Comparison {
	t.Helper()
	var paths []string
	for i, p := range runs {
		paths = append(paths, p.Write(t, journaltest.Letter(i)))
	}
	c, err := pairs.Of(paths, o)
	assert.NilError(t, err)
	for i := range c.Runs { // goldens must not name temporary folders
		c.Runs[i].Path = filepath.Base(c.Runs[i].Path)
	}
	return c
}

// scored reads what pairstest.Score writes.
func scored(t testing.TB, reference string, models ...string) *divergence.Score {
	t.Helper()
	score, err := divergence.Read("score.json", strings.NewReader(pairstest.Score(reference, models...)))
	assert.NilError(t, err)
	return score
}

func TestGoldenComparisonsWithAScore(t *testing.T) {
	a, b := pairstest.Two()
	third := pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })
	scores := scored(t, "F16", "Q8_0", "Q4_K_M")
	for name, c := range map[string]*pairs.Comparison{
		"changed":       compared(t, pairs.Options{Score: scores}, a, b),
		"changed-three": compared(t, pairs.Options{Score: scores}, third, a, b),
	} {
		assertGoldens(t, c, name)
	}
}

// The models come with the largest divergence first, then with the smallest: runs keep the given order both times.
func TestRunsAreNotRankedByTheirDivergence(t *testing.T) {
	a, b := pairstest.Two()
	third := pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })
	for _, models := range [][]string{{"Q8_0", "Q4_K_M"}, {"Q4_K_M", "Q8_0"}} {
		c := compared(t, pairs.Options{Score: scored(t, "F16", models...)}, third, b, a)
		var out bytes.Buffer
		assert.NilError(t, fullPage(c).Text(&out))
		table := out.String()[strings.Index(out.String(), "Amount and direction of change"):]
		if strings.Index(table, "Q4_K_M ") > strings.Index(table, "Q8_0 ") || !strings.Contains(out.String(), "not ranked by them") {
			t.Errorf("%v:\n%s", models, out.String())
		}
	}
}
