package main

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
)

// crashRun takes some seconds on one slot, so that every text is reproducible.
var crashRun = []string{"run", "--quiet", "--threads", "1", "--slots", "1", "--limit", "28", "--shots", "2", "--max-tokens", "100"}

// TestKilledRunsLoseNothing kills runs again and again, at random or between the writing of an answer and its reaching the disk, and
// resumes each until it is complete. KILLS is the number of kills; `make crash` sets 200.
func TestKilledRunsLoseNothing(t *testing.T) {
	t.Parallel()
	kills := 4
	if text := os.Getenv("KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		assert.Assert(t, err == nil && n >= 1, "KILLS=%s: give a number from 1", text)
		kills = n
	}
	folder := t.TempDir()
	whole := filepath.Join(folder, "whole")
	began := time.Now()
	run(t, append(crashRun, "--out", whole)...)
	takes := time.Since(began)
	want := reportOf(t, run(t, "report", whole, "--format", "json"))
	random := rand.New(rand.NewPCG(1, 2))
	killed, runs, torn, atWrite := 0, 0, 0, 0
	for ; killed < kills; runs++ {
		out := filepath.Join(folder, "killed"+strconv.Itoa(runs))
		var before []byte
		for {
			wait := time.Duration(random.Int64N(int64(takes) * 3 / 4))
			write := 0
			if random.IntN(2) == 0 {
				write = 1 + random.IntN(4)
			}
			died := killOnce(t, crashRun, out, wait, write)
			after, _ := os.ReadFile(filepath.Join(out, journal.FileName))
			assert.Assert(t, bytes.HasPrefix(after, before),
				"%s: the journal no longer begins with what it held before: %d and %d bytes", out, len(before), len(after))
			if !died {
				break
			}
			killed++
			if write > 0 {
				atWrite++
			}
			before = after[:bytes.LastIndexByte(after, '\n')+1]
			if len(before) < len(after) {
				torn++
			}
		}
		assert.Check(t, is.Equal(len(lines(t, out)), 29), "%s", out)
		compareTexts(t, whole, out)
		warnings := loaded(t, out).Warnings
		assert.Check(t, len(warnings) == 0, "%s: %v", out, warnings)
		got := reportOf(t, run(t, "report", out, "--format", "json"))
		assert.Check(t, reflect.DeepEqual(got, want), "%s: its report differs from the uninterrupted run's:\n%v\n%v", out, got, want)
	}
	t.Logf("%d kills of %d runs, %d of them right after a write; %d torn lines; nothing lost", killed, runs, atWrite, torn)
}

// killOnce starts or resumes a run and kills it: after a time or, with write above 0, after that many written lines. It says whether the
// run died of that.
func killOnce(t *testing.T, args []string, out string, wait time.Duration, write int) bool {
	t.Helper()
	path := filepath.Join(out, journal.FileName)
	args = slices.Concat(args, []string{"--out", out})
	switch _, err := journal.HeaderOf(out); {
	case err == nil:
		args = append(args, "--resume")
	case !errors.Is(err, fs.ErrNotExist): // killed before its header was written, it has not started
		t.Fatal(err)
	}
	cmd := exec.Command("proctor", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	assert.NilError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	kill := make(chan struct{})
	go func() {
		defer close(kill)
		if write == 0 {
			time.Sleep(wait)
			return
		}
		size, deadline := sizeOf(path), time.Now().Add(5*time.Minute)
		for seen := 0; seen < write && time.Now().Before(deadline); time.Sleep(20 * time.Microsecond) {
			if now := sizeOf(path); now != size {
				size = now
				seen++
			}
		}
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("%v\n%s", err, &stderr)
		}
		return false
	case <-kill:
		cmd.Process.Kill()
	}
	return <-ended != nil
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func TestAKilledRunKeepsTheSameLogprobs(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	whole, killed := filepath.Join(folder, "whole"), filepath.Join(folder, "killed")
	args := append([]string{"run", "--keep-logprobs"}, slowRun[1:]...)
	run(t, append(args, whole)...)
	beginAndKill(t, killed, args, someItems)
	f, err := os.OpenFile(logprobs.Path(killed), os.O_WRONLY|os.O_APPEND, 0)
	assert.NilError(t, err)
	f.WriteString("as much as was written of the next part")
	f.Close()
	run(t, "run", "--quiet", "--resume", killed)
	want, err := os.ReadFile(logprobs.Path(whole))
	assert.NilError(t, err)
	got, err := os.ReadFile(logprobs.Path(killed))
	assert.Check(t, err == nil && bytes.Equal(got, want), "%d bytes after the resume, %d in one go: %v", len(got), len(want), err)
	kept := loaded(t, killed)
	r, err := logprobs.Open(killed, *kept.Header.Logprobs)
	assert.NilError(t, err)
	defer r.Close()
	vocabulary, err := llamacpp.OpenVocabulary(modelPath(t), "")
	assert.NilError(t, err)
	defer vocabulary.Close()
	for _, record := range kept.Records {
		predictions, err := r.Item(record.ID, *record.Logprobs)
		if extra := len(predictions) - record.Usage.OutputTokens; err != nil || extra < 0 || extra > 1 {
			t.Errorf("%s: %d predictions of %d tokens, %v", record.ID, len(predictions), record.Usage.OutputTokens, err)
		}
		unlikely := slices.IndexFunc(predictions, func(p backends.Prediction) bool { return p.Token != p.Top[0].Token })
		assert.Check(t, unlikely < 0, "%s: token %d was not the likeliest, and the run is greedy", record.ID, unlikely)
		spelled := ""
		for _, p := range predictions {
			spelled += vocabulary.Piece(p.Token)
		}
		assert.Check(t, strings.HasPrefix(strings.ToValidUTF8(spelled, "\uFFFD"), record.Text) && record.Text != "",
			"%s: its tokens spell %q, its text is %q", record.ID, spelled, record.Text)
	}
}
