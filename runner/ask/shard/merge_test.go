package shard

import (
	"bytes"
	"encoding/json"
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
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/errortest"
)

// The run's shards, and the questions of each.
const count, questions = 3, 5

// idsOf are the ids of a shard's items: two of each of its questions.
func idsOf(index int) (ids []string) {
	for q := range 2 * questions {
		ids = append(ids, fmt.Sprintf("mmlu_pro_binary/%d/%c", 1000*index+q/2, 'A'+q%2))
	}
	return ids
}

func headerOf(index int) journal.Header {
	return journal.Header{
		Task: "mmlu_pro_binary", RuleSet: "binary",
		Backend: backends.EngineInfo{Name: "made", Slots: 1, Context: 100 * index},
		Flags:   map[string][]string{"shard": {fmt.Sprintf("%d/%d", index, count)}, "limit": {"9"}},
		History: journal.History{{
			Created: time.Date(2026, 11, 20, 1+count-index, 0, 0, 0, time.UTC),
			Shard: &journal.Shard{Index: index, Count: count, Questions: questions, Items: 2 * questions,
				IDsSHA256: journal.DigestIDs(idsOf(index))},
		}},
		Setup: journal.Setup{
			Style:     "binary@1",
			Selection: journal.Selection{IDsSHA256: "of all", Items: 2 * questions * count, Questions: questions * count},
			Notes:     []string{"all say it", fmt.Sprintf("shard %d says it", index)},
		},
	}
}

// A spoiling is what makes three sound shards none; either may be nil.
type spoiling struct {
	header  func(index int, h *journal.Header)
	records func(index int, records []journal.Record)
}

// shards are three, spoilt.
func shards(t testing.TB, by spoiling) (runs []string) {
	t.Helper()
	folder := t.TempDir()
	for index := 1; index <= count; index++ {
		h := headerOf(index)
		if by.header != nil {
			by.header(index, &h)
		}
		var records []journal.Record
		for i, id := range idsOf(h.History[0].Shard.Index) {
			records = append(records, journal.Record{ID: id, QuestionID: 1000*h.History[0].Shard.Index + i/2, Subject: "law",
				Variant: id[len(id)-1:],
				Options: 2, Gold: "A", Text: "The answer is (A).", Finish: backends.FinishStop, Attempt: 1})
		}
		if by.records != nil {
			by.records(index, records)
		}
		runs = append(runs, journaltest.Keep(t, filepath.Join(folder, fmt.Sprint(index)), h, records))
	}
	return runs
}

func TestTheOrderOfTheArgumentsMakesNoDifference(t *testing.T) {
	runs := shards(t, spoiling{})
	var want []byte
	for i := range 6 {
		rand.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		out := filepath.Join(t.TempDir(), "out")
		_, err := Merge(runs, out, false)
		assert.NilError(t, err)
		got, err := os.ReadFile(journal.File(out))
		assert.NilError(t, err)
		if i == 0 {
			want = got
		}
		assert.Assert(t, bytes.Equal(got, want), "%v gives another journal", runs)
	}
	assert.Check(t, is.Equal(bytes.Count(want, []byte("\n")), 31))
	header := string(want[:bytes.IndexByte(want, '\n')])
	for _, part := range []string{
		`"notes":["all say it","shard 1 says it","shard 2 says it","shard 3 says it"]`,
		`"context":300`, `"flags":{"limit":["9"]}`, `"history":[{"created":"2026-11-20T01:00:00Z","shard":{"index":3,"count":3,"questions":5,`,
	} {
		assert.Check(t, is.Contains(header, part))
	}
	assert.Check(t, is.Equal(strings.Count(header, `"created":`), count), "the whole run asked nothing itself: %s", header)
}

func TestShardsOfDifferentRunsAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		by   spoiling
		want string
	}{
		"another setting": {spoiling{header: func(index int, h *journal.Header) { h.Shots = index / count }},
			"are not shards of one run: they differ in shots (0 and 1)"},
		"another count": {spoiling{header: func(index int, h *journal.Header) { h.History[0].Shard.Count = 3 + index/3 }},
			"is one of 3 shards and"},
		"a shard twice": {spoiling{header: func(_ int, h *journal.Header) {
			h.History[0].Shard.Index = min(2,
				h.History[0].Shard.Index)
		}},
			"are both shard 2 of 3"},
		"a question in two of them": {spoiling{records: func(index int, records []journal.Record) {
			if index == 3 {
				records[9].QuestionID = 1000
			}
		}}, "both asked question 1000 (law): they overlap"},
		"items of another shard": {spoiling{records: func(_ int, records []journal.Record) { records[0].ID += "x" }},
			"its items are not those that its header counts"},
		"log-probabilities": {spoiling{header: func(_ int, h *journal.Header) { h.Logprobs = &journal.Logprobs{Top: 20} }},
			"keeps log-probabilities, which are not merged"},
		"interim analyses": {spoiling{header: func(_ int, h *journal.Header) {
			h.Selection.UntilDecided = &journal.UntilDecided{Run: "other", Margin: 0.05, Alpha: 0.05}
		}}, "may stop early by its own interim analyses"},
	} {
		for _, partial := range []bool{false, true} {
			out := filepath.Join(t.TempDir(), "out")
			_, err := Merge(shards(t, test.by), out, partial)
			errortest.For(t, name, err, test.want)
			assert.Check(t, err == nil || !strings.Contains(err.Error(), "\n"), "%s: several lines: %v", name, err)
			_, err = os.Stat(out)
			assert.Check(t, is.ErrorIs(err, os.ErrNotExist), name)
		}
	}
}

func TestShardsWhoseKeysAreSortedAreMerged(t *testing.T) {
	runs := shards(t, spoiling{})
	for _, run := range runs {
		content, err := os.ReadFile(journal.File(run))
		assert.NilError(t, err)
		var sorted bytes.Buffer
		for line := range bytes.Lines(content) {
			var fields map[string]any
			assert.NilError(t, json.Unmarshal(line, &fields))
			assert.NilError(t, json.NewEncoder(&sorted).Encode(fields)) // by name
		}
		assert.NilError(t, os.WriteFile(journal.File(run), sorted.Bytes(), 0o644))
	}
	results, err := Merge(runs, filepath.Join(t.TempDir(), "out"), false)
	assert.NilError(t, err)
	assert.Check(t, results[0].Items == 30 && len(results[0].Warnings) == 0, "%+v", results[0])
}

func TestShardsThatAreBeingWrittenAreRefused(t *testing.T) {
	runs := shards(t, spoiling{})
	w, _, err := journaltest.Resume(runs[1], headerOf(2))
	assert.NilError(t, err)
	defer w.Close()
	_, err = Merge(runs, filepath.Join(t.TempDir(), "out"), false)
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
	results, err := Merge(runs, out, false)
	assert.Assert(t, err == nil && len(results[0].Warnings) == 1 && results[0].Items == 30, "%+v, %v", results, err)
	content, _ := os.ReadFile(journal.File(out))
	assert.Check(t, !bytes.Contains(content, []byte(`"mmlu{`)) && bytes.Count(content, []byte("\n")) == 31, "%s", content)
}
