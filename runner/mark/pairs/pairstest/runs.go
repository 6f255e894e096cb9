// Package pairstest makes up runs to compare, for tests.
package pairstest

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/stats"
)

// A Run is a made-up run.
type Run struct {
	Header  journal.Header
	Records []journal.Record
}

// MCQ makes a run of count questions in three subjects; right says which of them the model knows.
func MCQ(quantization string, count int, right func(q int) bool) Run {
	p := Run{Header: journaltest.Header("mmlu_pro")}
	h := &p.Header
	h.History[0].Created = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	h.Dataset.Name, h.Dataset.Published, h.Dataset.Rows = "mmlu-pro", "TIGER-Lab/MMLU-Pro", 12032
	h.Model = backends.ModelInfo{
		Ref: quantization + ".gguf", Name: "tiny", Architecture: "llama", Quantization: quantization,
		SizeBytes: sizes[quantization], BitsPerWeight: 8 * float64(sizes[quantization]) / (100 << 20), FileSHA256: quantization,
	}
	h.Selection = journal.Selection{Limit: count, Items: count, Questions: count}
	for q := range count {
		gold := journaltest.Letter(q % 4)
		letter := gold
		if !right(q) {
			letter = journaltest.Letter((q + 1) % 4)
		}
		p.Records = append(p.Records, p.record(q, "", 4, gold, letter))
	}
	return p
}

var sizes = map[string]int64{"F16": 200 << 20, "Q8_0": 107 << 20, "Q6_K": 82 << 20, "Q5_K_M": 71 << 20, "Q5_K_S": 69 << 20,
	"Q4_K_M": 60 << 20, "Q4_K_S": 57 << 20, "IQ4_XS": 54 << 20}

// Subjects are the subjects of every run's questions, in turn.
var Subjects = []string{"biology", "law", "math"}

func (p *Run) record(q int, variant string, options int, gold, letter string) journal.Record {
	r := journal.Record{
		ID: fmt.Sprintf("%s/%d", p.Header.Task, q), QuestionID: q, Subject: Subjects[q%3], Variant: variant, Options: options, Gold: gold,
		Text: "the answer is (" + letter + ")", Finish: backends.FinishStop, Attempt: 1,
		Usage: backends.Usage{PromptTokens: 1200, ReusedTokens: 1000, OutputTokens: 50},
		Timing: backends.Timing{
			Prefill:    time.Duration(sizes[p.Header.Model.Quantization]>>20+int64(q%11)) * time.Millisecond / 2,
			Decode:     time.Duration(sizes[p.Header.Model.Quantization]>>20+int64(q%13)) * time.Millisecond,
			FirstToken: time.Duration(100+q%17) * time.Millisecond,
		},
	}
	if variant != "" {
		r.ID += "/" + variant
	}
	return r
}

// Binary is a run of MMLU-Pro Binary over questions of four options; says gives the answer to an option, gold being option q%4.
func Binary(quantization string, count int, says func(q, option int) bool) Run {
	p := MCQ(quantization, 0, nil)
	p.Header.Task, p.Header.Style, p.Header.RuleSet = "mmlu_pro_binary", "binary@1", "binary"
	for q := range count {
		for option := range 4 {
			gold := map[bool]string{true: "A", false: "B"}[option == q%4]
			letter := map[bool]string{true: "A", false: "B"}[says(q, option)]
			r := p.record(q, journaltest.Letter(option), 2, gold, letter)
			r.OptionsOriginal = 4
			p.Records = append(p.Records, r)
		}
	}
	p.Header.Selection.Items, p.Header.Selection.Questions = len(p.Records), count
	return p
}

// Circular is a run of CircularEval over rotations of four options, the gold one first; right says which are known.
func Circular(quantization string, count int, right func(q, rotation int) bool) Run {
	p := MCQ(quantization, 0, nil)
	p.Header.Task, p.Header.Pattern = "mmlu_pro_circular", "circular"
	for q := range count {
		for rotation, pattern := range []string{"ABCD", "BCDA", "CDAB", "DABC"} {
			letter := pattern[:1]
			if !right(q, rotation) {
				letter = pattern[1:2]
			}
			p.Records = append(p.Records, p.record(q, pattern, 4, pattern[:1], letter))
		}
	}
	p.Header.Selection.Items, p.Header.Selection.Questions = len(p.Records), count
	return p
}

// Two are runs of 400 questions: A knows 300; B loses 12 of them and wins 5.
func Two() (Run, Run) {
	return MCQ("Q8_0", 400, func(q int) bool { return q < 300 }),
		MCQ("Q4_K_M", 400, func(q int) bool { return q >= 12 && q < 305 })
}

// Direct makes a run direct; its letters are the more certain the higher sharpness is.
func Direct(r Run, sharpness float64, seed uint64) Run {
	header, records := journaltest.Direct(r.Header, slices.Clone(r.Records), sharpness, seed)
	return Run{Header: header, Records: records}
}

// Again has every item asked times times; right says which are right in which repeat, nil that all are answered alike.
func (p Run) Again(times int, right func(q, repeat int) bool) Run {
	q := -1
	p.Header, p.Records = journaltest.Again(p.Header, p.Records, times, func(repeat int, r *journal.Record) {
		if repeat == 1 {
			q++
		}
		if right == nil {
			return
		}
		letter := r.Gold
		if !right(q, repeat) {
			letter = journaltest.Letter(int(r.Gold[0]-'A'+1) % 4)
		}
		r.Text = "the answer is (" + letter + ")"
	})
	return p
}

// Write puts a Run on disk and returns its journal's path.
func (p Run) Write(t testing.TB, name string) string {
	t.Helper()
	var ids []string
	for _, r := range p.Records {
		ids = append(ids, r.ID)
	}
	p.Header.Selection.IDsSHA256 = journal.DigestIDs(ids)
	return journaltest.Keep(t, filepath.Join(t.TempDir(), name+".jsonl"), p.Header, p.Records)
}

// Score is the output of score for models against a reference, all named by their quantisations.
func Score(reference string, models ...string) string {
	var all []string
	for i, model := range models {
		x := 0.001 * math.Pow(10, float64(i))
		all = append(all, fmt.Sprintf(`{"model": {"ref": "%s.gguf", "file_sha256": %q}, "kld_method": "lower_bound",
			"tokens": 20000, "questions": 400, "mean_kld": %g, "p99_kld": %g,
			"mean_kld_ci": {"low": %g, "high": %g, "confidence": 0.95, "method": "cluster t"},
			"same_top": %g, "same_top_ci": {"low": 0.9, "high": 1, "confidence": 0.95, "method": "cluster t"}, "by_item": []}`,
			model, model, x, 20*x, 0.8*x, 1.2*x, 1-2*x))
	}
	return fmt.Sprintf(`{"against": "runs/f16", "task": "mmlu_pro", "reference": {"ref": "%s.gguf", "file_sha256": %q}, "models": [%s]}`,
		reference, reference, strings.Join(all, ", "))
}

// Near fails unless a number has the expected value.
func Near(t testing.TB, what string, got stats.Number, want float64) {
	t.Helper()
	if x, defined := got.Get(); !defined || math.Abs(x-want) > 1e-9 {
		t.Errorf("%s: got %v (defined %v), want %.12g", what, x, defined, want)
	}
}

// Knows is a model that is right up to a number of questions, except between two numbers.
func Knows(upTo, from, to int) func(q int) bool {
	return func(q int) bool { return q < upTo && (q < from || q >= to) }
}
