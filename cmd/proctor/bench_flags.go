package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/bench"
)

// Flags that say nothing to the other kinds of benchmark.
var (
	testFlags    = []string{"n-prompt", "n-gen", "pg", "n-depth"}
	batchedFlags = []string{"npp", "ntg", "npl", "pps"}
	evalOnly     = []string{
		"slots", "concurrency", "peer", "in-process", "rounds", "questions", "shared", "own", "max-tokens", "data", "subjects",
	}
)

// benchConflicts are the flags that do not go together.
func benchConflicts() []flags.Refusal {
	const ofOneType = "--flash-attn and --cache-type-v do not go with --exam: keys and values are of one type there, " +
		"and the engine decides about flash attention"
	all := []flags.Refusal{
		flags.Refuse("batched", flags.With("exam"), "--batched and --exam are two benchmarks: give one of them"),
		flags.Refuse("flash-attn", flags.With("exam"), ofOneType),
		flags.Refuse("cache-type-v", flags.With("exam"), ofOneType),
		flags.Refuse("mmap", flags.With("exam"), "--mmap does not go with --exam: a run maps the model's file"),
		flags.Refuse("shared", flags.With("data"), "--shared does not go with --data: real prompts have the length that they have"),
		flags.Refuse("own", flags.With("data"), "--own does not go with --data: real prompts have the length that they have"),
	}
	for _, flag := range testFlags {
		for _, kind := range []string{"batched", "exam"} {
			why := fmt.Sprintf("--%s does not go with --%s: `proctor bench --help` lists what does", flag, kind)
			all = append(all, flags.Refuse(flag, flags.With(kind), why))
		}
	}
	for _, flag := range batchedFlags {
		all = append(all, flags.Refuse(flag, flags.Without("batched"), fmt.Sprintf("--%s goes with --batched", flag)))
	}
	for _, flag := range evalOnly {
		all = append(all, flags.Refuse(flag, flags.Without("exam"), fmt.Sprintf("--%s goes with --exam", flag)))
	}
	return append(all, flags.Refuse("subjects", flags.Without("data"), "--subjects goes with --data: made-up questions have none"))
}

