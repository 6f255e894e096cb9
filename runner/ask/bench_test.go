package ask_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
	"proctor/scripts/tests/sharedtest"
)

// BenchmarkWholeRun asks a fake model MMLU-Pro and MMLU-Pro Binary, from the questions to the written
// report: render, measure, ask, journal, mark, report. It tells the seconds of each part, the largest memory, and how
// many times as long the second takes as the first, which has about a tenth of its items.
func BenchmarkWholeRun(b *testing.B) {
	set := fullSet(b)
	var first time.Duration
	for i, task := range task.All[:2] {
		b.Run(task.Name, func(b *testing.B) {
			for b.Loop() {
				forgetPeak()
				began := time.Now()
				items := wholeRun(b, set, task)
				took := time.Since(began)
				b.ReportMetric(float64(items), "items")
				b.ReportMetric(float64(peak())/(1<<20), "MB")
				if i == 0 {
					first = took
				} else if first > 0 {
					b.ReportMetric(took.Seconds()/first.Seconds(), "times-the-first")
				}
			}
		})
	}
}

func wholeRun(b *testing.B, set *dataset.Set, task task.Task) (items int) {
	style, err := prompts.LookupStyle(task.Style)
	if err != nil {
		b.Fatal(err)
	}
	part := func(name string, do func() error) {
		began := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds(), name+"-s")
	}
	var plan *ask.Plan
	part("render", func() (err error) {
		plan, err = ask.NewPlan(set, prompts.Eval{Task: task, Style: style, Shots: prompts.MaxShots}, dataset.Selection{},
			ask.Settings{RuleSet: style.Rules, MaxTokens: 2048})
		return err
	})
	model := &scripted.Model{Slots: 24, Answer: thoughtful}
	part("measure", func() error { return plan.Measure(model) })
	run := filepath.Join(b.TempDir(), "run")
	part("ask", func() error {
		info, err := model.Info(b.Context())
		if err != nil {
			return err
		}
		to, err := journal.Create(run, plan.Header(info, backends.Host{}, "bench", time.Now()))
		if err != nil {
			return err
		}
		defer to.Close()
		return plan.Run(b.Context(), model, to, &journal.Resume{}, ask.Observer{})
	})
	part("report", func() error {
		r, err := metrics.Open(run, metrics.Options{})
		if err != nil {
			return err
		}
		if r.Items != len(plan.Items) || !r.Completeness.Complete {
			return fmt.Errorf("%d items of %d", r.Items, len(plan.Items))
		}
		for _, format := range report.Formats {
			if err := format.Write(io.Discard, r); err != nil {
				return err
			}
		}
		return nil
	})
	return len(plan.Items)
}

// thoughtful is an answer of about 150 tokens of a real vocabulary.
func thoughtful(r backends.Request) string {
	return strings.Repeat(" We weigh the options one by one and look at what is said about each.", 9) + scripted.Letter(r)
}

// fullSet is the published set where it is there, else questions of the same number and size.
func fullSet(b *testing.B) *dataset.Set {
	if path, there := sharedtest.Find("data/mmlu-pro"); there {
		set, err := dataset.Open(path, dataset.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return set
	}
	set := &dataset.Set{Name: "made up", SHA256: "made up"}
	const subjects, questions, shots = 14, 12_032, 5
	for i := range subjects * shots {
		set.Validation = append(set.Validation, madeUpQuestion(i, i%subjects))
	}
	for i := range questions {
		set.Test = append(set.Test, madeUpQuestion(1000+i, i%subjects))
	}
	return set
}

func madeUpQuestion(id, subject int) dataset.Question {
	q := dataset.Question{
		ID: id, Subject: fmt.Sprintf("subject %02d", subject), Answer: string(rune('A' + id%10)), AnswerIndex: id % 10,
		Text: fmt.Sprintf("Question %d. ", id) + strings.Repeat("What follows from what was said before? ", 6),
		CoT:  "A: Let's think step by step. " + strings.Repeat("It follows. ", 20) + "The answer is (" + string(rune('A'+id%10)) + ").",
	}
	for option := range 10 {
		q.Options = append(q.Options, fmt.Sprintf("conclusion %d of %d, as one may think", option, id))
	}
	return q
}

// forgetPeak lets the largest memory be measured from now on, where the system can.
func forgetPeak() {
	runtime.GC()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // elsewhere the peak is that of the whole process
}

// peak is the largest resident memory in bytes, or what Go got from the system where that is not known.
func peak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		for line := range strings.Lines(string(status)) {
			var kilobytes int64
			if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); n == 1 {
				return kilobytes << 10
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
