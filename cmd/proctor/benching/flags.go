package benching

import (
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/options"
	"proctor/runner/ask/bench"
)

// flags are the command's, which are llama-bench's but for those of --exam.
func (o *benchOptions) flags(w *flags.Words) []cli.Flag {
	o.format = bench.Formats[0]
	return slices.Concat(options.GPUFlags(&o.gpus), o.testFlags(w), o.evalFlags(w), []cli.Flag{
		w.Text("output", &o.format),
		w.Switch("verbose", &o.verbose),
	})
}

// testFlags say what is measured, and how models are computed.
func (o *benchOptions) testFlags(w *flags.Words) []cli.Flag {
	return []cli.Flag{
		flags.List(w, "model", &o.models, word),
		flags.List(w, "n-prompt", &o.prompts, flags.Span),
		flags.List(w, "n-gen", &o.generated, flags.Span),
		flags.List(w, "pg", &o.pairs, flags.Span),
		flags.List(w, "n-depth", &o.depths, flags.Span),
		w.Int("repetitions", &o.repetitions, func(_ string, n int) error {
			if n < 1 {
				return fmt.Errorf("-r %d: measure at least once", n)
			}
			return nil
		}),
		w.Switch("no-warmup", &o.cold),
		w.Switch("like-llama-bench", &o.likeLlama),

		flags.List(w, "engine", &o.engines, word),
		flags.List(w, "threads", &o.threads, cpus),
		flags.List(w, "batch-size", &o.batches, above0),
		flags.List(w, "ubatch-size", &o.microbatches, above0),
		flags.List(w, "n-gpu-layers", &o.gpuLayers, layersOnGPUs),
		flags.List(w, "cache-type-k", &o.keys, word),
		flags.List(w, "cache-type-v", &o.values, word),
		flags.List(w, "flash-attn", &o.flash, flashAttention),
		flags.List(w, "mmap", &o.mapped, zeroOrOne),
		flags.List(w, "kernels", &o.kernels, word),

		w.Switch("batched", &o.batched), // llama-batched-bench's
		flags.List(w, "npp", &o.prompts, flags.Span),
		flags.List(w, "ntg", &o.generated, flags.Span),
		flags.List(w, "npl", &o.parallel, flags.Span),
		w.Switch("pps", &o.shared),
	}
}

// evalFlags say which questions are answered, and in which ways.
func (o *benchOptions) evalFlags(w *flags.Words) []cli.Flag {
	atLeastOne := flags.Valid(func(n int) bool { return n > 0 }, "it must be at least 1")
	o.rounds, o.madeUp = 1, bench.MadeUp{Questions: 48, Shared: 1018, Own: 220, Generate: 64}
	return []cli.Flag{
		w.Switch("exam", &o.eval),
		flags.List(w, "slots", &o.slots, orWords(map[string]int{flags.Auto: autoSlots, plainName: plainLoop, plainestName: plainest})),
		flags.List(w, "concurrency", &o.concurrency, orWords(map[string]int{flags.Auto: autoSlots})),
		flags.List(w, "peer", &o.peers, peerOf),
		w.Switch("in-process", &o.inProcess),
		w.Int("rounds", &o.rounds, atLeastOne),
		w.Text("data", &o.data.Ref),
		w.Split("subjects", &o.subjects),
		w.Int("questions", &o.madeUp.Questions, atLeastOne),
		w.Int("shared", &o.madeUp.Shared, atLeastOne),
		w.Int("own", &o.madeUp.Own, atLeastOne),
		w.Int("max-tokens", &o.madeUp.Generate, atLeastOne),
	}
}

func word(text string) ([]string, error) { return []string{text}, nil }

// cpus reads numbers of threads, of which each can have a CPU.
func cpus(text string) ([]int, error) {
	all, err := above0(text)
	if err != nil {
		return nil, err
	}
	if err := registry.CheckThreads(slices.Max(all)); err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return all, nil
}

var (
	above0    = flags.SpanWithin(1, math.MaxInt, "each must be at least 1", nil)
	zeroOrOne = flags.SpanWithin(0, 1, "give 0 or 1", nil)
	// flashAttention reads llama-bench's words, and the numbers that it had before them.
	flashAttention = flags.SpanWithin(0, 1, "give on, off or auto, or 1 or 0", map[string]int{"on": 1, "off": 0, flags.Auto: autoFlash})
)

// layersOnGPUs reads numbers from 0, all, and auto.
func layersOnGPUs(text string) ([]int, error) {
	if n, err := options.GPULayers(text); err == nil {
		return []int{n}, nil
	}
	return flags.Span(text)
}

// orWords reads numbers from 1, and words that stand for others.
func orWords(words map[string]int) func(string) ([]int, error) {
	return flags.SpanWithin(1, math.MaxInt, "give numbers from 1, or a word: `proctor bench --help` lists them", words)
}
