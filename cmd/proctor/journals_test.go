package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/cmd/proctor/console"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// orders writes a run of questions with three options, asked in all six orders: orders run.jsonl cA 5 2 1 has 5 questions, the first 2
// right in every order, the others in the rotations only; the last 1 has an order that failed.
func orders(ts *testscript.TestScript, args []string) {
	questions, right, failed := number(ts, args[2]), number(ts, args[3]), number(ts, args[4])
	h := journaltest.Header("mmlu_pro_circular")
	h.Pattern, h.RuleSet = "all_possible", "tiger-strict"
	var records []journal.Record
	for q := range questions {
		for i, pattern := range []string{"ABC", "BCA", "CAB", "ACB", "BAC", "CBA"} {
			answer := journaltest.Answer{Letter: pattern[:1]}
			switch {
			case q >= questions-failed && i == 5:
				answer = journaltest.Answer{Failed: backends.CauseTimeout}
			case q >= right && i > 2:
				answer.Letter = pattern[1:2]
			}
			records = append(records, journaltest.Record(&h, q, "law", pattern, 3, pattern[:1], answer))
		}
	}
	keepRun(ts, args[0], args[1], h, records)
}

// oneEach writes a run of MMLU-Pro Binary with one question of each of 14 subjects: oneeach run.jsonl cA 10, where the number counts the
// gold options that are called true.
func oneEach(ts *testscript.TestScript, args []string) {
	right := number(ts, args[2])
	h := journaltest.Header("mmlu_pro_binary")
	var records []journal.Record
	for q := range 14 {
		for option := range 4 {
			gold, letter := "B", "B"
			if option == 0 {
				gold = "A"
				if q < right {
					letter = "A"
				}
			}
			r := journaltest.Record(&h, q, fmt.Sprintf("subject %02d", q), journaltest.Letter(option), 2, gold,
				journaltest.Answer{Letter: letter})
			r.OptionsOriginal = 4
			records = append(records, r)
		}
	}
	keepRun(ts, args[0], args[1], h, records)
}

// evenDraw writes a run of 100 questions of each of 14 subjects: evendraw JOURNAL NAME FIRST OTHERS. FIRST is how many questions are right
// in each of the first five subjects, and OTHERS in each other subject, among those that another run has wrong.
func evenDraw(ts *testscript.TestScript, args []string) {
	first, others := number(ts, args[2]), number(ts, args[3])
	h := journaltest.Header("mmlu_pro")
	h.Selection = journal.Selection{Limit: 1400, PerSubject: 100}
	var records []journal.Record
	for s := range 14 {
		subject, right := fmt.Sprintf("subject %02d", s), first
		if s >= 5 {
			right = others
		}
		for q := range 100 {
			letter := "B"
			if q < 30+right { // 30 are right in every run
				letter = "A"
			}
			records = append(records, journaltest.Record(&h, 100*s+q, subject, "", 10, "A", journaltest.Answer{Letter: letter}))
		}
	}
	keepRun(ts, args[0], args[1], h, records)
}

// keepRun writes the journal of a run of a named model.
func keepRun(ts *testscript.TestScript, path, name string, h journal.Header, records []journal.Record) {
	h.Model.Name, h.Model.Quantization, h.Model.FileSHA256 = name, "", name
	var ids []string
	questions := map[int]bool{}
	for _, r := range records {
		ids, questions[r.QuestionID] = append(ids, r.ID), true
	}
	h.Selection.Items, h.Selection.Questions, h.Selection.IDsSHA256 = len(records), len(questions), journal.DigestIDs(ids)
	to, err := journal.Create(ts.MkAbs(path), h)
	ts.Check(err)
	for _, r := range records {
		ts.Check(to.Append(r))
	}
	ts.Check(to.Close())
}

// shardedRun is short, and on one slot, so that every text is reproducible.
var shardedRun = []string{"run", "--quiet", "--threads", "1", "--slots", "1", "--limit", "32", "--shots", "1", "--max-tokens", "32"}

// TestShardsMergeToTheWholeRun runs shards, kills one of them, and expects the report of the undivided run.
func TestShardsMergeToTheWholeRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	whole := filepath.Join(folder, "whole")
	run(t, append(shardedRun, "--out", whole)...)
	want := reportOf(t, run(t, "report", whole, "--format", "json"))
	for _, count := range []int{3, 16} {
		var shards []string
		for index := 1; index <= count; index++ {
			out := filepath.Join(folder, fmt.Sprintf("of%d", count), fmt.Sprint(index))
			shards = append(shards, out)
			args := append(slices.Clone(shardedRun), "--resume", "--shard", fmt.Sprintf("%d/%d", index, count), "--out")
			if count == 3 && index == 2 {
				beginAndKill(t, out, args, func(content []byte) bool { return bytes.Count(content, []byte("\n")) > 2 })
				assert.Assert(t, len(lines(t, out)) <= 11, "it was killed too late to show anything")
			}
			run(t, append(args, out)...)
		}
		slices.Reverse(shards)
		merged := filepath.Join(folder, fmt.Sprintf("merged%d", count))
		run(t, append([]string{"merge", "-o", merged}, shards...)...)
		if got := reportOf(t, run(t, "report", merged, "--format", "json")); !reflect.DeepEqual(got, want) {
			t.Errorf("%d shards: the merged run's report differs from the whole run's:\n%v\n%v", count, got, want)
		}
		compareTexts(t, whole, merged)
	}
}

// TestARunWhoseJournalIsDeletedStopsAndCanGoOn follows the run's own instructions.
func TestARunWhoseJournalIsDeletedStopsAndCanGoOn(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "run")
	slow := append([]string{}, slowRun...)
	slow[7] = "168" // questions: far more than it answers in the second until it checks
	cmd, _, stderr := begin(t, folder, slow, someItems)
	assert.NilError(t, os.RemoveAll(folder))
	began := time.Now()
	cmd.Wait()
	said := stderr.String()
	if code := cmd.ProcessState.ExitCode(); code != console.ExitIncomplete || !strings.Contains(said, "was deleted while the run wrote it") {
		t.Fatalf("exit code %d after %s; stderr:\n%s", code, time.Since(began), said)
	}
	_, resumeCommand, _ := strings.Cut(strings.TrimSpace(said), "to resume: ")
	resumeCommand, _, _ = strings.Cut(resumeCommand, " && "+cmd.Args[0]+" run")
	out, err := exec.Command("sh", "-c", resumeCommand).CombinedOutput()
	assert.Assert(t, err == nil, "%s: %v\n%s", resumeCommand, err, out)
	saved := len(lines(t, folder)) - 1
	assert.Check(t, saved >= 3 && saved <= 150, "%d of 168 items are saved", saved)
	if run(t, append(slow, folder, "--resume")...); len(lines(t, folder)) != 169 {
		t.Errorf("%d lines after the resume", len(lines(t, folder)))
	}
}
