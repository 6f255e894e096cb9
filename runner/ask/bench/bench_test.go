package bench

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	"gotest.tools/v3/golden"

	"proctor/backends"
	"proctor/backends/scripted"
)

func TestRatesAreAveragedNotTimes(t *testing.T) {
	row := newTest(Head{}, backends.EngineTest{Prompt: 100}, began, milliseconds(100, 200, 400))
	// 1000, 500 and 250 tokens a second; their mean is not 300 tokens in 0.7 s.
	assert.Check(t, math.Abs(row.Mean-1750.0/3) <= 1e-9, "mean %g", row.Mean)
	variance := 0.0
	for _, rate := range []float64{1000, 500, 250} {
		variance += (rate - 1750.0/3) * (rate - 1750.0/3) / 2
	}
	assert.Check(t, math.Abs(row.Deviation-math.Sqrt(variance)) <= 1e-9, "deviation %g, want %g", row.Deviation, math.Sqrt(variance))
	assert.Check(t, row.MeanNanoseconds == 233333333 && slices.Equal(row.Nanoseconds, []int64{1e8, 2e8, 4e8}) &&
		row.Time == "2026-11-20T08:30:00Z", "%+v", row)
	once := newTest(Head{}, backends.EngineTest{Prompt: 100}, began, milliseconds(100))
	assert.Check(t, once.Deviation == 0 && once.DeviationNanoseconds == 0, "a single repetition has a deviation: %+v", once)
}

func TestATestWhoseRepetitionsScatterIsMarked(t *testing.T) {
	for _, test := range []struct {
		deviation float64
		want      string
		marked    bool
	}{{41.84, "29.96 ± 41.84 !", true}, {3.5, "29.96 ± 3.50 !", true}, {2.5, "29.96 ± 2.50", false}, {0, "29.96 ± 0.00", false}} {
		row := Test{Head: Head{Build: cpu}, Generate: 4, Mean: 29.96, Deviation: test.deviation}
		out := written(t, "md", Table{Build: cpu}, []Test{row})
		assert.Check(t, is.Contains(out, " "+test.want+" |"))
		assert.Check(t, strings.Contains(out, "\n! the repetitions") == test.marked, "± %g:\n%s", test.deviation, out)
	}
	assert.Check(t, is.Equal(rate(2, 0.5), "2.00 ± 0.50 !"))
	assert.Check(t, is.Equal(rate(0, 0.5), "n/a"), "what was not decoded has no speed")
}

var (
	began = time.Date(2026, 11, 20, 9, 30, 0, 0, time.FixedZone("CET", 3600))
	cpu   = Build{Commit: "ec98e2002", CPUs: "A CPU of 2 cores", Backends: "CPU"}
	gpu   = Build{Commit: "ec98e2002", CPUs: "A CPU", GPUs: "A \"GPU\", twice", Backends: "CUDA"}
	small = backends.Summary{Type: "llama 100M Q4_K - Medium", SizeBytes: 61_234_567, Parameters: 99_876_543}
	large = backends.Summary{Type: "llama's 8B | Q8_0", SizeBytes: 8_540_000_000, Parameters: 8_030_000_000}
	plain = backends.EngineSettings{Batch: 2048, Microbatch: 512, Threads: 2}
)

func milliseconds(n ...int) (all []time.Duration) {
	for _, each := range n {
		all = append(all, time.Duration(each)*time.Millisecond)
	}
	return all
}

func tests(build Build) []Test {
	head := Head{build, "models/small.gguf", small, plain, "", backends.Load{}}
	other := Head{build, "large.gguf", large, backends.EngineSettings{
		Batch: 1024, Microbatch: 256, Threads: 4, GPULayers: 99, FlashAttention: true,
	}, "", backends.Load{}}
	return []Test{
		newTest(head, backends.EngineTest{Prompt: 512}, began, milliseconds(800, 810, 790, 805, 795)),
		newTest(head, backends.EngineTest{Generate: 128}, began, milliseconds(1280, 1280, 1280)),
		newTest(other, backends.EngineTest{Prompt: 512}, began, milliseconds(4000)),
		newTest(other, backends.EngineTest{Prompt: 16}, began, milliseconds(20, 30)),
	}
}

