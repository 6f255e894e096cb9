package llamacpp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/schedule"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
)

func firstLetters(s string) string {
	letters := []rune(s)
	return string(letters[:min(3, len(letters))])
}

// treeOf counts the tokens of the requests' tree of prefixes, whose nodes are every distinct beginning, and those of all prompts.
func treeOf(t *testing.T, m *Model, requests []backends.Request) (tree, total int) {
	t.Helper()
	nodes := map[string]bool{}
	for _, r := range requests {
		tokens, err := m.Tokenize(r.Prompt)
		assert.NilError(t, err)
		for i := range tokens {
			nodes[fmt.Sprint(tokens[:i+1])] = true
		}
		total += len(tokens)
	}
	return len(nodes), total
}

func TestSamplingFollowsTheSeed(t *testing.T) {
	m := open(t, Options{Settings: backends.Settings{Slots: 1, Context: 512}})
	draw := func(s backends.Sampling) string {
		return generate(t, m, backends.Request{ID: "x", Prompt: "Question", MaxTokens: 16, Sampling: s})[0].Text
	}
	greedy := draw(backends.Sampling{})
	for name, s := range map[string]backends.Sampling{
		"a temperature near zero":  {Temperature: 1e-4, Seed: 1},
		"only the likeliest token": {Temperature: 5, TopK: 1, Seed: 2},
		"a tiny mass":              {Temperature: 1, TopP: 1e-6, Seed: 3},
		"nothing but the best":     {Temperature: 1, MinP: 1, Seed: 4},
	} {
		assert.Check(t, is.Equal(draw(s), greedy), "%s", name)
	}
	texts := map[string]bool{}
	for seed := range uint32(5) {
		texts[draw(backends.Sampling{Temperature: 1.5, Seed: seed})] = true
	}
	assert.Check(t, len(texts) >= 4, "5 seeds give %d different texts", len(texts))
}

// What is drawn follows from the request and the tokens before: not from other slots, and not from where an answer was
// interrupted.
func TestASampledAnswerIsTheSameInAnySlotAndResumed(t *testing.T) {
	for name, s := range map[string]backends.Sampling{
		"drawn": {Temperature: 1.2, TopP: 0.95}, "with penalties": {Temperature: 1.2, TopK: 500, RepeatPenalty: 1.2,
			FrequencyPenalty: 0.3},
	} {
		requests := fewShot(2, 4, 60, 20)
		for i := range requests {
			requests[i].Sampling, requests[i].Sampling.Seed, requests[i].Every = s, uint32(i), 1
		}
		drawn := map[string][]int32{} // as it was handed over last
		texts := map[string]string{}
		take := func(c backends.Completion) error {
			if c.Finish == backends.FinishOpen {
				drawn[c.ID] = c.Tokens
				return nil
			}
			if text, known := texts[c.ID]; known {
				assert.Check(t, is.Equal(c.Text, text), "%s, %s", name, c.ID)
			}
			texts[c.ID] = c.Text
			return nil
		}
		for _, slots := range []int{1, 3, 8} {
			m := open(t, Options{Settings: backends.Settings{Slots: slots, Context: 512}})
			assert.NilError(t, m.Generate(t.Context(), slices.Values(requests), take))
			for i := range requests {
				if tokens := drawn[requests[i].ID]; slots == 1 && len(tokens) > 0 { // the others resume
					requests[i].Drawn = tokens[:1+i*3%len(tokens)]
				}
			}
		}
		assert.Check(t, len(requests[1].Drawn) > 0 && len(texts) == len(requests), "%d answers", len(texts))
	}
}

