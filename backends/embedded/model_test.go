package embedded_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/embedded"
	"proctor/backends/llamacpp"
)

// open opens the control model with one thread, so that a busy machine does not slow it down.
func open(t *testing.T, options llamacpp.Options) *llamacpp.Model {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	options.Threads = 1
	m, err := embedded.Open(context.Background(), options)
	assert.NilError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

func TestContract(t *testing.T) {
	m := open(t, llamacpp.Options{Settings: backends.Settings{Slots: 3, Context: 512}})
	_, err := m.Plan(context.Background(), backends.Workload{})
	assert.NilError(t, err)
	backendtest.Run(t, m)
}

func TestInfoNamesTheControlModel(t *testing.T) {
	info, err := open(t, llamacpp.Options{Settings: backends.Settings{Slots: 1, Context: 512}}).Info(context.Background())
	assert.NilError(t, err)
	m := info.Model
	assert.Check(t, m.Ref == embedded.Ref && m.FileSHA256 == embedded.Digest() && m.Architecture == "llama" &&
		m.Parameters > 0 && m.ContextLength > 0, "%+v", m)
}

func TestTheFileIsWrittenOnceAndMended(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	first, err := embedded.File()
	assert.NilError(t, err)
	before, err := os.Stat(first)
	assert.NilError(t, err)
	again, err := embedded.File()
	assert.NilError(t, err)
	after, err := os.Stat(again)
	assert.Check(t, err == nil && again == first &&
		os.SameFile(before, after), "written again: %s, %s, %v", first, again, err)
	assert.NilError(t, os.WriteFile(first, []byte("damaged"), 0o600))
	_, err = embedded.File()
	assert.NilError(t, err)
	after, err = os.Stat(first)
	assert.Check(t, err == nil && after.Size() == before.Size(), "a damaged file stayed: %v, %v", after, err)
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(first), ".*"))
	assert.Check(t, len(left) == 0, "left behind: %v", left)
}

func TestACacheThatCannotBeWrittenIsGoneRound(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("XDG_CACHE_HOME and TMPDIR are Linux's")
	}
	blocked := filepath.Join(t.TempDir(), "file")
	assert.NilError(t, os.WriteFile(blocked, nil, 0o600))
	t.Setenv("XDG_CACHE_HOME", blocked)
	t.Setenv("TMPDIR", t.TempDir())
	_, err := embedded.File()
	assert.Check(t, err, "with a temporary folder")
	t.Setenv("TMPDIR", blocked)
	path, err := embedded.File()
	assert.Check(t, err != nil, "without any folder: %s", path)
}

// A cache of 32-bit floats is computed with copies, and prefix reuse does not know about these.
func TestTextsDoNotDependOnSlotsWithAWideCache(t *testing.T) {
	var requests []backends.Request
	for i := range 32 { // of four subjects in turn, the later ones with fewer shots
		animal := []string{"cats", "dogs", "cows", "hens"}[i/4%4]
		shot := "Question: How many legs do 3 " + animal + " have?\nAnswer: 3 times 4 is 12. The answer is (B).\n\n"
		own := strings.Repeat(fmt.Sprintf("There are %d %s. ", i, animal), 3+i%5)
		prompt := strings.Repeat(shot, 12-3*(i/4%4)) +
			fmt.Sprintf("Question: %sWhat is %d plus %d?\nA. %d\nB. %d\nAnswer:", own, i, 2*i+1, 3*i+1, 3*i)
		requests = append(requests, backends.Request{ID: fmt.Sprint(i), Prompt: prompt, MaxTokens: 24})
	}
	texts := map[string]string{}
	differ := 0
	for _, slots := range []int{1, 16} {
		m := open(t, llamacpp.Options{Settings: backends.Settings{Slots: slots, KVType: "f32", Context: 768}})
		for id, c := range backendtest.Answers(t, m, requests, nil) {
			if want, found := texts[id]; found && c.Text != want || c.Finish == backends.FinishError {
				differ++
			}
			texts[id] = c.Text
		}
	}
	assert.Check(t, differ == 0, "%d of %d texts are others in 16 slots than in one", differ, len(texts))
}

// completions asks a model the same dozen questions, of different lengths.
func completions(t *testing.T, m backends.Model, sampling backends.Sampling) map[string]string {
	t.Helper()
	var requests []backends.Request
	for i := range 12 {
		prompt := fmt.Sprintf("Question:\nWhat is %d plus %d?\nOptions:\nA. %d\nB. %d\nAnswer: Let's think step by step.",
			i, 2*i+1, 3*i+1, 3*i)
		for range i % 4 {
			prompt = "Question:\nWhat is 2 plus 2?\nOptions:\nA. 5\nB. 4\nAnswer: The answer is (B).\n\n" + prompt
		}
		requests = append(requests, backends.Request{ID: fmt.Sprint(i), Prompt: prompt, MaxTokens: 24 + i, Sampling: sampling})
	}
	texts := map[string]string{}
	for id, c := range backendtest.Answers(t, m, requests, nil) {
		assert.Check(t, c.Finish != backends.FinishError, "%s: %s", id, c.Error)
		texts[id] = c.Text
	}
	return texts
}

func TestEachPenaltyChangesTextsAndNoNeighbourDoes(t *testing.T) {
	alone := open(t, llamacpp.Options{Settings: backends.Settings{Slots: 1, KVType: "f32", Context: 512}})
	eight := open(t, llamacpp.Options{Settings: backends.Settings{Slots: 8, KVType: "f32", Context: 512}})
	plain := completions(t, alone, backends.Sampling{})
	for name, sampling := range map[string]backends.Sampling{
		"repeat":           {RepeatPenalty: 1.5},
		"presence":         {PresencePenalty: 2},
		"frequency":        {FrequencyPenalty: 1},
		"all, drawn":       {Temperature: 0.8, Seed: 3, RepeatPenalty: 1.2, PresencePenalty: 1, FrequencyPenalty: 1},
		"a reward instead": {PresencePenalty: -2},
	} {
		t.Run(name, func(t *testing.T) {
			texts, changed := completions(t, alone, sampling), 0
			for id, text := range completions(t, eight, sampling) {
				assert.Check(t, text == texts[id], "%s: alone %q, among eight %q", id, texts[id], text)
				if text != plain[id] {
					changed++
				}
			}
			assert.Check(t, changed != 0, "no text differs from the one without penalties")
		})
	}
	for id, text := range completions(t, alone, backends.Sampling{RepeatPenalty: 1}) {
		assert.Check(t, text == plain[id], "%s: %q with a repeat penalty of 1, greedily %q", id, text, plain[id])
	}
}
