package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/metrics"
)

func TestAccuracyCountsNoAnswerAsWrongAndLeavesErrorsOut(t *testing.T) {
	h, records := mcqRun(20, func(q, _ int, gold string) answer {
		switch {
		case q < 2:
			return answer{failed: backends.CauseConnection}
		case q < 5:
			return answer{}
		case q < 14:
			return answer{letter: gold}
		}
		return answer{letter: "A", capped: q == 19}
	})
	r := mustBuild(t, h, records, metrics.Options{})
	right := 0
	for q := 5; q < 20; q++ {
		if q < 14 || records[q].Gold == "A" {
			right++
		}
	}
	near(t, "accuracy", r.Accuracy, float64(right)/18)
	near(t, "score", r.Score, float64(right)/18)
	near(t, "accuracy_answered", r.AccuracyAnswered, float64(right)/15)
	if r.FailureCounts["ADAPTER_ERROR"] != 2 || r.FailureCounts["NO_ANSWER"] != 3 || r.FailureCounts["WRONG_ANSWER"] != 15-right {
		t.Errorf("failure counts %v", r.FailureCounts)
	}
	if r.CapHits != 1 || r.Causes["CONNECTION"] != 2 {
		t.Errorf("cap hits %d, causes %v", r.CapHits, r.Causes)
	}
}

func TestExpectedBaselineIsTheMeanOfOneOverOptions(t *testing.T) {
	h, records := mcqRun(8, func(int, int, string) answer { return answer{letter: "A"} })
	sum, options := 0.0, 0
	for _, r := range records {
		sum += 1 / float64(r.Options)
		options += r.Options
	}
	r := mustBuild(t, h, records, metrics.Options{})
	near(t, "expected", r.Baseline.Expected, sum/8)
	if math.Abs(sum/8-8/float64(options)) < 1e-3 {
		t.Fatal("the questions do not tell the mean of 1/options from 1/mean")
	}
	acc := r.Accuracy.Or(-1)
	near(t, "chance-corrected", r.ChanceCorrected, (acc-sum/8)/(1-sum/8))
}

func TestGuessingIsToldFromKnowing(t *testing.T) {
	// P(all of three with 3, 4 and 7 options) by chance.
	h, records := mcqRun(3, func(_, _ int, gold string) answer { return answer{letter: gold} })
	r := mustBuild(t, h, records, metrics.Options{})
	near(t, "p", r.Baseline.PValue, 1.0/3/4/7)
	if r.Baseline.Better == nil || !*r.Baseline.Better {
		t.Error("three of three, p = 0.012, is not called better than guessing")
	}
	if strict := mustBuild(t, h, records, metrics.Options{Confidence: 0.99}); *strict.Baseline.Better {
		t.Error("p = 0.012 is called better than guessing at 99 %")
	}
}

func TestHolmIsOverTheSubjectsAsked(t *testing.T) {
	h, records := mcqRun(30, func(q, _ int, gold string) answer {
		if q%3 == 0 || q%7 == 0 {
			return answer{letter: gold}
		}
		return answer{}
	})
	r := mustBuild(t, h, records, metrics.Options{})
	if len(r.Subjects) != 3 {
		t.Fatalf("%d subjects", len(r.Subjects))
	}
	near(t, "the best of three", r.Subjects[0].PAdjusted, math.Min(1, 3*r.Subjects[0].PValue.Or(9)))
}

func TestAStratifiedSampleIsReweighted(t *testing.T) {
	h, records := mcqRun(30, func(q, _ int, gold string) answer {
		if q%3 == 0 || q < 15 {
			return answer{letter: gold} // biology all right, the others half
		}
		return answer{}
	})
	h.Selection.Population = map[string]int{"biology": 100, "law": 300, "math": 600}
	r := mustBuild(t, h, records, metrics.Options{})
	near(t, "whole set", r.Stratified.Accuracy, 0.1*1+0.3*0.5+0.6*0.5)
	h.Selection.First = true
	if mustBuild(t, h, records, metrics.Options{}).Stratified != nil {
		t.Error("the first questions are taken for a stratified sample")
	}
	h.Selection.First, h.Selection.Subjects = false, []string{"biology", "law", "math"}
	h.Selection.Population["history"] = 50
	if got := mustBuild(t, h, records, metrics.Options{}).About(metrics.AboutAccuracy); len(got) != 0 {
		t.Errorf("a subject that was not wanted is missed: %q", got)
	}
}

