package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/bench"
)

func (p *program) bench() *cli.Command {
	var o benchOptions
	return &cli.Command{
		Name:      "bench",
		Usage:     "measure speed alone, in llama-bench's tests, columns and keys",
		ArgsUsage: "[MODEL…]",
		Description: "MODEL is embedded (the default), the path of a GGUF file, or ollama:NAME of one in Ollama's local store. A LIST " +
			"is\nvalues with commas between, or ranges as in 128-512+128 and 1-16*2; several lists make a grid. Flags are\n" +
			"llama-bench's, with one dash or two, and its rows on the same build can be laid beside these: random tokens, a\n" +
			"warm-up, the cache cleared between the repetitions, neither tokenising nor sampling in the time, ggml's kernels,\n" +
			"flash attention off. With other --kernels it is on, as in a run: attention is one of them. The last line is the\n" +
			"build: llama.cpp's commit and, in brackets, its number, which is 0 since the copy that is linked does not tell it.\n\n" +
			"   proctor bench model-Q4_K_M.gguf                             pp512 and tg128, five times each\n" +
			"   proctor bench a.gguf b.gguf -p 512,1024 -n 0 -t 1,2 -ub 128,512 -o json\n" +
			"   proctor bench model.gguf -p 0 -pg 512,128 -d 0,4096 -fa off,on\n" +
			"   proctor bench model.gguf --kernels ggml,proctor              what run's kernels gain\n" +
			"   proctor bench model.gguf -mmp 0,1 -o sql | sqlite3 bench.db     a table llama_bench, as llama-bench's\n" +
			"   proctor bench model.gguf --batched -npp 128,512 -ntg 128 -npl 1,2,4,8      llama-batched-bench's rows\n" +
			"   proctor bench model.gguf --exam --slots 1,8,16                             questions a minute\n" +
			"   proctor bench --exam model-Q8_0.gguf model-Q4_K_M.gguf                     which is faster: 6 rounds, A B B A …\n" +
			"   proctor bench --exam --rounds 3 model.gguf ollama:NAME --slots plain,auto --concurrency 1,4,8\n" +
			"   proctor bench --exam --rounds 3 model.gguf --peer ik=http://127.0.0.1:8080   beside a llama-server that has it too\n\n" +
			"--exam answers questions as run does: prompts of made-up words that begin alike, completions of equal length. Without\n" +
			"--slots the engine sets itself up as for a run, with run's --tune auto. Its figures have a run's names. There\n" +
			"ollama:NAME is asked of the server that OLLAMA_HOST names, which loads the model anew before each repetition, and\n" +
			"tokens are drawn, alike in all ways, since a server ends completions when it will. With a server, several models,\n" +
			"--slots plain, --peer or --rounds, ways are told apart and compared: the ratio to the first, the median of all rounds,\n" +
			"with its 95 % interval of 6 rounds and more, else their range. A plain loop answers every fourth question.\n\n" +
			"Ctrl-C ends a benchmark; the rows that are finished are printed.",
		Flags:  o.flags(),
		Before: flags.Refusing(benchConflicts()...),
		Action: func(c *cli.Context) error {
			o.models, o.given = append(o.models, c.Args().Slice()...), c.LocalFlagNames()
			if o.wantsGPUs() {
				if err := registry.LoadGPUs(o.gpus.GGMLBackends); err != nil {
					return err
				}
			}
			engine := registry.InProcess()
			if err := o.complete(engine); err != nil {
				return err
			}
			if engine.Warning != "" {
				p.warn(engine.Warning)
			}
			return p.measure(c.Context, &o, bench.Build{
				Commit: engine.Commit, Backends: engine.ComputesOn,
				CPUs: strings.Join(engine.CPUs, ", "), GPUs: strings.Join(engine.GPUs, ", "),
			})
		},
	}
}

// measure has rows printed in the format that was asked for.
func (p *program) measure(ctx context.Context, o *benchOptions, build bench.Build) error {
	b := &bench.Bench{Build: build, Now: p.now, Progress: p.draw()}
	table := bench.Table{Build: build, Models: len(o.models), Show: o.show}
	ways := p.ways(o)
	for _, way := range ways {
		table.Ways = append(table.Ways, way.Name)
	}
	printer, err := bench.NewPrinter(o.format, p.stdout, table)
	if err != nil {
		return err
	}
	if !o.eval {
		return b.Tests(ctx, p.openings(o), printer)
	}
	load, err := p.load(o)
	if err != nil {
		return err
	}
	return b.Evals(ctx, ways, load, printer)
}

// openings are the models to load, one after the other, in the ways to load them.
func (p *program) openings(o *benchOptions) []bench.Opening {
	first := o.gpus
	first.InProcess, first.Verbose = true, o.verbose
	all := each([]registry.Options{first}, o.models, func(o *registry.Options, ref string) { o.Ref = ref })
	all = each(all, o.gpuLayers, func(o *registry.Options, n int) { o.GPULayers = &n })
	all = each(all, o.mapped, func(o *registry.Options, mapped int) { o.Unmapped = mapped == 0 })
	var openings []bench.Opening
	for _, options := range each(all, o.kernels, func(o *registry.Options, name string) { o.Kernels = name }) {
		opening := p.opening(options)
		opening.Cases = o.cases(backends.EngineSettings{GPULayers: *options.GPULayers, Mapped: !options.Unmapped, Kernels: options.Kernels})
		openings = append(openings, opening)
	}
	return openings
}

func (p *program) opening(options registry.Options) bench.Opening {
	options.Warn, options.Note, options.Draw = p.warn, p.note, p.draw()
	return bench.Opening{Ref: options.Ref, Open: func(ctx context.Context) (backends.Model, error) { return registry.Model(ctx, options) }}
}
