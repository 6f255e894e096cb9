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
		listFlag(&o.models, word, "model", "m", registry.Default, "`LIST` of models, as the arguments", ""),
		listFlag(&o.prompts, span, "n-prompt", "p", "512", "`LIST` of prompt tokens; 0 for none", tests),
		listFlag(&o.generated, span, "n-gen", "n", "128", "`LIST` of generated tokens; 0 for none", tests),
		listFlag(&o.pairs, span, "pg", "", "none",
			"test `PP,TG` prompt and generated tokens together; repeatable", tests),
		listFlag(&o.depths, span, "n-depth", "d", "0", "`LIST` of tokens in the cache before the test", tests),
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
		listFlag(&o.threads, cpus, "threads", "t", "the cores that are there", "`LIST` of threads", engine),
		listFlag(&o.batches, above0, "batch-size", "b", "2048; with --exam as in run",
			"`LIST` of batch sizes", engine),
		listFlag(&o.microbatches, above0, "ubatch-size", "ub", "512", "`LIST` of micro-batch sizes", engine),
		listFlag(&o.gpuLayers, layersOnGPUs, "n-gpu-layers", "ngl,gpu-layers", "all, with one of the GPU flags, else none",
			"`LIST` of layers on GPUs: numbers, all, or with --exam auto", engine),
		listFlag(&o.keys, word, "cache-type-k", "ctk", "f16",
			"`LIST` of types of the cache's keys, such as f16; with --exam of its values too", engine),
		listFlag(&o.values, word, "cache-type-v", "ctv", "f16", "`LIST` of types of the cache's values", engine),
		listFlag(&o.flash, flashAttention, "flash-attn", "fa", "off, as in llama-bench; on with --kernels other than ggml",
			"`LIST` of flash attention on, off, auto, 1 or 0", engine),
		listFlag(&o.mapped, zeroOrOne, "mmap", "mmp", "1",
			"`LIST` of 1 (map the file into memory) and 0 (read it)", engine),
		listFlag(&o.kernels, word, "kernels", "", "ggml, as in llama-bench; with --exam as in run",
			"`LIST` of CPU kernels: ggml, proctor, amx-bf16; with --exam auto", engine),
		&cli.BoolFlag{Name: "batched", Destination: &o.batched, Usage: "run llama-batched-bench's tests", Category: batched},
		listFlag(&o.prompts, span, "npp", "", "512", "`LIST` of tokens of each sequence's prompt", batched),
		listFlag(&o.generated, span, "ntg", "", "128", "`LIST` of tokens generated in each", batched),
		listFlag(&o.parallel, span, "npl", "", "1,2,4,8", "`LIST` of numbers of sequences", batched),
		&cli.BoolFlag{Name: "pps", Destination: &o.shared, Usage: "share one prompt among all sequences", Category: batched},
		&cli.BoolFlag{Name: "exam", Destination: &o.eval, Usage: "answer questions with few-shot prompts", Category: eval},
		listFlag(&o.slots, orWords(map[string]int{flags.Auto: autoSlots, plainName: plainLoop, plainestName: plainest}), "slots", "", flags.Auto,
			"`LIST` of slots: numbers, auto, plain (one by one, empty cache) or plain-fa0 (ggml, no flash attention)", eval),
		listFlag(&o.concurrency, orWords(map[string]int{flags.Auto: autoSlots}), "concurrency", "", flags.Auto,
			"`LIST` of requests at a time to a server; auto probes for the fastest", eval),
		listFlag(&o.peers, peerOf, "peer", "", "none",
			"`NAME=URL` or NAME=URL#MODEL of a server that has the first MODEL too, such as llama-server; repeatable",
			eval),
		&cli.BoolFlag{
			Name: "in-process", Destination: &o.inProcess, Category: eval, Usage: "run ollama:NAME from its file, without a server",
		},
		countFlag("rounds", &o.rounds, 1,
			"measure all ways in `N` rounds (A B B A) and compare them with the first; 6 for several models", eval),
		&cli.StringFlag{
			Name: "data", DefaultText: "made-up words", Destination: &o.data.ref, Category: eval,
			Usage: "ask the question set `REF`, as in run",
		},
		&cli.StringFlag{
			Name: "subjects", DefaultText: "all", Usage: "with --data: `LIST` of subjects to ask", Category: eval,
			Action: func(_ *cli.Context, list string) error { o.subjects = strings.Split(list, ","); return nil },
		},
		countFlag("questions", &o.madeUp.Questions, 48, "ask `N` questions a repetition", eval),
		countFlag("shared", &o.madeUp.Shared, 1018, "`N` tokens that all prompts begin with", eval),
		countFlag("own", &o.madeUp.Own, 220, "`N` tokens of each prompt after those", eval),
		countFlag("max-tokens", &o.madeUp.Generate, 64, "generate `N` tokens for a question", eval),
		&cli.StringFlag{
			Name: "output", Aliases: []string{"o", "format"}, Value: bench.Formats[0], Destination: &o.format, Category: "RESULT",
			Usage: "`FORMAT` of the rows: " + strings.Join(bench.Formats, ", "),
		},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Destination: &o.verbose, Usage: "show the engine's warnings"},
	}...)
}

