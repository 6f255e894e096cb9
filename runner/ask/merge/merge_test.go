package merge

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

// idsOf are the ids of a shard's items: two of each of its questions.
func idsOf(index, questions int) (ids []string) {
	for q := range questions {
		for _, variant := range []string{"A", "B"} {
			ids = append(ids, fmt.Sprintf("mmlu_pro_binary/%d/%s", 1000*index+q, variant))
		}
	}
	return ids
}

func headerOf(index, count, questions int) journal.Header {
	ids := idsOf(index, questions)
	return journal.Header{
		Task: "mmlu_pro_binary", Style: "binary@1", RuleSet: "binary", Created: time.Date(2026, 11, 20, index, 0, 0, 0, time.UTC),
		Backend:   backends.EngineInfo{Name: "made", Slots: 1, Context: 100 * index},
		Selection: journal.Selection{IDsSHA256: "of all", Items: 2 * questions * count, Questions: questions * count},
		Shard: &journal.Shard{
			Index: index, Count: count, Questions: questions, Items: len(ids), IDsSHA256: journal.DigestIDs(ids),
		},
		Flags: map[string][]string{"shard": {fmt.Sprintf("%d/%d", index, count)}, "limit": {"9"}},
		Notes: []string{"all say it", fmt.Sprintf("shard %d says it", index)},
	}
}

func recordOf(id string, question int) journal.Record {
	return journal.Record{
		ID: id, QuestionID: question, Subject: "law", Variant: id[len(id)-1:], Options: 2, Gold: "A", Text: "The answer is (A).",
		Finish: backends.FinishStop, Attempt: 1,
	}
}

// write makes a shard's journal; change may be nil.
func write(t testing.TB, run string, h journal.Header, questions int, change func(index int, records []journal.Record) []journal.Record) {
	t.Helper()
	w, err := journal.Create(run, h)
	assert.NilError(t, err)
	var records []journal.Record
	for i, id := range idsOf(h.Shard.Index, questions) {
		records = append(records, recordOf(id, 1000*h.Shard.Index+i/2))
	}
	if change != nil {
		records = change(h.Shard.Index, records)
	}
	for _, r := range records {
		assert.NilError(t, w.Append(r))
	}
	assert.NilError(t, w.Close())
}

// A spoiling is what makes three sound shards none; either may be nil.
type spoiling struct {
	header  func(index int, h *journal.Header)
	records func(index int, records []journal.Record) []journal.Record
}

// shards are three, spoilt.
func shards(t testing.TB, by spoiling) []string {
	t.Helper()
	folder := t.TempDir()
	var runs []string
	for index := 1; index <= 3; index++ {
		run := filepath.Join(folder, fmt.Sprint(index))
		h := headerOf(index, 3, 5)
		if by.header != nil {
			by.header(index, &h)
		}
		write(t, run, h, 5, by.records)
		runs = append(runs, run)
	}
	return runs
}

func TestTheOrderOfTheArgumentsMakesNoDifference(t *testing.T) {
	runs := shards(t, spoiling{})
	var want []byte
	for i := range 6 {
		rand.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		out := filepath.Join(t.TempDir(), "out")
		_, err := Runs(runs, out, false)
		assert.NilError(t, err)
		got, err := os.ReadFile(journal.File(out))
		assert.NilError(t, err)
		want = append(want, got[:(1-min(i, 1))*len(got)]...)
		assert.Assert(t, bytes.Equal(got, want), "%v gives another journal", runs)
	}
	assert.Check(t, is.Equal(bytes.Count(want, []byte("\n")), 31))
	header := string(want[:bytes.IndexByte(want, '\n')])
	for _, part := range []string{
		`"notes":["all say it","shard 1 says it","shard 2 says it","shard 3 says it"]`, `"created":"2026-11-20T01:00:00Z"`,
		`"context":300`, `"flags":{"limit":["9"]}`, `"merged":{"count":3,"shards":[{"index":1`,
	} {
		assert.Check(t, strings.Contains(header, part), "%s is not in %s", part, header)
	}
}

func TestWhatIsNoRunTogetherIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		by      spoiling
		leave   int // out of the three
		want    string
		partial string // what --partial warns of; empty where it refuses as well
	}{
		"another setting": {spoiling{header: func(index int, h *journal.Header) { h.Shots = index / 3 }}, 0,
			"are not shards of one run: they differ in shots (0 and 1)", ""},
		"another number of shards": {spoiling{header: func(index int, h *journal.Header) { h.Shard.Count = 3 + index/3 }}, 0,
			"is one of 3 shards and", ""},
		"a shard twice": {spoiling{header: func(_ int, h *journal.Header) { h.Shard.Index = min(2, h.Shard.Index) }}, 0,
			"are both shard 2 of 3", ""},
		"no shard": {spoiling{}, 2, "shard 2 of 3 missing; partial merges what is there", "shard 2 of 3 missing"},
		"a shard that is not finished": {spoiling{records: func(index int, records []journal.Record) []journal.Record {
			return records[:len(records)-4*(index/3)]
		}}, 0, "shard 3 of 3 is not finished (6 of 10 items): proctor run resume", "shard 3 of 3 is not finished"},
		"a question in two of them": {spoiling{records: func(index int, records []journal.Record) []journal.Record {
			if index == 3 {
				records[9].QuestionID = 1000
			}
			return records
		}}, 0, "both asked question 1000 (law): they overlap", ""},
		"items of another shard": {spoiling{records: func(_ int, records []journal.Record) []journal.Record {
			records[0].ID += "x"
			return records
		}}, 0, "its items are not those that its header counts", ""},
		"log-probabilities": {spoiling{header: func(_ int, h *journal.Header) { h.Logprobs = &journal.Logprobs{Top: 20} }}, 0,
			"keeps log-probabilities, which are not merged", ""},
		"interim looks": {spoiling{header: func(_ int, h *journal.Header) {
			h.Selection.UntilDecided = &journal.UntilDecided{Run: "other", Margin: 0.05, Alpha: 0.05}
		}}, 0, "looks for itself whether something is decided", ""},
	} {
		t.Run(name, func(t *testing.T) {
			runs := shards(t, test.by)
			if test.leave > 0 {
				runs = append(runs[:test.leave-1:test.leave-1], runs[test.leave:]...)
			}
			out := filepath.Join(t.TempDir(), "out")
			_, err := Runs(runs, out, false)
			assert.Check(t, err != nil && strings.Contains(err.Error(), test.want) && !strings.Contains(err.Error(), "\n"),
				"%v, want %s", err, test.want)
			results, err := Runs(runs, out, true)
			switch {
			case test.partial == "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("partial: %v, want %s", err, test.want)
			case test.partial != "" && (err != nil || !strings.Contains(strings.Join(results[0].Warnings, "\n"), test.partial)):
				t.Errorf("partial: %v, %+v", err, results)
			}
			_, err = os.Stat(out)
			assert.Check(t, (err == nil) == (test.partial != ""), "%s: %v", out, err)
		})
	}
}

func TestShardsThatAreBeingWrittenAreRefused(t *testing.T) {
	runs := shards(t, spoiling{})
	w, _, err := journal.OpenAppend(runs[1], headerOf(2, 3, 5))
	assert.NilError(t, err)
	defer w.Close()
	_, err = Runs(runs, filepath.Join(t.TempDir(), "out"), false)
	errortest.Says(t, err, "is being written")
}

// TestTornLinesAreLeftOut merges a shard that was killed at its last line, which it has a second time.
func TestTornLinesAreLeftOut(t *testing.T) {
	runs := shards(t, spoiling{})
	f, err := os.OpenFile(journal.File(runs[0]), os.O_APPEND|os.O_WRONLY, 0)
	assert.NilError(t, err)
	_, err = f.WriteString(`{"kind":"item","id":"mmlu`)
	assert.NilError(t, err)
	f.Close()
	out := filepath.Join(t.TempDir(), "out")
	results, err := Runs(runs, out, false)
	assert.Assert(t, err == nil && len(results[0].Warnings) == 1 && results[0].Items == 30, "%+v, %v", results, err)
	content, _ := os.ReadFile(journal.File(out))
	assert.Check(t, !bytes.Contains(content, []byte(`"mmlu{`)) && bytes.Count(content, []byte("\n")) == 31,
		"%d lines", bytes.Count(content, []byte("\n")))
}
