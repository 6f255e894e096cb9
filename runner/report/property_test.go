package report

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page/pagetest"
)

// edgeRuns are runs of all tasks at the limits of what can be computed.
func edgeRuns() map[string]func() (journal.Header, []journal.Record) {
	says := map[string]journaltest.Answer{
		"all errors":    {Failed: backends.CauseTimeout},
		"all truncated": {Failed: backends.CauseTruncated},
		"no answers":    {},
		"all capped":    {Capped: true},
		"always A":      {Letter: "A"},
		"always B":      {Letter: "B"},
		"beyond":        {Letter: "J"},
		"all right":     {Letter: "gold"},
	}
	runs := map[string]func() (journal.Header, []journal.Record){}
	for name, say := range says {
		saying := func(gold string) journaltest.Answer {
			if say.Letter == "gold" {
				return journaltest.Answer{Letter: gold}
			}
			return say
		}
		for _, count := range []int{0, 1, 2, 3, 30} {
			runs[fmt.Sprintf("mcq, %d questions, %s", count, name)] = func() (journal.Header, []journal.Record) {
				return journaltest.MCQ(count, func(_, _ int, gold string) journaltest.Answer { return saying(gold) })
			}
			runs[fmt.Sprintf("binary, %d questions, %s", count, name)] = func() (journal.Header, []journal.Record) {
				return journaltest.Binary(count, func(_, option, gold int) journaltest.Answer {
					if option == gold {
						return saying("A")
					}
					return saying("B")
				})
			}
			for _, pattern := range []string{"circular", "all_possible"} {
				for _, options := range []int{1, 4} {
					runs[fmt.Sprintf("%s, %d questions of %d options, %s", pattern, count, options, name)] = func() (journal.Header,
						[]journal.Record) {
						h := journaltest.Header("mmlu_pro_circular")
						h.Pattern = pattern
						return journaltest.Circular(h, make([]int, count), func(int) []string { return journaltest.Rotations(options) },
							func(_ int, _ string, gold string) journaltest.Answer { return saying(gold) })
					}
				}
			}
		}
	}
	runs["mcq, one option each"] = func() (journal.Header, []journal.Record) {
		h, records := journaltest.MCQ(5, func(int, int, string) journaltest.Answer { return journaltest.Answer{Letter: "A"} })
		for i := range records {
			records[i].Options, records[i].Gold = 1, "A"
		}
		return h, records
	}
	runs["mcq, one subject"] = func() (journal.Header, []journal.Record) {
		h, records := journaltest.MCQ(9, func(q, _ int, gold string) journaltest.Answer {
			return journaltest.Answer{Letter: journaltest.Letter(q % 3)}
		})
		for i := range records {
			records[i].Subject = "math"
		}
		return h, records
	}
	runs["binary, 4 questions, now right, now wrong"] = func() (journal.Header, []journal.Record) {
		return journaltest.Binary(4, func(q, option, gold int) journaltest.Answer {
			return journaltest.Answer{Letter: map[bool]string{true: "A", false: "B"}[(option == gold) == (q < 1)]}
		})
	}
	for name, spoil := range map[string]func(r *journal.Record){
		"as they are": func(*journal.Record) {},
		"all failed": func(r *journal.Record) {
			r.Finish, r.Cause, r.Error = backends.FinishError, backends.CauseTimeout, "late"
		},
		"without tokens":   func(r *journal.Record) { r.Usage = backends.Usage{} },
		"without output":   func(r *journal.Record) { r.Usage.OutputTokens, r.Timing.Decode = 0, 0 },
		"without prefill":  func(r *journal.Record) { r.Timing.Prefill = 0 },
		"for no time":      func(r *journal.Record) { r.Timing.Total = 0 },
		"for a nanosecond": func(r *journal.Record) { r.Timing.Total = 1 },
		"with late tokens": func(r *journal.Record) { r.Timing.FirstToken = 9 * r.Timing.Total },
	} {
		for _, slots := range []int{1, 16} {
			runs[fmt.Sprintf("mcq, %d in flight, %s", slots, name)] = func() (journal.Header, []journal.Record) {
				h, records := journaltest.MCQ(20, func(_, _ int,
					gold string) journaltest.Answer {
					return journaltest.Answer{Letter: gold}
				})
				records = journaltest.InFlight(slots, records)
				for i := range records {
					spoil(&records[i])
				}
				return h, records
			}
		}
	}
	return runs
}

