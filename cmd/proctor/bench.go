package main

import (
	"context"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/open"
	"proctor/runner/bench"
)

func (p program) bench() *cli.Command {
	return &cli.Command{
		Name:      "bench",
		Usage:     "measure speed alone, in llama-bench's tests, columns and keys",
		ArgsUsage: "[MODEL…]",
		Description: "MODEL is embedded (the default), the path of a GGUF file, or ollama:NAME of one in Ollama's local store. A LIST is\n" +
			"values with commas between, or ranges as in 128-512+128 and 1-16*2; several lists make a grid. Flags are\n" +
			"llama-bench's, with one dash or two, and its rows on the same build can be laid beside these: random tokens, a\n" +
			"warm-up, the cache cleared between the repetitions, neither tokenising nor sampling in the time, flash attention\n" +
			"off, ggml's kernels. The last line is the build: llama.cpp's commit and, in brackets, its number, which is 0 since\n" +
			"the copy that is linked does not tell it.\n\n" +
			"   proctor bench model-Q4_K_M.gguf                             pp512 and tg128, five times each\n" +
			"   proctor bench a.gguf b.gguf -p 512,1024 -n 0 -t 1,2 -ub 128,512 -o json\n" +
			"   proctor bench model.gguf -p 0 -pg 512,128 -d 0,4096 -fa 0,1\n" +
			"   proctor bench model.gguf -fa 1 --kernels ggml,proctor       what run's kernels gain\n" +
			"   proctor bench model.gguf --batched -npp 128,512 -ntg 128 -npl 1,2,4,8      llama-batched-bench's rows\n" +
			"   proctor bench model.gguf --exam --slots 1,8,16                             questions a minute\n" +
			"   proctor bench --exam --rounds 3 model.gguf ollama:NAME --slots plain,auto --concurrency 1,4,8\n\n" +
			"--exam answers questions as run does: prompts of made-up words that begin alike, completions of equal length. Without\n" +
			"--slots the engine sets itself up as for a run, with run's --tune auto. Its figures have a run's names. There\n" +
			"ollama:NAME is asked of the server that OLLAMA_HOST names, which loads the model anew before each repetition, and\n" +
			"tokens are drawn, alike in all ways, since a server ends completions when it will. With a server, --slots plain or\n" +
			"--rounds, ways are told apart and compared: the ratio to the first, the median of all rounds. A plain loop answers\n" +
			"every fourth question.\n\n" +
			"Ctrl-C ends a benchmark; the rows that are finished are printed.",
		Flags:  benchFlags(),
		Action: p.benchAction,
	}
}

