// Package mutations tests that no model file kills or stalls proctor. It damages GGUF models in every part of the file:
// header, keys, vocabulary, tensors. It opens each damaged file as a run does, in a process of its own.
//
//	FILES=5000 SEED=2 JOBS=8 go test -count 1 -timeout 0 -v ./scripts/tests/mutations     as `make fuzz` does
//	SEED=2 ONLY=1234 KEEP=DIR go test -count 1 -v ./scripts/tests/mutations               one of them again; its file is kept
//
// The models are the control model and small random ones of all architectures that package llamatest writes. The same
// seed gives the same files. A file may be refused in one line, run, or be the death of the engine's process, which is
// a line, too. It may not hang.
package mutations

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/child"
	"proctor/backends/isolated"
	"proctor/backends/llamacpp"
	"proctor/scripts/tests/sharedtest"
)

// number reads an environment variable.
func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	assert.NilError(t, err, "%s", name)
	return n
}

func TestNoModelFileKillsTheProcess(t *testing.T) {
	seed, last, first := number(t, "SEED", 3), number(t, "FILES", sharedtest.Count(50, 150)), 0
	only := os.Getenv("ONLY") != ""
	if only {
		first = number(t, "ONLY", 0)
		last = first + 1
	}
	folder := t.TempDir()
	c := newCorpus(t, uint64(seed))
	all := tally{counts: map[fate]int{}, reasons: map[string]int{}}
	numbers := make(chan int)
	var working sync.WaitGroup
	for job := range number(t, "JOBS", 2) {
		path := filepath.Join(folder, fmt.Sprintf("%d.gguf", job))
		working.Go(func() {
			for number := range numbers {
				m, content := c.mutation(number)
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Error(err)
					continue
				}
				became, why := open(t.Context(), path)
				all.add(became, why)
				if only || became == unclear || became == hung {
					t.Logf("%d %q: %s: %q", number, m, became, why)
					keep(t, number, content)
				}
			}
		})
	}
	for number := first; number < last; number++ {
		numbers <- number
	}
	close(numbers)
	working.Wait()
	t.Logf("seed %d, files %d to %d, from %d models\n%s", seed, first, last-1, len(c.models), all.String())
	bad := all.counts[unclear] + all.counts[hung]
	assert.Check(t, bad <= 0, "%d of %d files failed", bad, last-first)
	if !only && (all.counts[refused] == 0 || all.counts[ran] == 0) {
		t.Error("no file was refused, or none ran, so the files are no test")
	}
}

// keep writes a file into the folder that KEEP names.
func keep(t *testing.T, number int, content []byte) {
	if folder := os.Getenv("KEEP"); folder != "" {
		assert.Check(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.gguf", number)), content, 0o600))
	}
}

// A tally counts the outcomes, and the reasons of those that were neither refused nor ran.
type tally struct {
	sync.Mutex
	counts  map[fate]int
	reasons map[string]int // by fate and reason
}

func (t *tally) add(became fate, why string) {
	t.Lock()
	defer t.Unlock()
	t.counts[became]++
	if became != refused && became != ran {
		t.reasons[string(became)+": "+why]++
	}
}

func (t *tally) String() string {
	var out strings.Builder
	for _, f := range fates {
		fmt.Fprintf(&out, "%s: %d\n", f, t.counts[f])
	}
	for why, n := range t.reasons {
		fmt.Fprintf(&out, "  %d × %s\n", n, why)
	}
	return out.String()
}

// A fate is the outcome for a file.
type fate string

const (
	refused fate = "refused in one line"
	ran     fate = "ran"
	died    fate = "the engine's process died of it"

	// These must not be.
	unclear fate = "not refused in one line"
	hung    fate = "hung"
)

var fates = []fate{refused, ran, died, unclear, hung}

// patience is how long a file may take, of a machine that others use, too.
const patience = 3 * time.Minute

// TestMain lets the tests be the engine's processes.
func TestMain(m *testing.M) {
	child.Main(isolated.Task)
	os.Exit(m.Run())
}

// open opens a file as a run does, asks the model in all the ways that runs do, and says what became of it.
func open(ctx context.Context, path string) (became fate, why string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	failed, err := generate(ctx, llamacpp.Options{Settings: backends.Settings{Threads: 1, Slots: 2}, Path: path,
		Microbatch: 32})
	death := (*child.Death)(nil)
	switch {
	case ctx.Err() != nil:
		return hung, "no end after " + patience.String()
	case err == nil:
		return ran, failed
	}
	why = strings.TrimPrefix(err.Error(), path+": ")
	switch {
	case strings.ContainsAny(why, "\n\r"):
		return unclear, why
	case errors.As(err, &death):
		return died, why
	}
	return refused, why
}

// generate tokenises a prompt, then asks the model. failed is the error of a request.
func generate(ctx context.Context, options llamacpp.Options) (failed string, err error) {
	vocabulary, err := isolated.OpenVocabulary(ctx, options)
	if err != nil {
		return "", err
	}
	defer vocabulary.Close()
	prompt := "Question: which of these is true?\nA. one\nB. 漢字 \U0001f600\nAnswer:"
	if _, err := vocabulary.Tokenize(prompt); err != nil {
		return "", err
	}
	vocabulary.ChatTemplate()
	model, err := isolated.Open(ctx, options)
	if err != nil {
		return "", err
	}
	defer model.Close()
	model.VocabularySHA256()
	if _, err := model.Plan(ctx, backends.Workload{Requests: 3, PromptTokens: 150, MaxTokens: 4}); err != nil {
		return "", err
	}
	requests := []backends.Request{
		{ID: "greedy", Prompt: prompt, MaxTokens: 4},
		{ID: "drawn", Prompt: prompt + " A", MaxTokens: 4, Sampling: backends.Sampling{Temperature: 1, TopP: 0.9}},
		{ID: "scored", Prompt: "x", MaxTokens: 4, Logprobs: 5},
	}
	err = model.Generate(ctx, slices.Values(requests), func(c backends.Completion) error {
		if c.Finish == backends.FinishError {
			failed = c.Error
		}
		return nil
	})
	return failed, err
}
