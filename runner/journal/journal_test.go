package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	"gotest.tools/v3/golden"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/errortest"
)

// A journal's bytes count, line ends too.
func init() { golden.NormalizeCRLFToLF = false }

func header() journal.Header {
	return journal.Header{
		Task: "mmlu_pro", RuleSet: "tiger", Strip: true,
		Model: backends.ModelInfo{Ref: "m.gguf", Name: "M", Architecture: "llama", Parameters: 1000, SizeBytes: 600, Quantization: "Q4_K_M",
			BitsPerWeight: 4.8, FileSHA256: "cd34", ContextLength: 4096, ChatTemplateSHA256: "ef56"},
		Backend: backends.EngineInfo{Name: "llamacpp", Version: "v1", Slots: 16, Threads: 2, GPULayers: 0, KVType: "f16", Batch: 2048,
			Microbatch: 512, Context: 4096},
		Preambles: map[string]string{"law": "Questions <about> law.\n"},
		History: journal.History{{
			ToolVersion: "1.2.3", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Questions: journal.Draw{Limit: 70},
			MaxTokens: 2048,
			Host:      backends.Host{CPU: "C", Cores: 2, MemoryBytes: 8 << 30, GPUs: []string{}, OS: "linux", Arch: "amd64"},
		}},
		Setup: journal.Setup{
			Dataset: journal.Dataset{Name: "sample", SHA256: "ab12", Split: "test", Rows: 168},
			Style:   "tiger@1", Shots: 5, PromptMode: "raw", Think: "off",
			Sampling: journal.Sampling{Sampling: backends.Sampling{Temperature: 0.5, TopK: 40, TopP: 0.9, MinP: 0.05, Seed: 7},
				MaxTokens: 2048, Stop: []string{"Question:"}},
			Selection: journal.Selection{Limit: 70, Seed: 1, Subjects: []string{"law"}, IDsSHA256: journal.DigestIDs([]string{"mmlu_pro/1"}),
				Items: 1, Questions: 1},
		},
	}
}

func record(id int) journal.Record {
	return journal.Record{
		ID: fmt.Sprintf("mmlu_pro/%d", id), QuestionID: id, Subject: "law", Options: 10, Gold: "I",
		Prompt: "Question:\nWhat is <law> & order?\n", Text: " We think. The answer is (I).", Finish: backends.FinishStop,
		Usage:  backends.Usage{PromptTokens: 1238, ReusedTokens: 1018, OutputTokens: 64},
		Timing: backends.Timing{Queue: 1, Prefill: 2, Decode: 3, FirstToken: 4}, Attempt: 1,
	}
}

func failed(id, attempt int) journal.Record {
	r := record(id)
	r.Text, r.Finish, r.Cause, r.Error, r.Attempt = "", backends.FinishError, backends.CauseTimeout, "too late", attempt
	return r
}

// write makes a journal of the records and returns its file.
func write(t testing.TB, h journal.Header, records ...journal.Record) string {
	t.Helper()
	return journal.File(journaltest.Keep(t, t.TempDir(), h, records))
}

func load(t *testing.T, run string) *journaltest.Journal {
	t.Helper()
	j, err := journaltest.Load(run)
	assert.NilError(t, err)
	return j
}

func TestAJournalFollowsItsFormat(t *testing.T) {
	binary := record(2)
	binary.ID, binary.Variant, binary.Options, binary.OptionsOriginal, binary.Gold = "mmlu_pro_binary/2/C", "C", 2, 10, "B"
	got, err := os.ReadFile(write(t, header(), record(1), binary, failed(3, 2)))
	assert.NilError(t, err)
	golden.Assert(t, string(got), "journal.jsonl")
}

func TestAJournalIsFoundByFolderAndByFileAndNeverOverwritten(t *testing.T) {
	file := write(t, header(), record(1))
	other := filepath.Join(t.TempDir(), "other.jsonl")
	assert.NilError(t, os.WriteFile(other, []byte(read(t, file)), 0o644))
	for _, run := range []string{file, filepath.Dir(file), other} {
		_, err := journal.Create(run, header())
		assert.Check(t, is.ErrorIs(err, fs.ErrExist), run)
		assert.Check(t, is.Len(load(t, run).Records, 1), run)
	}
	_, err := journal.Open(t.TempDir())
	assert.Check(t, errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), journal.FileName), "an empty folder: %v", err)
}

