package llamacpp

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/stream"
)

// plain answers a request the way a first program would: the whole prompt into an empty cache, microbatch by microbatch, then token by token.
// One slot with prefix reuse must give the same text.
func plain(t testing.TB, m *Model, r backends.Request) string {
	t.Helper()
	tokens, err := m.weights.Tokenize(r.Prompt)
	assert.NilError(t, err)
	e := m.engine
	e.Clear()
	all, position := slices.Clone(tokens), 0
	text := stream.NewText(r.Stop)
	at := 0
	feed := func(tokens []int32) int32 {
		for {
			n := min(len(tokens), m.options.Microbatch)
			var batch engine.Batch
			var sampler *engine.Sampler
			if r.Sampling.Temperature > 0 || r.Sampling.Penalises() {
				sampler = &engine.Sampler{Sampling: r.Sampling, Before: all, Position: position}
			}
			for i, token := range tokens[:n] {
				batch = append(batch, engine.Token{ID: token, Position: int32(at + i), Draw: i == len(tokens)-1, Sampler: sampler})
			}
			drawn, err := e.Decode(batch)
			assert.NilError(t, err)
			at += n
			if tokens = tokens[n:]; len(tokens) == 0 {
				return drawn[n-1]
			}
		}
	}
	token := feed(tokens)
	for n := 1; !m.weights.IsEnd(token); n++ {
		if text.Add(m.weights.Piece(nil, token)) || n == r.MaxTokens {
			break
		}
		all, position = append(all, token), n
		token = feed([]int32{token})
	}
	return text.String()
}

// fewShot returns requests as few-shot tasks have them: a few subjects, whose questions share a long beginning.
func fewShot(subjects, questions, shotWords, ownWords int) []backends.Request {
	random := rand.New(rand.NewPCG(3, 4))
	vocabulary := strings.Fields("the of and to in is that question answer options think step let true false 1 2 3 A) B) C) " +
		"Ünïcode 漢字 zygote π → therefore, people")
	write := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(vocabulary[random.IntN(len(vocabulary))])
			b.WriteByte(" \n"[random.IntN(12)/11])
		}
		return b.String()
	}
	var requests []backends.Request
	for s := range subjects {
		shots := write(shotWords + s)
		for q := range questions {
			requests = append(requests, backends.Request{
				ID: fmt.Sprintf("%d/%d", s, q), Prompt: shots + write(ownWords/2+random.IntN(ownWords)), MaxTokens: 24,
				Partings: func() []int { return []int{len(shots)} },
			})
		}
	}
	return requests
}

func TestOneSlotGivesThePlainLoopsTexts(t *testing.T) {
	// Deeper than the tiny model, so that any difference in the numbers soon becomes one in the text.
	whole := written(t, "deep.gguf", func(m *llamatest.Model) { m.Shape.Layers = 8 })
	models := map[string]string{"F16": whole, "Q4_K_M": quantised(t, whole, "Q4_K_M")}
	for path := range strings.FieldsSeq(os.Getenv("PROCTOR_TEST_MODELS")) {
		models[path] = path
	}
	for name, path := range models {
		t.Run(name, func(t *testing.T) {
			m := open(t, Options{Settings: backends.Settings{Slots: 1, Context: 2048}, Path: path, Batch: 128})
			requests := fewShot(2, 3, 60, 24)
			for cut := range 10 { // prompts of all lengths, each the beginning of the one before
				last := requests[len(requests)-1]
				last.ID, last.Prompt = fmt.Sprint("cut/", cut), last.Prompt[:len(last.Prompt)-1]
				for !utf8.ValidString(last.Prompt) {
					last.Prompt = last.Prompt[:len(last.Prompt)-1]
				}
				requests = append(requests, last)
			}
			first := generate(t, m, requests...)
			second := generate(t, m, requests...)
			reused, prompt, texts := 0, 0, map[string]bool{}
			for i, r := range requests {
				assert.Check(t, first[i].Text == second[i].Text, "%s: two runs differ:\n%q\n%q", r.ID, first[i].Text, second[i].Text)
				want := plain(t, m, r)
				assert.Check(t, first[i].Text == want, "%s: got\n%q\nthe plain loop gives\n%q", r.ID, first[i].Text, want)
				reused += first[i].Usage.ReusedTokens
				prompt += first[i].Usage.PromptTokens
				texts[first[i].Text] = true
			}
			assert.Check(t, reused >= prompt/2, "%d of %d prompt tokens were reused: the test says nothing", reused, prompt)
			assert.Check(t, len(texts) >= len(requests)-1, "%d different texts of %d: the test says little", len(texts), len(requests))
			t.Logf("reused %d of %d prompt tokens; e.g. %q", reused, prompt, first[1].Text)
		})
	}
}