func evals() []Eval {
	passes := func(walls ...time.Duration) []Pass {
		var all []Pass
		for _, wall := range walls {
			all = append(all, Pass{Wall: wall, Prefill: wall / 4, Decode: wall / 2,
				Usage: backends.Usage{PromptTokens: 48 * 1238, ReusedTokens: 47 * 1018, OutputTokens: 48 * 64}})
		}
		return all
	}
	eval := Eval{Head: Head{cpu, "models/small.gguf", small, plain, "", backends.Load{}},
		Slots: 16, Context: 1536, Questions: 48, Shared: 1018, Own: 220, Generate: 64}
	eval.Kernels = "proctor"
	alone := eval
	alone.Slots, alone.Kernels, alone.Because = 1, "ggml", "its release is not known"
	row := func(eval Eval, passes []Pass) Eval {
		return evalOf([]*session{{row: eval, began: began, passes: passes}})
	}
	return []Eval{row(eval, passes(26*time.Second, 27*time.Second, 28*time.Second)), row(alone, passes(50*time.Second))}
}

// written is rows in a format.
func written[R Row](t *testing.T, format string, table Table, rows []R) string {
	t.Helper()
	var out strings.Builder
	p, err := NewPrinter(format, &out, table)
	for i := 0; err == nil && i < len(rows); i++ {
		err = p.Print(rows[i])
	}
	if err == nil {
		err = p.Close()
	}
	assert.NilError(t, err)
	return out.String()
}

func TestGoldenRows(t *testing.T) {
	all := []string{"n_gpu_layers", "n_threads", "flash_attn"}
	golden.Assert(t, written(t, "md", Table{Build: gpu, Show: all}, tests(gpu)), "tests-gpu.md")
	for _, format := range Formats {
		t.Run(format, func(t *testing.T) {
			golden.Assert(t, written(t, format, Table{Build: cpu}, tests(cpu)), "tests."+format)
			golden.Assert(t, written(t, format, Table{Build: cpu, Show: []string{"kernels"}}, evals()), "eval."+format)
		})
	}
}

func TestMadeUpPromptsAreAsLongAsTheyAreMeantToBe(t *testing.T) {
	m := MadeUp{Questions: 6, Shared: 120, Own: 30, Generate: 5}
	model := &scripted.Model{}
	texts, work, err := m.prompts(model)
	assert.NilError(t, err)
	assert.Check(t, is.Len(texts, 6))
	assert.Check(t, is.Equal(work, backends.Workload{Requests: 6, PromptTokens: 150, UniqueTokens: 120 + 6*30,
		MaxTokens: 5}))
	first, err := model.Tokenize(texts[0])
	assert.NilError(t, err)
	for i, text := range texts {
		tokens, err := model.Tokenize(text)
		assert.NilError(t, err)
		shared := 0 // where the own part begins, a token may hold letters of both
		for shared < min(len(first), len(tokens)) && first[shared] == tokens[shared] {
			shared++
		}
		assert.Check(t, len(tokens) == 150 && (i == 0 || shared >= 119 && shared <= 140), "%d, %d, %d", i, len(tokens), shared)
	}
}

// wordless cannot count, as a server's model cannot whose vocabulary is not at hand.
type wordless struct{}

func (wordless) Tokenize(string) ([]int32, error) { return nil, errors.ErrUnsupported }

// longWords reads every letter as a token: no word is one.
type longWords struct{}

func (longWords) Tokenize(text string) ([]int32, error) { return make([]int32, len(text)), nil }

func TestPromptsOfAnUnknownVocabularyAreRefused(t *testing.T) {
	m := MadeUp{Questions: 1, Shared: 10, Own: 10, Generate: 1}
	_, _, err := m.prompts(wordless{})
	assert.Check(t, errors.Is(err, errors.ErrUnsupported) && strings.Contains(err.Error(), "its file must be at hand"), "%v", err)
	texts, _, err := m.prompts(longWords{})
	assert.Check(t, err == nil && len(texts[0]) >= 15 && len(texts[0]) <= 25, "%d, %v", len(texts[0]), err)
}

func TestRequestsAreAlikeForEveryModel(t *testing.T) {
	for _, drawn := range []bool{false, true} {
		all := Load{Drawn: drawn}.requests([]string{"a", "b"}, 7)
		r := all[1]
		assert.Check(t, len(all) == 2 && r.ID == "1" && r.Prompt == "b" && r.MaxTokens == 7, "%+v", all)
		assert.Check(t, r.IgnoreEOS != drawn && (r.Sampling.Temperature > 0) == drawn && (r.Sampling.Seed == 2) == drawn, "%+v", r)
	}
}
