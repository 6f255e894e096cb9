package llamacpp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/quantize"
	"proctor/backends/machine"
	"proctor/scripts/tests/sharedtest"
)

// large is a random-weight model of 100 million parameters in Q4_K_M, or the one that PROCTOR_BENCH_MODEL names.
var large = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("PROCTOR_BENCH_MODEL"); path != "" {
		return path, nil
	}
	vocabulary := llamatest.SmallVocabulary()
	if path, there := sharedtest.Find("models/vocab-phi-3.gguf"); there {
		var err error
		if vocabulary, err = llamatest.VocabularyOf(path); err != nil {
			return "", err
		}
	}
	shape, err := llamatest.Sized(100e6, vocabulary.Size())
	if err != nil {
		return "", err
	}
	whole, path := filepath.Join(scratch, "large.gguf"), filepath.Join(scratch, "large-Q4_K_M.gguf")
	if err := llamatest.Write(whole, llamatest.Model{Name: "large", Vocabulary: vocabulary, Shape: shape}); err != nil {
		return "", err
	}
	return path, quantize.Write(context.Background(), quantize.Options{Source: whole, Target: path, Type: "Q4_K_M"})
})

// BenchmarkExam answers questions with prompts of about 1,000 shared and 200 own tokens, 64 generated.
func BenchmarkExam(b *testing.B) {
	path, err := large()
	if err != nil {
		b.Fatal(err)
	}
	for _, slots := range []int{1, 16} {
		b.Run(fmt.Sprint("slots=", slots), func(b *testing.B) {
			m := open(b, Options{Path: path, Slots: slots, Threads: machine.Cores(), Context: 2048})
			if _, err := m.Plan(context.Background(), backends.Workload{}); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			var usage backends.Usage
			var timing backends.Timing
			items := 0
			for range b.N {
				requests := fewShot(1, 16, 330, 70)
				capped(requests, 64)
				err := m.Generate(context.Background(), slices.Values(requests), func(c backends.Completion) error {
					items++
					usage.PromptTokens += c.Usage.PromptTokens
					usage.ReusedTokens += c.Usage.ReusedTokens
					usage.OutputTokens += c.Usage.OutputTokens
					timing.Prefill += c.Timing.Prefill
					timing.Decode += c.Timing.Decode
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			perSecond := func(n int, d time.Duration) float64 { return float64(n) / d.Seconds() }
			b.ReportMetric(perSecond(items, b.Elapsed()), "questions/s")
			b.ReportMetric(perSecond(usage.PromptTokens-usage.ReusedTokens, timing.Prefill), "prefill-t/s")
			b.ReportMetric(perSecond(usage.OutputTokens, timing.Decode), "decode-t/s")
			b.ReportMetric(float64(usage.ReusedTokens)/float64(usage.PromptTokens), "reused")
			b.ReportMetric(100*(1-(timing.Prefill+timing.Decode).Seconds()/b.Elapsed().Seconds()), "%-outside")
			b.ReportMetric(float64(usage.PromptTokens)/float64(items), "prompt-tokens")
		})
	}
}