func TestAnEndTokenEndsTheText(t *testing.T) {
	free := open(t, Options{Settings: backends.Settings{Slots: 1, Context: 512}})
	r := backends.Request{ID: "x", Prompt: "Question", MaxTokens: 20, Logprobs: 1}
	whole := generate(t, free, r)[0]
	// The token that the free model draws after some others becomes the end.
	tokens, at := tokensOf(whole), 6
	for slices.Contains(tokens[:at], tokens[at]) {
		at++
	}
	path := written(t, "ending.gguf", func(m *llamatest.Model) { m.EndAfter = tokens[at] })
	unending := r
	unending.ID, unending.IgnoreEOS = "goes on", true
	both := generate(t, open(t, Options{Settings: backends.Settings{Slots: 2, Context: 512}, Path: path}), r, unending)
	c := both[0]
	assert.Check(t, c.Finish == backends.FinishStop && c.Cause == "" && c.Usage.OutputTokens == at,
		"finish %q, cause %q, %d tokens; want a stop after %d", c.Finish, c.Cause, c.Usage.OutputTokens, at)
	assert.Check(t, strings.HasPrefix(whole.Text, strings.TrimRight(c.Text, "\uFFFD")),
		"got %q, which does not begin %q", c.Text, whole.Text)
	past := both[1]
	assert.Check(t, past.Finish == backends.FinishLength && past.Usage.OutputTokens == r.MaxTokens, "told to resume: %+v", past)
}

func TestABatchHoldsATokenOfEverySlot(t *testing.T) {
	m := open(t, Options{Settings: backends.Settings{Slots: 16, Context: 256}, Batch: 8})
	requests := fewShot(2, 10, 20, 8)
	for i, c := range generate(t, m, requests...) {
		assert.Check(t, c.Finish != backends.FinishError && c.Usage.OutputTokens == requests[i].MaxTokens, "%+v", c)
	}
	e := m.settings.EngineInfo
	assert.Check(t, e.Batch == 16 && e.Microbatch == 8, "batches of %d, microbatches of %d", e.Batch, e.Microbatch)
	errortest.For(t, "a batch that is too large", m.engine.Evaluate(make(engine.Batch, 17)), "more than the 16")
}

// A batch of a large model takes hours where cores are few: its operations say that it gets on.
func TestABatchCountsItsOperations(t *testing.T) {
	m, _, _ := planned(t, Options{Settings: backends.Settings{Slots: 1, Context: 512}})
	operations, batches := llama.Operations(), llama.Batches()
	_, err := m.engine.Decode(engine.Batch{{ID: 5, Draw: true}})
	assert.NilError(t, err)
	more := llama.Operations() - operations
	assert.Check(t, more >= 20 && llama.Batches() == batches+1, "%d operations in %d batches", more, llama.Batches()-batches)
}

func TestStatesAndCheckpointsArePlanned(t *testing.T) {
	for _, architecture := range []llamatest.Architecture{
		llamatest.Mamba, llamatest.Jamba, llamatest.GraniteHybrid, llamatest.FalconH1, llamatest.NemotronH, llamatest.LFM2,
		llamatest.Qwen3Next, llamatest.RWKV6, llamatest.RWKV7, llamatest.Gemma3n, // whose last layers use an earlier cache
	} {
		for _, slots := range []int{1, 3} {
			o := Options{Settings: backends.Settings{Threads: 1, Slots: slots, Context: 512}, Path: architecturePath(t,
				architecture, "F16")}
			if planned, taken, _ := cacheOf(t, o); math.Abs(planned-taken) > 0.04 || taken == 0 {
				t.Errorf("%s, %d slots: planned %.2f MiB, the engine has %.2f", architecture, slots, planned, taken)
			}
		}
	}
}

// A loaded engine does not say what a layer keeps, so that is measured.
func TestThePlanOfALoadedEngineIsWhatItTakes(t *testing.T) {
	folder := sharedtest.Engine(t)
	for _, architecture := range slices.Concat(llamatest.Architectures(), llamatest.Newer()) {
		for _, slots := range []int{1, 5} {
			o := Options{Settings: backends.Settings{Engine: folder, Threads: 1, Slots: slots, Context: 1024},
				Path: loadedPath(t, architecture)}
			planned, taken, known := cacheOf(t, o)
			assert.Check(t, !known || math.Abs(planned-taken) <= 0.1*taken && taken != 0,
				"%s, %d slots: planned %.2f MiB, the engine has %.2f", architecture, slots, planned, taken)
			t.Logf("%s, %d slots: planned %.2f MiB, %.2f are taken", architecture, slots, planned, taken)
		}
	}
}