func (o *benchOptions) flags() []cli.Flag {
	const tests, engine, batched, eval = "TESTS", "ENGINE", "WITH --batched", "WITH --exam"
	return append(gpuFlags(&o.gpus), []cli.Flag{
		flags.List(&o.models, word, "model", "m", registry.Default, "`LIST` of models, as the arguments", ""),
		flags.List(&o.prompts, flags.Span, "n-prompt", "p", "512", "`LIST` of prompt tokens; 0 for none", tests),
		flags.List(&o.generated, flags.Span, "n-gen", "n", "128", "`LIST` of generated tokens; 0 for none", tests),
		flags.List(&o.pairs, flags.Span, "pg", "", "none",
			"test `PP,TG` prompt and generated tokens together; repeatable", tests),
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
		&cli.BoolFlag{Name: "no-warmup", Destination: &o.cold, Usage: "no warm-up", Category: tests},
		flags.List(&o.threads, cpus, "threads", "t", "the cores that are there", "`LIST` of threads", engine),
		flags.List(&o.batches, above0, "batch-size", "b", "2048; with --exam as in run",
			"`LIST` of batch sizes", engine),
		flags.List(&o.microbatches, above0, "ubatch-size", "ub", "512", "`LIST` of micro-batch sizes", engine),
		flags.List(&o.gpuLayers, layersOnGPUs, "n-gpu-layers", "ngl,gpu-layers", "all, with one of the GPU flags, else none",
			"`LIST` of layers on GPUs: numbers, all, or with --exam auto", engine),
		flags.List(&o.keys, word, "cache-type-k", "ctk", "f16",
			"`LIST` of types of the cache's keys, such as f16; with --exam of its values too", engine),
		flags.List(&o.values, word, "cache-type-v", "ctv", "f16", "`LIST` of types of the cache's values", engine),
		flags.List(&o.flash, flashAttention, "flash-attn", "fa", "off, as in llama-bench; on with --kernels other than ggml",
			"`LIST` of flash attention on, off, auto, 1 or 0", engine),
		flags.List(&o.mapped, zeroOrOne, "mmap", "mmp", "1",
			"`LIST` of 1 (map the file into memory) and 0 (read it)", engine),
		flags.List(&o.kernels, word, "kernels", "", "ggml, as in llama-bench; with --exam as in run",
			"`LIST` of CPU kernels: ggml, proctor, amx-bf16; with --exam auto", engine),
		&cli.BoolFlag{Name: "batched", Destination: &o.batched, Usage: "run llama-batched-bench's tests", Category: batched},
		flags.List(&o.prompts, flags.Span, "npp", "", "512", "`LIST` of tokens of each sequence's prompt", batched),
		flags.List(&o.generated, flags.Span, "ntg", "", "128", "`LIST` of tokens generated in each", batched),
		flags.List(&o.parallel, flags.Span, "npl", "", "1,2,4,8", "`LIST` of numbers of sequences", batched),
		&cli.BoolFlag{Name: "pps", Destination: &o.shared, Usage: "share one prompt among all sequences", Category: batched},
		&cli.BoolFlag{Name: "exam", Destination: &o.eval, Usage: "answer questions with few-shot prompts", Category: eval},
		flags.List(&o.slots, orWords(map[string]int{flags.Auto: autoSlots, plainName: plainLoop, plainestName: plainest}), "slots", "", flags.Auto,
			"`LIST` of slots: numbers, auto, plain (one by one, empty cache) or plain-fa0 (ggml, no flash attention)", eval),
		flags.List(&o.concurrency, orWords(map[string]int{flags.Auto: autoSlots}), "concurrency", "", flags.Auto,
			"`LIST` of requests at a time to a server; auto probes for the fastest", eval),
		flags.List(&o.peers, peerOf, "peer", "", "none",
			"`NAME=URL` or NAME=URL#MODEL of a server that has the first MODEL too, such as llama-server; repeatable",
			eval),
		&cli.BoolFlag{
			Name: "in-process", Destination: &o.inProcess, Category: eval, Usage: "run ollama:NAME from its file, without a server",
		},
		flags.Count("rounds", &o.rounds, 1,
			"measure all ways in `N` rounds (A B B A) and compare them with the first; 6 for several models", eval),
		&cli.StringFlag{
			Name: "data", DefaultText: "made-up words", Destination: &o.data.ref, Category: eval,
			Usage: "ask the question set `REF`, as in run",
		},
		&cli.StringFlag{
			Name: "subjects", DefaultText: "all", Usage: "with --data: `LIST` of subjects to ask", Category: eval,
			Action: func(_ *cli.Context, list string) error { o.subjects = strings.Split(list, ","); return nil },
		},
		flags.Count("questions", &o.madeUp.Questions, 48, "ask `N` questions a repetition", eval),
		flags.Count("shared", &o.madeUp.Shared, 1018, "`N` tokens that all prompts begin with", eval),
		flags.Count("own", &o.madeUp.Own, 220, "`N` tokens of each prompt after those", eval),
		flags.Count("max-tokens", &o.madeUp.Generate, 64, "generate `N` tokens for a question", eval),
		&cli.StringFlag{
			Name: "output", Aliases: []string{"o", "format"}, Value: bench.Formats[0], Destination: &o.format, Category: "RESULT",
			Usage: "`FORMAT` of the rows: " + strings.Join(bench.Formats, ", "),
		},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Destination: &o.verbose, Usage: "show the engine's warnings"},
	}...)
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
	if n, err := gpuLayers(text); err == nil {
		return []int{n}, nil
	}
	return flags.Span(text)
}

// orWords reads numbers from 1, and words that stand for others.
func orWords(words map[string]int) func(string) ([]int, error) {
	return flags.SpanWithin(1, math.MaxInt, "give numbers from 1, or a word: `proctor bench --help` lists them", words)
}
