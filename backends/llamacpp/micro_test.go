package llamacpp

import (
	"context"
	"slices"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/stream"
	"proctor/scripts/tests/sharedtest"
)

// What a run does beside decoding, piece by piece.

// fiveShot is a question's prompt of the usual length.
func fiveShot() string { return fewShot(1, 1, 700, 160)[0].Prompt }

func BenchmarkTokenize(b *testing.B) {
	m := open(b, Options{})
	prompt := fiveShot()
	tokens := 0
	for b.Loop() {
		ids, err := m.Tokenize(prompt)
		if err != nil {
			b.Fatal(err)
		}
		tokens += len(ids)
	}
	b.SetBytes(int64(len(prompt)))
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}

func BenchmarkDetokenize(b *testing.B) {
	m := open(b, Options{})
	tokens, err := m.Tokenize(fiveShot())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		text := stream.NewText([]string{"Question:", "\n\n\n"})
		for _, token := range tokens[1:] { // the first begins all texts, and has none itself
			if text.Add(m.weights.Piece(nil, token)) {
				b.Fatal("a stop string was found")
			}
		}
	}
	b.ReportMetric(float64(b.N*len(tokens[1:]))/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkSampler tells what drawing a token takes: the difference between decodes that draw and decodes that don't.
func BenchmarkSampler(b *testing.B) {
	vocabulary, err := llamatest.VocabularyOf(sharedtest.Path(b, "models/vocab-phi-3.gguf"))
	if err != nil {
		b.Skip("drawing takes time where there are many tokens to draw from: ", err)
	}
	path, err := writeTiny("shallow.gguf", func(m *llamatest.Model) {
		m.Vocabulary = vocabulary
		m.Shape = llamatest.Shape{Width: 64, Heads: 2, KVHeads: 1, Inner: 64, Layers: 1, Context: 256}
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []struct {
		name     string
		sampling backends.Sampling
	}{
		{"greedy", backends.Sampling{}},
		{"temperature", backends.Sampling{Temperature: 1, TopP: 1, Seed: 1}},
		{"penalties", backends.Sampling{RepeatPenalty: 1.1, PresencePenalty: 0.5, FrequencyPenalty: 0.5}},
		{"top-k and top-p", backends.Sampling{Temperature: 1, TopK: 40, TopP: 0.95, Seed: 1}},
	} {
		b.Run(way.name, func(b *testing.B) {
			m := open(b, Options{Path: path, Slots: 1, Context: 256})
			if _, err := m.Plan(context.Background(), backends.Workload{}); err != nil {
				b.Fatal(err)
			}
			e := m.engine
			sampler := e.NewSampler(way.sampling, nil)
			if sampler != nil {
				defer sampler.Close()
			}
			bos, _ := m.weights.BOS()
			batch := engine.Batch{{ID: bos, Draw: true, Sampler: sampler}}
			timed := func(decode func() error) time.Duration {
				e.Clear()
				began := time.Now()
				if err := decode(); err != nil {
					b.Fatal(err)
				}
				return time.Since(began)
			}
			var extra []time.Duration
			for b.Loop() {
				without := timed(func() error { return e.Evaluate(batch) })
				with := timed(func() error {
					_, err := e.Decode(batch)
					return err
				})
				extra = append(extra, with-without)
			}
			slices.Sort(extra)
			b.ReportMetric(float64(extra[len(extra)/2]), "ns/draw")
			b.ReportMetric(float64(m.weights.Tokens()), "scores")
		})
	}
}
