package llamacpp

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llamatest"
)

func tokensOf(c backends.Completion) []int32 {
	var tokens []int32
	for _, p := range c.Predictions {
		tokens = append(tokens, p.Token)
	}
	return tokens
}

// distribution is the softmax of scores in double precision, in logarithms.
func distribution(scores []float32) []float64 {
	best, mass := float64(slices.Max(scores)), 0.0
	for _, s := range scores {
		mass += math.Exp(float64(s) - best)
	}
	all := make([]float64, len(scores))
	for i, s := range scores {
		all[i] = float64(s) - best - math.Log(mass)
	}
	return all
}

// plainly returns an engine's distributions after a prompt and after each token of a completion but the last: it decodes the whole prompt, then
// token by token.
func plainly(t *testing.T, m *Model, prompt string, completion []int32) [][]float64 {
	t.Helper()
	tokens, err := m.weights.Tokenize(prompt)
	assert.NilError(t, err)
	m.engine.Clear()
	var batch engine.Batch
	for i, token := range tokens {
		batch = append(batch, engine.Token{ID: token, Position: int32(i), Draw: i == len(tokens)-1})
	}
	var all [][]float64
	for i := range completion {
		_, err := m.engine.Decode(batch)
		assert.NilError(t, err)
		all = append(all, distribution(m.engine.Scores(len(batch)-1)))
		batch = engine.Batch{{ID: completion[i], Position: int32(len(tokens) + i), Draw: true}}
	}
	return all
}

// threeModels are the control model, a random one and its Q4_K_M, by name.
func threeModels(t *testing.T) map[string]string {
	random := tinyPath(t)
	return map[string]string{"control": "../embedded/control.gguf", "random": random, "random Q4_K_M": quantised(t, random, "Q4_K_M")}
}

func TestPredictionsAreThePlainSoftmaxInDoublePrecision(t *testing.T) {
	for name, path := range threeModels(t) {
		m := open(t, Options{Settings: backends.Settings{Slots: 1, Context: 512, Kernels: KernelsGGML}, Path: path})
		r := fewShot(1, 1, 60, 24)[0]
		r.Logprobs = backends.TopLogprobs
		c := generate(t, m, r)[0]
		want := plainly(t, m, r.Prompt, tokensOf(c))
		assert.Assert(t, len(c.Predictions) >= 5, "%s: %d predictions", name, len(c.Predictions))
		for i, p := range c.Predictions {
			comparePrediction(t, fmt.Sprintf("%s, token %d", name, i), p, want[i])
		}
	}
}

// comparePrediction holds a prediction against the logarithms of all probabilities.
func comparePrediction(t *testing.T, what string, p backends.Prediction, want []float64) {
	t.Helper()
	order := make([]int32, len(want))
	entropy := 0.0
	for i, ln := range want {
		order[i] = int32(i)
		entropy -= math.Exp(ln) * ln
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(want[b], want[a]) })
	rest := 0.0
	for _, token := range order[len(p.Top):] {
		rest += math.Exp(want[token])
	}
	near := func(figure string, got, want float64) {
		assert.Check(t, math.Abs(got-want) <= 1e-9*max(1, math.Abs(want)), "%s: %s is %.15g, plainly %.15g", what, figure, got, want)
	}
	near("logprob", p.Logprob, want[p.Token])
	near("entropy", p.Entropy, entropy)
	near("rest", p.Rest, math.Log(rest))
	for i, top := range p.Top {
		assert.Assert(t, top.Token == order[i], "%s: place %d of the likeliest is %d, plainly %d", what, i, top.Token, order[i])
		near("a top logprob", top.Logprob, want[top.Token])
	}
}

func TestAModelForcedThroughItsOwnCompletionsSaysWhatItSaid(t *testing.T) {
	if !kernels.Available() {
		t.Skip("ggml's kernels compute a token otherwise among others than alone")
	}
	requests := fewShot(2, 8, 60, 24)
	for i := range requests {
		requests[i].Logprobs = backends.TopLogprobs
	}
	models := threeModels(t)
	for _, architecture := range []llamatest.Architecture{llamatest.Mamba, llamatest.Jamba, llamatest.Gemma3} {
		models[string(architecture)] = architecturePath(t, architecture, "Q4_K_M")
	}
	for name, path := range models {
		written := generate(t, open(t, Options{Settings: backends.Settings{Slots: 16, Context: 512,
			Kernels: KernelsProctor}, Path: path}), requests...)
		forced := slices.Clone(requests)
		for i, c := range written {
			forced[i].Forced = &backends.Forced{Tokens: tokensOf(c), Ask: make([][]int32, len(c.Predictions))}
			for j, p := range c.Predictions {
				for _, top := range p.Top {
					forced[i].Forced.Ask[j] = append(forced[i].Forced.Ask[j], top.Token)
				}
			}
		}
		for _, slots := range []int{1, 16} {
			m := open(t, Options{Settings: backends.Settings{Slots: slots, Kernels: KernelsProctor}, Path: path})
			longest := backends.Workload{PromptTokens: 512, Forced: true}
			_, err := m.Plan(t.Context(), longest)
			assert.NilError(t, err)
			for i, c := range generate(t, m, forced...) {
				for j, p := range c.Predictions {
					was := written[i].Predictions[j]
					if p.Logprob != was.Logprob || p.Entropy != was.Entropy || !slices.Equal(p.Top, was.Top) ||
						p.AskLogprobs[3] != was.Top[3].Logprob {
						t.Fatalf("%s, %d slots, %s, token %d: %+v, was %+v", name, slots, c.ID, j, p, was)
					}
				}
			}
		}
	}
}