func TestWhatAReaderMustKnowFirstIsAtTheTop(t *testing.T) {
	h, records := mcqRun(10, func(q, _ int, gold string) answer {
		if q == 3 {
			return answer{failed: backends.CauseTimeout}
		}
		return answer{letter: gold}
	})
	h.Selection.Items = 14
	var out bytes.Buffer
	if err := pageOf(mustBuild(t, h, records, metrics.Options{})).Text(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{
		"MMLU-Pro · tiny Q4_K_M · 10 questions",
		"! bundled sample: not MMLU-Pro; for trying out only",
		"! incomplete: 9 of 14 items have a completion, 1 failed, 4 not asked yet; run it again with --resume",
	} {
		if lines[i] != want {
			t.Errorf("line %d: %q, want %q", i+1, lines[i], want)
		}
	}
	h.Dataset.Name, h.Selection.Items = "mmlu-pro", 9
	whole := mustBuild(t, h, append(records[:3:3], records[4:]...), metrics.Options{})
	if len(whole.About(metrics.AboutRun)) != 0 || !whole.Completeness.Complete {
		t.Errorf("a whole run of the real set has notices: %q", whole.About(metrics.AboutRun))
	}
}

func TestTheWarningOfTheCap(t *testing.T) {
	runs := func(capped int) *metrics.Summary {
		h, records := mcqRun(100, func(q, _ int, gold string) answer { return answer{letter: gold, capped: q < capped} })
		return mustBuild(t, h, records, metrics.Options{})
	}
	if got := runs(2).About(metrics.AboutFailures); len(got) != 0 {
		t.Errorf("2 %% cap hits warn: %q", got)
	}
	if got := runs(3).About(metrics.AboutFailures); len(got) != 1 || !strings.Contains(got[0], "3.00 %") {
		t.Errorf("3 %% cap hits: %q", got)
	}
}

func TestAnotherRuleSetTakesTheHeadline(t *testing.T) {
	h, records := mcqRun(12, func(_, _ int, gold string) answer { return answer{letter: gold} })
	for i := range records {
		records[i].Text = "Answer: " + records[i].Gold // tiger reads this, tiger-strict doesn't
	}
	own := mustBuild(t, h, records, metrics.Options{})
	strict := mustBuild(t, h, records, metrics.Options{RuleSet: "tiger-strict"})
	near(t, "tiger", own.Accuracy, 1)
	near(t, "tiger-strict", strict.Accuracy, 0)
	near(t, "tiger beside tiger-strict", strict.Rules["tiger"].Accuracy, 1)
	if own.RuleOrder[0] != "tiger" || strict.RuleOrder[0] != "tiger-strict" || len(own.RuleOrder) != len(strict.RuleOrder) {
		t.Errorf("orders %v and %v", own.RuleOrder, strict.RuleOrder)
	}
}

func TestOptionsThatDoNotGoWithTheRunAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		task    string
		options metrics.Options
		want    string
	}{
		"an unknown rule set":            {"mmlu_pro", metrics.Options{RuleSet: "guess"}, `no rule set "guess"`},
		"a rule set of another task":     {"mmlu_pro", metrics.Options{RuleSet: "binary"}, "not for task mmlu_pro; tiger-strict"},
		"a confidence above 1":           {"mmlu_pro", metrics.Options{Confidence: 95}, "not between 0 and 1"},
		"a confidence that is no number": {"mmlu_pro", metrics.Options{Confidence: math.NaN()}, "not between 0 and 1"},
		"an unknown task":                {"mmlu_redux", metrics.Options{}, `"mmlu_redux" is not known`},
	} {
		h := headerOf(test.task)
		if _, err := build(&h, stream(nil), test.options); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
}

func TestAnErrorAmongTheRecordsIsTheReports(t *testing.T) {
	h, records := mcqRun(3, func(int, int, string) answer { return answer{} })
	broken := errors.New("line 3 is broken")
	_, err := build(&h, func(yield func(journal.Record, error) bool) {
		if yield(records[0], nil) {
			yield(journal.Record{}, broken)
		}
	}, metrics.Options{})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestAReportIsMadeFromAJournalOnDisk(t *testing.T) {
	h, records := exampleRuns()["mcq"]()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	writer, err := journal.Create(path, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range shuffled(records) {
		if err := writer.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	fromDisk, err := metrics.Open(path, metrics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	inMemory := mustBuild(t, h, records, metrics.Options{})
	inMemory.Run.Fingerprint = fromDisk.Run.Fingerprint // the writer sets it
	var a, b bytes.Buffer
	for _, format := range Formats {
		a.Reset()
		b.Reset()
		if err := errors.Join(format.Write(&a, fromDisk), format.Write(&b, inMemory)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s differs between disk and memory", format.Name)
		}
	}
	if _, err := metrics.Open(filepath.Join(t.TempDir(), "nothing"), metrics.Options{}); err == nil {
		t.Error("a run that is not there has a report")
	}
}

func TestAFailingWriterIsReported(t *testing.T) {
	h, records := exampleRuns()["binary"]()
	r := mustBuild(t, h, records, metrics.Options{})
	for _, format := range Formats {
		if err := format.Write(full{}, r); err == nil {
			t.Errorf("%s: a full disk goes unnoticed", format.Name)
		}
	}
	if _, err := Formats.Named("pdf"); err == nil || !strings.Contains(err.Error(), "text, markdown, json, csv") {
		t.Errorf("an unknown format: %v", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func BenchmarkBinaryRunOfTheFullSet(b *testing.B) {
	h := headerOf("mmlu_pro_binary")
	path := filepath.Join(b.TempDir(), "journal.jsonl")
	writer, err := journal.Create(path, h)
	if err != nil {
		b.Fatal(err)
	}
	thoughts := strings.Repeat("Step by step, it follows from the above. ", 20)
	for q, left := 0, 113_992; left > 0; q++ {
		options := min(10, left)
		left -= options
		for option := range options {
			gold := map[bool]string{true: "A", false: "B"}[option == q%options]
			r := recordOf(&h, q, fmt.Sprintf("subject %d", q%14), letterN(option), 2, gold, answer{letter: map[bool]string{true: "A", false: "B"}[(q+option)%9 == 0]})
			r.OptionsOriginal, r.Text, r.Prompt = options, thoughts+r.Text, thoughts
			if err := writer.Append(r); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := writer.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := metrics.Open(path, metrics.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := pageOf(r).Text(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