func TestAppendRefusesWhatCouldNotBeMarkedLater(t *testing.T) {
	w, err := journal.Create(t.TempDir(), header())
	assert.NilError(t, err)
	defer w.Close()
	for want, spoil := range map[string]func(*journal.Record){
		"id is empty":          func(r *journal.Record) { r.ID = "" },
		"options is 27":        func(r *journal.Record) { r.Options = 27 },
		`gold is "I"`:          func(r *journal.Record) { r.Options = 4 },
		`gold is ""`:           func(r *journal.Record) { r.Gold = "" },
		`finish is "done"`:     func(r *journal.Record) { r.Finish = "done" },
		"new_tokens is -1":     func(r *journal.Record) { r.NewTokens = -1 },
		"attempt is 0":         func(r *journal.Record) { r.Attempt = 0 },
		"text is not UTF-8":    func(r *journal.Record) { r.Text = "\xff" },
		"prompt is not UTF-8":  func(r *journal.Record) { r.Prompt = "\xc3" },
		"subject is not UTF-8": func(r *journal.Record) { r.Subject = "\xc3" },

		"letter_logprobs are 2 of 9": func(r *journal.Record) { r.Options, r.LetterLogprobs = 9, []float64{-1, -1} },
		"0.1 of letter B":            func(r *journal.Record) { r.Options, r.LetterLogprobs = 9, likely(9, -9, 0.1) },
		"add up to 2":                func(r *journal.Record) { r.Options, r.LetterLogprobs = 9, likely(9, 0, 0) },
	} {
		r := record(1)
		spoil(&r)
		errortest.Says(t, w.Append(r), want)
	}
	assert.Check(t, w.Append(record(1)), "after refusals")
}

// likely are logarithms of so many letters' probabilities, the first two given.
func likely(letters int, first, second float64) []float64 {
	return append([]float64{first, second}, slices.Repeat([]float64{-99}, letters-2)...)
}

// longer is a record's line with a text of more than a reader's buffer.
func longer(line string) string {
	return strings.Replace(line, "We think", strings.Repeat("We think ", 10<<10), 1)
}

func TestDamageIsNamedByFileAndLine(t *testing.T) {
	data := []byte(read(t, write(t, header(), record(1), record(2))))
	lines := strings.SplitAfter(string(data), "\n")
	head, one, two := lines[0], lines[1], lines[2]
	for _, c := range []struct{ name, text, want string }{
		{"an empty file", "", "is empty"},
		{"no header", one + two, `:1: kind is "item" where "run"`},
		{"no JSON", "hello\n", ":1: not a journal's line"},
		{"an unfinished header", head[:40], ":1: the run's own line is unfinished"},
		{"a newer version", strings.Replace(head, `"version":1`, `"version":2`, 1) + one, ":1: version is 2 and this program reads 1"},
		{"a shard that is none", strings.Replace(head, `"questions":`, `"shard":{"index":4,"count":3},"questions":`, 1),
			":1: shard 4 of 3"},
		{"a shard before the first", strings.Replace(head, `"questions":`, `"shard":{"index":0,"count":3},"questions":`, 1),
			":1: shard 0 of 3"},
		{"repeats that are none", strings.Replace(head, `"fingerprint"`, `"repeats":-1,"fingerprint"`, 1), ":1: repeats is -1"},
		{"a style that was changed", strings.Replace(head, `"fingerprint"`, `"style_file":{"sha256":"ab","text":"x"},"fingerprint"`, 1),
			":1: style_file's text does not have its sha256"},
		{"rules that were changed", strings.Replace(head, `"fingerprint"`, `"rule_file":{"sha256":"ab","text":"x"},"fingerprint"`, 1),
			":1: rule_file's text does not have its sha256"},
		{"a broken line in the middle", head + one[:30] + "\n" + two, ":2: not a journal's line"},
		{"a broken last line that was ended", head + one + two[:30] + "\n", ":3: not a journal's line"},
		{"a second header", head + one + head, `:3: kind is "run", not "item"`},
		{"an unknown kind", head + strings.Replace(one, `"kind":"item"`, `"kind":"aside"`, 1), `:2: kind is "aside"`},
		{"a wrong type", head + strings.Replace(one, `"options":10`, `"options":"ten"`, 1), ":2: not a journal's line"},
		{"a gold letter beyond the options", head + strings.Replace(one, `"gold":"I"`, `"gold":"K"`, 1), `:2: mmlu_pro/1: gold is "K"`},
		{"text that is not UTF-8", head + strings.Replace(one, "We think", "We \xff", 1), ":2: not a journal's line (not UTF-8)"},
		{"an empty line", head + "\n" + one, ":2: not a journal's line"},
		{"null", head + "null\n" + one, `:2: kind is ""`},
		{"a broken line after one that is longer than a buffer", head + longer(one) + "oh\n" + two, ":3: not a journal's line"},
		{"a broken line that is longer than a buffer", head + one + strings.Repeat("oh", 50<<10) + "\n" + two, ":3: not a journal's line"},
		{"a long line that is only a little wrong", head + strings.Replace(longer(one), `"options":10`, `"options":"ten"`, 1) + two,
			":2: not a journal's line"},
		{"a broken line that is as long as one may be", head + one + strings.Repeat("a", 64<<20-1) + "\n", ":3: not a journal's line"},
		{"a line that is no journal's at all", head + one + strings.Repeat("a", 64<<20+1) + "\n", ":3: longer than 67108864 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "run.jsonl")
			assert.NilError(t, os.WriteFile(file, []byte(c.text), 0o644))
			_, err := journaltest.Load(file)
			errortest.Says(t, err, file, c.want)
		})
	}
}