// cacheOf is how many MiB of states, with their checkpoints, and of cache a model is planned to take, and what its engine takes. A model
// that a loaded engine does not know is none.
func cacheOf(t *testing.T, o Options) (planned, taken float64, known bool) {
	t.Helper()
	var lines engineLines
	o.Log = lines.log
	m, err := Open(t.Context(), o)
	if err != nil {
		if o.Engine == "" {
			t.Fatal(err)
		}
		return 0, 0, false
	}
	defer m.Close()
	lines.text = nil // of the contexts that were measured
	a, err := m.Plan(t.Context(), backends.Workload{})
	assert.NilError(t, err)
	taken = lines.mebibytes("KV") + lines.mebibytes("RS")*float64(o.Slots+schedule.MostCheckpoints)/float64(o.Slots)
	return float64(a.KV) / (1 << 20), taken, true
}

// windows are the architectures some of whose layers look back through a sliding window.
var windows = []llamatest.Architecture{llamatest.Gemma2, llamatest.Gemma3, llamatest.GPTOSS}

// Where a cache of all tokens costs slots, layers with a window keep those in it alone, and the plan counts them.
func TestWindowsAreKeptAloneWhereThatGivesMoreSlots(t *testing.T) {
	w := backends.Workload{Requests: 100, PromptTokens: 900, MaxTokens: 1000}
	for _, architecture := range windows {
		path := architecturePath(t, architecture, "F16")
		plenty := open(t, Options{Path: path, Microbatch: 64, Batch: 64})
		whole, err := plenty.Plan(context.Background(), w)
		assert.NilError(t, err)
		assert.Check(t, !plenty.settings.KVWindowed && whole.Slots == 16 && !strings.Contains(whole.Description, "windows"),
			"%s: %+v with %d slots where there is plenty of memory: %s", architecture, plenty.settings, whole.Slots, whole.Description)
		var lines engineLines
		half := open(t, Options{Path: path, Microbatch: 64, Batch: 64, MemoryLimit: (whole.Total() + whole.Weights) / 2, Log: lines.log})
		a, err := half.Plan(context.Background(), w)
		assert.NilError(t, err)
		full, exact := half.memory, half.memory
		full.KeepWindows, exact.Checkpoints = true, 0
		s, err := full.Settings(w, half.requested)
		fit := s.Slots
		assert.Check(t, err == nil && half.settings.KVWindowed && a.Slots > fit && strings.Contains(a.Description, "windows"),
			"%s: %d slots, %d of them would fit with all tokens, %v: %s", architecture, a.Slots, fit, err, a.Description)
		cache := lines.mebibytes("KV")
		planned := float64(exact.Allocate(half.settings).KV) / (1 << 20)
		assert.Check(t, math.Abs(planned-cache) <= 0.05,
			"%s: planned a cache of %.2f MiB, the engine made one of %.2f", architecture, planned, cache)
		t.Logf("%s: %s; with all tokens %d slots", architecture, a.Description, fit)
	}
}

func TestWindowsAloneGiveTheSameTextsAndReuse(t *testing.T) {
	requests := fewShot(2, 4, 40, 130)
	capped(requests, 8)
	for _, architecture := range windows {
		t.Run(string(architecture), func(t *testing.T) {
			options := Options{Settings: backends.Settings{Kernels: DefaultKernels()}, Path: architecturePath(t, architecture,
				"F16"), Microbatch: 64}
			options.Like = &backends.EngineInfo{KVWindowed: true}
			answerAll(t, options, kernels.Available(), requests)
		})
	}
}

func TestAWindowThatMovedOnIsNotCutBack(t *testing.T) {
	m, _, _ := planned(t, Options{Settings: backends.Settings{Slots: 1, Context: 1024}, Path: architecturePath(t,
		llamatest.Gemma2, "F16"), Microbatch: 64, Batch: 64, Like: &backends.EngineInfo{KVWindowed: true}})
	for at := range int32(600) {
		assert.NilError(t, m.engine.Evaluate(engine.Batch{{ID: at%100 + 300, Position: at}}))
	}
	assert.Check(t, m.engine.Trim(0, 590), "a few tokens cannot be cut off")
	if m.engine.Trim(0, 380) { // the cache has 256 cells: those of the window before are gone
		t.Error("a window that is gone was cut back to")
	}
}