func benchFlags() []cli.Flag {
	list := func(name, alias, otherwise, usage, category string) cli.Flag {
		flag := &cli.StringSliceFlag{Name: name, Usage: usage, Category: category, DefaultText: otherwise}
		if alias != "" {
			flag.Aliases = []string{alias}
		}
		return listFlag{flag}
	}
	const tests, engine, batched, eval = "TESTS", "ENGINE", "WITH --batched", "WITH --exam"
	return []cli.Flag{
		list("model", "m", open.Default, "`LIST` of models, as the arguments", ""),
		list("n-prompt", "p", "512", "`LIST` of prompts' tokens; 0 for none", tests),
		list("n-gen", "n", "128", "`LIST` of generated tokens; 0 for none", tests),
		list("pg", "", "none", "test a prompt and what follows it together: `PP,TG`, can be given several times", tests),
		list("n-depth", "d", "0", "`LIST` of tokens that the cache holds before", tests),
		&cli.IntFlag{Name: "repetitions", Aliases: []string{"r"}, DefaultText: "5; with --batched 1, with --exam 3, with --rounds 1", Usage: "measure everything `N` times", Category: tests},
		&cli.BoolFlag{Name: "no-warmup", Usage: "measure from the first run on", Category: tests},
		list("threads", "t", "the cores that are there", "`LIST` of threads", engine),
		list("batch-size", "b", "2048; with --exam as in run", "`LIST` of tokens given to the engine at a time", engine),
		list("ubatch-size", "ub", "512", "`LIST` of tokens computed at a time", engine),
		list("n-gpu-layers", "ngl", "all, where there is a GPU", "`LIST` of layers on the GPU", engine),
		list("cache-type-k", "ctk", "f16", "`LIST` of element types of the cache's keys, such as f16 or q8_0; with --exam of its values too", engine),
		list("cache-type-v", "ctv", "f16", "`LIST` of element types of its values", engine),
		list("flash-attn", "fa", "0", "`LIST` of 0 and 1: flash attention", engine),
		list("kernels", "", "ggml, as in llama-bench; with --exam as in run", "`LIST` of what computes on the CPU: ggml, proctor", engine),
		&cli.BoolFlag{Name: batchedKind, Usage: "measure several sequences at a time", Category: batched},
		list("npp", "", "512", "`LIST` of tokens of each sequence's prompt", batched),
		list("ntg", "", "128", "`LIST` of tokens generated in each", batched),
		list("npl", "", "1,2,4,8", "`LIST` of how many sequences", batched),
		&cli.BoolFlag{Name: "pps", Usage: "one prompt, which all sequences share", Category: batched},
		&cli.BoolFlag{Name: evalKind, Usage: "answer questions with few-shot prompts", Category: eval},
		list("slots", "", auto, "`LIST` of sequences decoded at a time; auto for what memory allows; plain for a loop that answers one question after the other, each from an empty cache", eval),
		list("concurrency", "", auto, "`LIST` of requests in flight at a server; auto for what a short probe finds fastest", eval),
		&cli.IntFlag{Name: "rounds", Value: 1, Usage: "measure each way once, and that `N` times, alternating; print how each compares with the first", Category: eval},
		&cli.StringFlag{Name: "data", DefaultText: "made-up words", Usage: "`REF` of a question set to ask of, as in run", Category: eval},
		&cli.StringFlag{Name: "subjects", DefaultText: "all", Usage: "with --data: `LIST` of subjects to ask", Category: eval},
		&cli.IntFlag{Name: "questions", Value: 48, Usage: "ask `N` questions a repetition", Category: eval},
		&cli.IntFlag{Name: "shared", Value: 1018, Usage: "`N` tokens that all prompts begin with", Category: eval},
		&cli.IntFlag{Name: "own", Value: 220, Usage: "`N` tokens of each prompt after those", Category: eval},
		&cli.IntFlag{Name: "max-tokens", Value: 64, Usage: "generate `N` tokens for each question", Category: eval},
		&cli.BoolFlag{Name: "in-process", Usage: "run ollama:NAME without a server, as without --exam", Category: eval},
		&cli.StringFlag{Name: "output", Aliases: []string{"o", "format"}, Value: bench.Formats[0], Usage: "`FORMAT` of the rows: " + strings.Join(bench.Formats, ", "), Category: "RESULT"},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show the engine's warnings"},
	}
}

func (p program) benchAction(c *cli.Context) error {
	engine := open.InProcess()
	o, err := benchOptionsOf(c, engine)
	if err != nil {
		return err
	}
	if engine.Warning != "" {
		p.warn(engine.Warning)
	}
	b := &bench.Bench{Now: p.now, Progress: io.Discard, Build: bench.Build{
		Commit: engine.Commit, CPUs: strings.Join(engine.CPUs, ", "), GPUs: strings.Join(engine.GPUs, ", "), Backends: engine.ComputesOn,
	}}
	if p.terminal {
		b.Progress = p.stderr
	}
	if o.kind == evalKind {
		return p.benchEval(c.Context, b, &o)
	}
	columns := bench.TestColumns(b.Build, o.show...)
	if o.kind == batchedKind {
		columns = bench.BatchedColumns(len(o.models), o.show...)
	}
	printer, err := bench.NewPrinter(o.format, p.stdout, columns, b.Build)
	if err != nil {
		return err
	}
	return b.Tests(c.Context, p.openings(&o), o.cases(), printer)
}

// openings are the models to load, one after the other, in the ways to load them.
func (p program) openings(o *benchOptions) []bench.Opening {
	var all []bench.Opening
	for _, options := range o.engines() {
		opening := p.opening(options)
		opening.Settings = backends.EngineSettings{GPULayers: *options.GPULayers, Mapped: true, Kernels: options.Kernels}
		all = append(all, opening)
	}
	return all
}

func (p program) opening(options open.Options) bench.Opening {
	options.Warn, options.Note, options.Draw = p.warn, p.note, p.draw()
	return bench.Opening{Ref: options.Ref, Open: func(ctx context.Context) (backends.Model, error) { return open.Model(ctx, options) }}
}
