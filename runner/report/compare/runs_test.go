package compare

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/report/page"
)

// A testRun is a made-up run: a header and what was answered.
type testRun struct {
	header  journal.Header
	records []journal.Record
	tokens  func(*journal.Record) []int32 // of a run that keeps log-probabilities
}

// mcqRun makes a run of count questions in three subjects; right says which of them a model knows.
func mcqRun(quantization string, count int, right func(q int) bool) testRun {
	p := testRun{header: journaltest.Header("mmlu_pro")}
	h := &p.header
	h.Created = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	h.Dataset.Name, h.Dataset.Published, h.Dataset.Rows = "mmlu-pro", "TIGER-Lab/MMLU-Pro", 12032
	h.Model = backends.ModelInfo{
		Ref: quantization + ".gguf", Name: "tiny", Architecture: "llama", Quantization: quantization,
		SizeBytes: sizes[quantization], FileSHA256: quantization,
	}
	h.Selection = journal.Selection{Limit: count, Items: count, Questions: count}
	for q := range count {
		gold := journaltest.Letter(q % 4)
		letter := gold
		if !right(q) {
			letter = journaltest.Letter((q + 1) % 4)
		}
		p.records = append(p.records, p.record(q, "", 4, gold, letter))
	}
	return p
}

var sizes = map[string]int64{"F16": 200 << 20, "Q8_0": 107 << 20, "Q4_K_M": 60 << 20}

var subjects = []string{"biology", "law", "math"}

func (p *testRun) record(q int, variant string, options int, gold, letter string) journal.Record {
	r := journal.Record{
		ID: fmt.Sprintf("%s/%d", p.header.Task, q), QuestionID: q, Subject: subjects[q%3], Variant: variant, Options: options, Gold: gold,
		Text: "the answer is (" + letter + ")", Finish: backends.FinishStop, Attempt: 1,
		Usage: backends.Usage{PromptTokens: 1200, ReusedTokens: 1000, OutputTokens: 50},
		Timing: backends.Timing{
			Prefill:    time.Duration(sizes[p.header.Model.Quantization]>>20+int64(q%11)) * time.Millisecond / 2,
			Decode:     time.Duration(sizes[p.header.Model.Quantization]>>20+int64(q%13)) * time.Millisecond,
			FirstToken: time.Duration(100+q%17) * time.Millisecond,
		},
	}
	if variant != "" {
		r.ID += "/" + variant
	}
	return r
}

// write puts a testRun on disk and returns its journal's path.
func (p testRun) write(t testing.TB, name string) string {
	t.Helper()
	var ids []string
	for _, r := range p.records {
		ids = append(ids, r.ID)
	}
	p.header.Selection.IDsSHA256 = journal.DigestIDs(ids)
	return journaltest.Keep(t, filepath.Join(t.TempDir(), name+".jsonl"), p.header, p.records)
}

// figures are the formats that are figures alone: an HTML comparison reads its journals again, and has tests of its own.
var figures = slices.DeleteFunc(slices.Clone(Formats), func(f page.Format[*Comparison]) bool { return f.Name == "html" })

// compared sets runs against each other and calls them by the names a, b, c … on disk.
func compared(t testing.TB, o Options, runs ...testRun) *Comparison {
	t.Helper()
	var paths []string
	for i, p := range runs {
		paths = append(paths, p.write(t, journaltest.Letter(i)))
	}
	c, err := Of(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Runs { // temporary folders have no business in golden files
		folder := filepath.Dir(c.Runs[i].Path) + "/"
		c.Runs[i].Path = filepath.Base(c.Runs[i].Path)
		for _, p := range c.Pairs {
			for j := 0; p.Advice != nil && j < len(p.Advice.Commands); j++ {
				p.Advice.Commands[j] = strings.ReplaceAll(p.Advice.Commands[j], folder, "")
			}
			if p.Advice != nil && p.Advice.Sooner != nil {
				p.Advice.Sooner.Command = strings.ReplaceAll(p.Advice.Sooner.Command, folder, "")
			}
		}
	}
	return c
}

// binaryRun is a run of MMLU-Pro Binary over questions of four options; says gives the answer to an option, gold being option q%4.
func binaryRun(quantization string, count int, says func(q, option int) bool) testRun {
	p := mcqRun(quantization, 0, nil)
	p.header.Task, p.header.Style, p.header.RuleSet = "mmlu_pro_binary", "binary@1", "binary"
	for q := range count {
		for option := range 4 {
			gold := map[bool]string{true: "A", false: "B"}[option == q%4]
			letter := map[bool]string{true: "A", false: "B"}[says(q, option)]
			r := p.record(q, journaltest.Letter(option), 2, gold, letter)
			r.OptionsOriginal = 4
			p.records = append(p.records, r)
		}
	}
	p.header.Selection.Items, p.header.Selection.Questions = len(p.records), count
	return p
}

// circularRun is a run of CircularEval over rotations of four options, the gold one first; right says which are known.
func circularRun(quantization string, count int, right func(q, rotation int) bool) testRun {
	p := mcqRun(quantization, 0, nil)
	p.header.Task, p.header.Pattern = "mmlu_pro_circular", "circular"
	for q := range count {
		for rotation, pattern := range []string{"ABCD", "BCDA", "CDAB", "DABC"} {
			letter := pattern[:1]
			if !right(q, rotation) {
				letter = pattern[1:2]
			}
			p.records = append(p.records, p.record(q, pattern, 4, pattern[:1], letter))
		}
	}
	p.header.Selection.Items, p.header.Selection.Questions = len(p.records), count
	return p
}