// countFlag is a number from 1.
func countFlag(name string, to *int, otherwise int, usage, category string) cli.Flag {
	return &cli.IntFlag{
		Name: name, Value: otherwise, Destination: to, Usage: usage, Category: category,
		Action: flags.Valid(name, func(n int) bool { return n > 0 }, "it must be at least 1"),
	}
}

// sliceFlag is a flag that can be given several times, and says so less lengthily than the library does.
type sliceFlag struct{ *cli.StringSliceFlag }

func (f sliceFlag) String() string {
	return (&cli.StringFlag{Name: f.Name, Aliases: f.Aliases, Usage: f.Usage, DefaultText: f.DefaultText}).String()
}

// listFlag is a flag whose values each stand for some of a list.
func listFlag[T any](to *[]T, parse func(string) ([]T, error), name, alias, otherwise, usage, category string) cli.Flag {
	flag := &cli.StringSliceFlag{Name: name, Usage: usage, Category: category, DefaultText: otherwise}
	if alias != "" {
		flag.Aliases = strings.Split(alias, ",")
	}
	flag.Action = func(_ *cli.Context, texts []string) error {
		for _, text := range texts {
			values, err := parse(text)
			if err != nil {
				return fmt.Errorf("--%s %w", name, err)
			}
			*to = append(*to, values...)
		}
		return nil
	}
	return sliceFlag{flag}
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
	above0    = spanWithin(1, math.MaxInt, "each must be at least 1", nil)
	zeroOrOne = spanWithin(0, 1, "give 0 or 1", nil)
	// flashAttention reads llama-bench's words, and the numbers that it had before them.
	flashAttention = spanWithin(0, 1, "give on, off or auto, or 1 or 0", map[string]int{"on": 1, "off": 0, flags.Auto: autoFlash})
)

// layersOnGPUs reads numbers from 0, all, and auto.
func layersOnGPUs(text string) ([]int, error) {
	if n, err := gpuLayers(text); err == nil {
		return []int{n}, nil
	}
	return span(text)
}

// orWords reads numbers from 1, and words that stand for others.
func orWords(words map[string]int) func(string) ([]int, error) {
	return spanWithin(1, math.MaxInt, "give numbers from 1, or a word: `proctor bench --help` lists them", words)
}

// spanWithin reads ranges whose numbers are all within bounds, and words.
func spanWithin(least, most int, why string, words map[string]int) func(string) ([]int, error) {
	return func(text string) ([]int, error) {
		if n, known := words[text]; known {
			return []int{n}, nil
		}
		numbers, err := span(text)
		if err == nil && (slices.Min(numbers) < least || slices.Max(numbers) > most) {
			err = fmt.Errorf("%s: %s", text, why)
		}
		return numbers, err
	}
}
