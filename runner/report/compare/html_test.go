package compare

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/report/page/pagetest"
)

// written is the HTML of a comparison of runs, which are kept in dir.
func written(t testing.TB, dir string, o pairs.Options, runs ...pairstest.Run) (*pairs.Comparison, string) {
	t.Helper()
	var paths []string
	for i, run := range runs {
		folder := filepath.Join(dir, journaltest.Letter(i))
		assert.NilError(t, os.MkdirAll(folder, 0o755))
		path := filepath.Join(folder, journal.FileName)
		paths = append(paths, journaltest.Keep(t, path, run.Header, run.Records))
	}
	c, err := pairs.Of(paths, o)
	assert.NilError(t, err)
	var out bytes.Buffer
	assert.NilError(t, writeHTML(&out, c))
	return c, out.String()
}

// timed gives runs times, and completions that differ somewhere; the first run hits its cap now and then.
func timed(runs ...pairstest.Run) []pairstest.Run {
	for k := range runs {
		r := &runs[k]
		for i := range r.Records {
			rec := &r.Records[i]
			rec.Text = " Let us think: what is asked is " + strings.Repeat("this and ", i%5) +
				[]string{"plain", "hard", "long"}[(i+k)%3] + ". So " + rec.Text
			rec.Usage.OutputTokens = 40 + 3*(i%50) + 7*k
			rec.OptionTexts = []string{"one", "two", "three", "four"}[:rec.Options]
			rec.Prompt = "Question: which?\nAnswer: Let's think step by step."
			rec.Timing.Total = rec.Timing.Prefill + rec.Timing.Decode
			if i%(40+k) == 0 {
				rec.Finish, rec.Cause = "length", "LENGTH"
			}
		}
		r.Records = journaltest.InFlight(4, r.Records)
	}
	return runs
}

// examples are runs for every part that a comparison can have.
func examples(t testing.TB) map[string]struct {
	o    pairs.Options
	runs []pairstest.Run
} {
	both := func() []pairstest.Run {
		a, b := pairstest.Two()
		return []pairstest.Run{a, b}
	}
	three := func() []pairstest.Run {
		return timed(append([]pairstest.Run{pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })}, both()...)...)
	}
	a, b := pairstest.Two()
	type example = struct {
		o    pairs.Options
		runs []pairstest.Run
	}
	return map[string]example{
		"two":     {pairs.Options{}, timed(both()...)},
		"three":   {pairs.Options{}, three()},
		"changed": {pairs.Options{Score: scored(t, "F16", "Q8_0", "Q4_K_M")}, three()},
		"untimed": {pairs.Options{}, []pairstest.Run{pairstest.MCQ("Q8_0", 40, func(q int) bool { return q < 30 }),
			pairstest.MCQ("Q4_K_M", 40, func(q int) bool { return q < 20 })}},
		"binary": {pairs.Options{},
			timed(pairstest.Binary("Q8_0", 60, func(q, option int) bool { return option == q%4 || q%7 == 0 }),
				pairstest.Binary("Q4_K_M", 60, func(q, option int) bool { return option == q%4 && q%5 > 0 }))},
		"direct": {pairs.Options{}, []pairstest.Run{pairstest.Direct(a, 2, 1), pairstest.Direct(b, 1.9, 1)}},
		"repeats": {pairs.Options{}, []pairstest.Run{
			pairstest.MCQ("Q8_0", 60, func(int) bool { return true }).Again(3, func(q, repeat int) bool { return q%3 != 0 || repeat == q%4 }),
			pairstest.MCQ("Q4_K_M", 60, func(int) bool { return true }).Again(3, func(q, repeat int) bool { return q%4 != 0 || repeat == 2 }),
		}},
		"alike": {pairs.Options{}, []pairstest.Run{a, a}},
		"wide":  {pairs.Options{Margin: 0.02}, timed(crowd()...)},
		"crowd": {pairs.Options{Score: scored(t, crowdTypes[0], crowdTypes[1:]...)}, besideOthers(timed(crowd()...))},
	}
}

var crowdTypes = []string{"F16", "Q8_0", "Q6_K", "Q5_K_M", "Q5_K_S", "Q4_K_M", "Q4_K_S", "IQ4_XS"}

// crowd are runs of nearly the same score and speed, whose labels have little room in a drawing.
func crowd() []pairstest.Run {
	var all []pairstest.Run
	for i, name := range crowdTypes {
		all = append(all, pairstest.MCQ(name, 400, func(q int) bool { return q < 300 && q%100 != i && q%100 != 2*i }))
	}
	return all
}

// besideOthers marks the last run as slowed down by other programs.
func besideOthers(runs []pairstest.Run) []pairstest.Run {
	last := runs[len(runs)-1].Records
	for i := range last {
		last[i].Others = &journal.Others{Share: 0.5, Over: time.Second}
	}
	return runs
}

// Every figure that people read in the text is in the HTML, in the same digits.
func TestTheFiguresOfAnHTMLComparisonAreThoseOfTheText(t *testing.T) {
	for name, x := range examples(t) {
		t.Run(name, func(t *testing.T) {
			c, text := written(t, t.TempDir(), x.o, x.runs...)
			body, _, _ := strings.Cut(text, `<section id="flips"`)
			pagetest.HasAll(t, body, fullPage(c), 35)
		})
	}
}

func TestTheSameJournalsGiveTheSameHTML(t *testing.T) {
	for _, name := range []string{"three", "binary"} {
		x, first, second := examples(t)[name], t.TempDir(), t.TempDir()
		_, text := written(t, first, x.o, x.runs...)
		for i := range x.runs {
			x.runs[i].Records = journaltest.Shuffled(x.runs[i].Records)
		}
		_, again := written(t, second, x.o, x.runs...)
		assert.Check(t, strings.ReplaceAll(again, second, first) == text,
			"%s: the same lines in other files and another order differ", name)
	}
}
