package benching

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/options"
	"proctor/runner/ask/bench"
)

// refusals are of flags that do not go together: each of the three kinds of benchmark has its own.
var refusals = []flags.Refusal{
	{Flags: "batched", With: "exam", Why: "and --exam are two benchmarks: give one of them"},
	{Flags: "flash-attn cache-type-v", With: "exam", Why: "does not go with --exam: keys and values are of one type there, and the engine " +
		"decides about flash attention"},
	{Flags: "like-llama-bench", With: "exam", Why: "does not go with --exam: --slots plain-fa0 computes so"},
	{Flags: "like-llama-bench", With: "kernels", Why: "means --kernels ggml: give one of them"},
	{Flags: "mmap", With: "exam", Why: "does not go with --exam: a run maps the model's file"},
	{Flags: "shared own", With: "data", Why: "does not go with --data: real prompts have the length that they have"},
	{Flags: "n-prompt n-gen pg n-depth", With: "batched exam", Why: "does not go with --batched or --exam: `proctor bench --help` lists what does"},
	{Flags: "npp ntg npl pps", Without: "batched"},
	{Flags: "slots concurrency peer in-process rounds questions shared own max-tokens data subjects", Without: "exam"},
	{Flags: "subjects", Without: "data", Why: "goes with --data: made-up questions have none"},
}

func (o *benchOptions) flags() []cli.Flag {
	return slices.Concat(options.GPUFlags(&o.gpus), o.testFlags(), o.engineFlags(), o.batchedFlags(), o.evalFlags(), []cli.Flag{
		&cli.StringFlag{
			Name: "output", Aliases: []string{"o", "format"}, Value: bench.Formats[0], Destination: &o.format, Category: "RESULT",
			Usage: "`FORMAT` of the rows: " + strings.Join(bench.Formats, ", "),
		},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Destination: &o.verbose, Usage: "show the engine's warnings"},
	})
}

// testFlags say what is measured.
func (o *benchOptions) testFlags() []cli.Flag {
	const tests = "TESTS"
	return []cli.Flag{
		flags.List(&o.models, word, "model", "m", registry.Default, "`LIST` of models, as the arguments", ""),
		flags.List(&o.prompts, flags.Span, "n-prompt", "p", "512", "`LIST` of prompt tokens; 0 for none", tests),
		flags.List(&o.generated, flags.Span, "n-gen", "n", "128", "`LIST` of generated tokens; 0 for none", tests),
		flags.List(&o.pairs, flags.Span, "pg", "", "none",
			"test `PP,TG`: prompt and generated tokens together; repeatable", tests),
		flags.List(&o.depths, flags.Span, "n-depth", "d", "0", "`LIST` of tokens in the cache before the test", tests),
		&cli.IntFlag{
			Name: "repetitions", Aliases: []string{"r"}, DefaultText: "5; with --batched 1, with --exam 3, with --rounds or MODELs 1",
			Destination: &o.repetitions, Usage: "measure each row `N` times", Category: tests,
			Action: func(_ *cli.Context, n int) error {
				if n < 1 {
					return fmt.Errorf("-r %d: measure at least once", n)
				}
				return nil
			},
		},
		flags.Switch(&o.cold, "no-warmup", tests, "measure without a warm-up"),
		flags.Switch(&o.likeLlama, "like-llama-bench", tests,
			"compute as llama-bench does: ggml's kernels, flash attention off"),
	}
}