func TestNoReportHoldsNaNOrInfinityOrNegativeZero(t *testing.T) {
	for name, run := range allEdges() {
		h, records := run()
		writable(t, name, mustBuild(t, h, records, metrics.Options{}))
	}
	h, records := journaltest.MCQ(2, func(int, int, string) journaltest.Answer { return journaltest.Answer{} })
	run, err := results.Open(journaltest.Keep(t, t.TempDir(), h, records), "")
	assert.NilError(t, err)
	run.Header.Model.BitsPerWeight, run.Header.Sampling.Temperature, run.Header.Sampling.TopP = math.NaN(),
		math.Copysign(0, -1), math.Inf(1)
	r, err := metrics.Of(run, metrics.Options{})
	assert.NilError(t, err)
	writable(t, "a header with numbers that JSON lacks", r)
	for _, bad := range []string{`"x": NaN`, `x -Inf y`, "a,-0", " -0.00 %", `:-0,`} {
		assert.Check(t, pagetest.Unwritable([]byte(bad)) != "", "the test's own pattern misses %q", bad)
	}
}

// writable has a report written in all formats, without a number that is none.
func writable(t *testing.T, name string, r *metrics.Summary) {
	t.Helper()
	for _, format := range Formats {
		var out bytes.Buffer
		assert.NilError(t, format.Write(&out, r), "%s as %s", name, format.Name)
		found := pagetest.Unwritable(out.Bytes())
		assert.Check(t, found == "", "%s as %s: …%s…", name, format.Name, found)
	}
}

func TestSharesLieBetweenZeroAndOneAndInsideTheirIntervals(t *testing.T) {
	for name, run := range allEdges() {
		h, records := run()
		r := mustBuild(t, h, records, metrics.Options{})
		figures := []metrics.Figures{}
		for _, s := range r.Subjects {
			figures = append(figures, s.Figures)
		}
		for _, rule := range r.Rules {
			figures = append(figures, rule.Figures)
		}
		for _, f := range figures {
			if x, defined := f.Accuracy.Get(); defined && (x < 0 || x > 1 || !f.CI.IsZero() && !f.CI.Contains(x)) {
				t.Errorf("%s: accuracy %v, interval %+v", name, x, f.CI)
			}
			if p, defined := f.PValue.Get(); defined && (p < 0 || p > 1) {
				t.Errorf("%s: p = %v", name, p)
			}
		}
		for _, i := range []stats.Interval{r.MacroCI, r.Headline.CI, r.AnsweredCI, macroOf(r)} {
			if !i.IsZero() && !(0 <= i.Low && i.Low <= i.High && i.High <= 1) {
				t.Errorf("%s: interval %+v of a share", name, i)
			}
		}
		if x, defined := r.Headline.Value.Get(); defined && !r.Headline.CI.IsZero() && !r.Headline.CI.Contains(x) {
			t.Errorf("%s: headline %+v", name, r.Headline)
		}
		failed := 0
		for _, n := range r.FailureCounts {
			failed += n
		}
		assert.Check(t, failed+r.Correct == r.Items, "%s: %d failures and %d right are not the %d items", name, failed, r.Correct, r.Items)
	}
}

// macroOf is the interval of the mean over subjects of a task's own figure.
func macroOf(r *metrics.Summary) stats.Interval {
	switch {
	case r.Binary != nil:
		return r.Binary.MacroCI
	case r.Circular != nil:
		return r.Circular.MacroPerfCI
	}
	return r.MacroCI
}

func TestShufflingAJournalChangesNoByte(t *testing.T) {
	for name, run := range journaltest.Examples() {
		h, records := run()
		records = append(records, retried(records)...)
		for _, format := range Formats {
			var straight, mixed bytes.Buffer
			assert.NilError(t, format.Write(&straight, mustBuild(t, h, records, metrics.Options{})))
			assert.NilError(t, format.Write(&mixed, mustBuild(t, h, journaltest.Shuffled(records), metrics.Options{})))
			assert.Check(t, bytes.Equal(straight.Bytes(), mixed.Bytes()), "%s as %s depends on the order of the lines", name, format.Name)
		}
	}
}

// retried are later lines for the failed items: the first one fails again, the others succeed.
func retried(records []journal.Record) []journal.Record {
	var again []journal.Record
	for _, r := range records {
		if !r.Failed() {
			continue
		}
		r.Attempt = 2
		if len(again) == 0 {
			r.Cause = backends.CauseConnection
		} else {
			r.Finish, r.Cause, r.Text = backends.FinishStop, "", "the answer is (A)"
		}
		again = append(again, r)
	}
	return again
}

func repeatedEdges() map[string]func() (journal.Header, []journal.Record) {
	runs := map[string]func() (journal.Header, []journal.Record){}
	for name, run := range edgeRuns() {
		runs[name+", three times"] = func() (journal.Header, []journal.Record) {
			h, records := run()
			return journaltest.Again(h, records, 3, nil)
		}
	}
	return runs
}

func allEdges() map[string]func() (journal.Header, []journal.Record) {
	runs := repeatedEdges()
	maps.Copy(runs, edgeRuns())
	return runs
}