func TestAChangedHeaderIsReported(t *testing.T) {
	file := write(t, header(), record(1))
	assert.NilError(t, os.WriteFile(file, []byte(strings.ReplaceAll(read(t, file), `"shots":5`, `"shots":0`)), 0o644))
	j := load(t, file)
	assert.Check(t, len(j.Records) == 1)
	assert.Check(t, is.Contains(strings.Join(j.Warnings, "\n"), file+":1: the fingerprint"))
}

func TestAHeaderThatCouldNotBeReadIsNotWritten(t *testing.T) {
	sharded := func(index, count int) func(*journal.Header) {
		return func(h *journal.Header) { h.History[0].Shard = &journal.Shard{Index: index, Count: count} }
	}
	for name, spoil := range map[string]func(*journal.Header){
		"a preamble that is not UTF-8": func(h *journal.Header) { h.Preambles = map[string]string{"law": "\xff"} },
		"a preamble's subject":         func(h *journal.Header) { h.Preambles = map[string]string{"\xff": "Think."} },
		"shard 0 of 2 does not exist":  sharded(0, 2),
		"shard 3 of 2 does not exist":  sharded(3, 2),
		"shard 0 of 0 does not exist":  sharded(0, 0),
		"shard 1 of 0 does not exist":  sharded(1, 0),
	} {
		h := header()
		spoil(&h)
		_, err := journal.Create(t.TempDir(), h)
		assert.Check(t, err != nil && (h.History[0].Shard == nil || strings.Contains(err.Error(), "does not exist")),
			"%s: %v", name,
			err)
	}
}

func TestASourceIsKeptWhole(t *testing.T) {
	const sum = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" // of the letter a, as sha256sum has it
	s := journal.SourceOf("a")
	assert.Check(t, s.Text == "a" && s.SHA256 == sum && s.Digest() == sum && journal.SourceOf("") == nil, "%+v", s)
}

func TestAForkEndsAsItDidAndNotAsTheWhole(t *testing.T) {
	r := journal.Record{Text: "ab", Finish: backends.FinishStop, Stop: "Question:", Forks: []backends.Fork{
		{Budget: 1, Shared: 1, Text: "c", Finish: backends.FinishStop}, {Budget: 2, Finish: backends.FinishStop, Stop: "Q"}}}
	for budget, want := range map[int]string{1: "", 2: "Q", 3: "Question:"} {
		assert.Check(t, is.Equal(r.At(budget).Stop, want), "at %d", budget)
	}
}