// engineFlags say how models are computed.
func (o *benchOptions) engineFlags() []cli.Flag {
	const engine = "ENGINE"
	return []cli.Flag{
		flags.List(&o.engines, word, "engine", "", registry.EngineVariable+", else "+registry.EngineAuto,
			"`LIST` of llama.cpp builds, as in run; several with --exam, each in a process of its own", engine),
		flags.List(&o.threads, cpus, "threads", "t", "all cores", "`LIST` of threads", engine),
		flags.List(&o.batches, above0, "batch-size", "b", "2048; with --exam as in run",
			"`LIST` of batch sizes", engine),
		flags.List(&o.microbatches, above0, "ubatch-size", "ub", "512", "`LIST` of micro-batch sizes", engine),
		flags.List(&o.gpuLayers, layersOnGPUs, "n-gpu-layers", "ngl,gpu-layers", "all, with one of the GPU flags, else none",
			"`LIST` of layers on GPUs: numbers, all, or with --exam auto", engine),
		flags.List(&o.keys, word, "cache-type-k", "ctk", "f16",
			"`LIST` of types of the cache's keys, such as f16; with --exam of its values too", engine),
		flags.List(&o.values, word, "cache-type-v", "ctv", "f16", "`LIST` of types of the cache's values", engine),
		flags.List(&o.flash, flashAttention, "flash-attn", "fa", "as in run: on but with --kernels ggml",
			"`LIST` of flash attention on, off, auto, 1 or 0", engine),
		flags.List(&o.mapped, zeroOrOne, "mmap", "mmp", "1",
			"`LIST` of 1 (map the file into memory) and 0 (read it)", engine),
		flags.List(&o.kernels, word, "kernels", "", "as in run",
			"`LIST` of CPU kernels: ggml, proctor, bf16, amx-bf16; with --exam auto", engine),
	}
}

// batchedFlags are those of llama-batched-bench.
func (o *benchOptions) batchedFlags() []cli.Flag {
	const batched = "WITH --batched"
	return []cli.Flag{
		flags.Switch(&o.batched, "batched", batched, "run the tests of llama-batched-bench"),
		flags.List(&o.prompts, flags.Span, "npp", "", "512", "`LIST` of prompt tokens per sequence", batched),
		flags.List(&o.generated, flags.Span, "ntg", "", "128", "`LIST` of generated tokens per sequence", batched),
		flags.List(&o.parallel, flags.Span, "npl", "", "1,2,4,8", "`LIST` of sequence counts", batched),
		flags.Switch(&o.shared, "pps", batched, "share one prompt among all sequences"),
	}
}

// evalFlags say which questions are answered, and in which ways.
func (o *benchOptions) evalFlags() []cli.Flag {
	const eval = "WITH --exam"
	return []cli.Flag{
		flags.Switch(&o.eval, "exam", eval, "answer questions with few-shot prompts"),
		flags.List(&o.slots, orWords(map[string]int{flags.Auto: autoSlots, plainName: plainLoop, plainestName: plainest}), "slots", "", flags.Auto,
			"`LIST` of slots: numbers, auto, plain (one by one, empty cache) or plain-fa0 (ggml, no flash attention)", eval),
		flags.List(&o.concurrency, orWords(map[string]int{flags.Auto: autoSlots}), "concurrency", "", flags.Auto,
			"`LIST` of requests at a time to a server; auto probes for the fastest", eval),
		flags.List(&o.peers, peerOf, "peer", "", "none",
			"`NAME=URL` or NAME=URL#MODEL of a server that has the first MODEL too, such as llama-server; repeatable",
			eval),
		flags.Switch(&o.inProcess, "in-process", eval, "run ollama:NAME from its file, without a server"),
		flags.Count("rounds", &o.rounds, 1,
			"measure all ways in `N` rounds (A B B A) and compare them with the first; 6 for several models", eval),
		flags.Text(&o.data.Ref, "data", eval, "made-up words", "ask the question set `REF`, as in run"),
		flags.Words(&o.subjects, "subjects", eval, "all", "with --data: ask only the subjects in `LIST`"),
		flags.Count("questions", &o.madeUp.Questions, 48, "ask `N` questions per repetition", eval),
		flags.Count("shared", &o.madeUp.Shared, 1018, "begin all prompts with the same `N` tokens", eval),
		flags.Count("own", &o.madeUp.Own, 220, "continue each prompt with `N` tokens of its own", eval),
		flags.Count("max-tokens", &o.madeUp.Generate, 64, "generate `N` tokens per question", eval),
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