func TestTasksAreThoseOfOneRun(t *testing.T) {
	for name, c := range map[string]struct {
		models, tasks, data [2]string
		together            bool
	}{
		"one command's tasks":    {[2]string{"m", "m"}, [2]string{"a,b", "a,b"}, [2]string{"x", "x"}, true},
		"two models":             {[2]string{"m", "n"}, [2]string{"a,b", "a,b"}, [2]string{"x", "x"}, false},
		"two sets":               {[2]string{"m", "m"}, [2]string{"a", "a"}, [2]string{"x", "y"}, false},
		"two commands":           {[2]string{"m", "m"}, [2]string{"a", "b"}, [2]string{"x", "x"}, false},
		"commands without tasks": {[2]string{"m", "m"}, [2]string{}, [2]string{"x", "x"}, false},
	} {
		run := t.TempDir()
		folders := []string{filepath.Join(run, "a"), filepath.Join(run, "b")}
		for i, folder := range folders {
			h := header()
			h.History[0].Created = h.History[0].Created.Add(-time.Duration(i) * time.Second) // the later name was begun first
			if h.Model.Name = c.models[i]; c.tasks[i] != "" {
				h.Flags = map[string][]string{"tasks": {c.tasks[i]}, "data": {c.data[i]}}
			}
			journaltest.Keep(t, folder, h, nil)
		}
		assert.Check(t, is.DeepEqual(journal.Tasks(run), map[bool][]string{true: folders, false: {run}}[c.together]), name)
		assert.Check(t, is.DeepEqual(journal.Tasks(folders[0]), folders[:1]), name)
		runs := map[bool][][]string{true: {folders}, false: {folders[1:], folders[:1]}}[c.together]
		assert.Check(t, is.DeepEqual(journal.Runs(run), runs), name)
		assert.Check(t, is.DeepEqual(journal.Runs(folders[1]), [][]string{folders[1:]}), name)
	}
}

func FuzzJournal(f *testing.F) {
	data, err := os.ReadFile("testdata/journal.jsonl")
	assert.NilError(f, err)
	head, rest, _ := strings.Cut(string(data), "\n")
	f.Add(data)
	f.Add(data[:len(data)-100])
	f.Add([]byte(head))
	f.Add([]byte(head + "\n\n" + rest))
	f.Add([]byte(head + "\n{\"kind\":\"item\",\"id\":\"x\",\"options\":1,\"gold\":\"A\",\"finish\":\"stop\",\"attempt\":1}"))
	f.Add([]byte(rest + head))
	f.Add([]byte(head + "\n{\"kind\":\"look\",\"look\":1,\"questions\":100,\"items\":100,\"half_width\":0.1,\"stop\":\"narrow\"}\n" + rest))
	f.Add([]byte(head + "\n{\"kind\":\"item\",\"id\":\"x#2\",\"repeat\":2,\"options\":1,\"gold\":\"A\",\"finish\":\"stop\",\"attempt\":1}"))
	f.Add([]byte("null\n[]\n"))
	f.Add([]byte{0, '\n', 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		records, warnings, ok := readAll(t, data)
		if !ok {
			return
		}
		var again bytes.Buffer
		again.Write(append(bytes.SplitAfter(data, []byte("\n"))[0], '\n'))
		again.Truncate(bytes.IndexByte(again.Bytes(), '\n') + 1)
		for _, r := range records {
			line, err := json.Marshal(r)
			assert.NilError(t, err)
			again.Write(append(line, '\n'))
		}
		same, _, ok := readAll(t, again.Bytes())
		assert.Assert(t, ok && len(same) == len(records), "%d records read, %d after they were written", len(records), len(same))
		for i := range records {
			assert.Check(t, reflect.DeepEqual(same[i], records[i]), "read %+v, after it was written %+v", records[i], same[i])
		}
		assert.Check(t, len(warnings) <= 2, "warnings: %q", warnings)
	})
}

// readAll reads a journal from memory; every error must name where it is.
func readAll(t *testing.T, data []byte) (records []journal.Record, warnings []string, ok bool) {
	r, err := journal.NewReader(bytes.NewReader(data), "fuzz.jsonl")
	if err != nil {
		assert.Check(t, strings.HasPrefix(err.Error(), "fuzz.jsonl"), "an error that names no file: %v", err)
		return nil, nil, false
	}
	for record, err := range r.Records() {
		if err != nil {
			assert.Check(t, strings.HasPrefix(err.Error(), "fuzz.jsonl:"), "an error that names no line: %v", err)
			return nil, nil, false
		}
		records = append(records, record)
	}
	return records, r.Warnings(), true
}
