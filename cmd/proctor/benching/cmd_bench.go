// Package benching holds the command bench, which measures speed: the lists of its flags are a grid of tests, or of ways to answer.
package benching

import (
	"cmp"
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/bench"
)

// Bench measures speed.
func Bench(p *console.Program) *cli.Command {
	var o benchOptions
	return &cli.Command{
		Name:        "bench",
		Usage:       "measure speed alone, with llama-bench's tests, columns and keys",
		ArgsUsage:   "[MODEL…]",
		Description: benchHelp,
		Flags:       o.flags(),
		Before:      flags.Refusing(refusals),
		Action: func(c *cli.Context) error {
			o.models, o.given = append(o.models, c.Args().Slice()...), c.LocalFlagNames()
			if err := o.findEngines(c.Context); err != nil {
				return err
			}
			if o.wantsGPUs() && len(o.releases) == 0 {
				if err := registry.LoadGPUs(o.gpus.GGMLBackends); err != nil {
					return err
				}
			}
			engine := registry.InProcess()
			if err := o.complete(engine); err != nil {
				return err
			}
			if engine.Warning != "" {
				p.Warn(engine.Warning)
			}
			return measure(c.Context, p, &o, bench.Build{
				Commit: cmp.Or(o.release(o.engines[0]), engine.Commit), Backends: engine.ComputesOn,
				CPUs: strings.Join(engine.CPUs, ", "), GPUs: strings.Join(engine.GPUs, ", "),
			})
		},
	}
}

// benchHelp is what help says of it.
const benchHelp = "MODEL is embedded (the default), a GGUF file, or ollama:NAME of Ollama's local store. A LIST has\n" +
	"values separated by commas, or ranges such as 128-512+128 and 1-16*2; several lists make a grid.\n" +
	"\n" +
	"   proctor bench model-Q4_K_M.gguf                                      pp512 and tg128, 5 times\n" +
	"   proctor bench a.gguf b.gguf -p 512,1024 -n 0 -t 1,2 -ub 128,512 -o json\n" +
	"   proctor bench model.gguf --kernels ggml,proctor                      what proctor's kernels gain\n" +
	"   proctor bench model.gguf --exam --slots 1,8,16                       questions a minute\n" +
	"   proctor bench --exam model-Q8_0.gguf model-Q4_K_M.gguf               which is faster: 6 rounds\n" +
	flags.More +
	"   proctor bench model.gguf --like-llama-bench                          rows as llama-bench has them\n" +
	"   proctor bench --exam model.gguf --engine builtin,v0.5.0              two releases of llama.cpp\n" +
	"   proctor bench model.gguf -p 0 -pg 512,128 -d 0,4096 -fa off,on\n" +
	"   proctor bench model.gguf -mmp 0,1 -o sql | sqlite3 bench.db          a table llama_bench\n" +
	"   proctor bench model.gguf --batched -npp 128,512 -ntg 128 -npl 1,2,4,8\n" +
	"   proctor bench --exam --rounds 3 model.gguf ollama:NAME --slots plain,auto --concurrency 1,4,8\n" +
	"   proctor bench --exam --rounds 3 model.gguf --peer ik=http://127.0.0.1:8080\n" +
	"\n" +
	"Flags are llama-bench's, with one dash or two. Tests use random tokens, a warm-up, and an empty cache before each\n" +
	"repetition; the time excludes tokenising and sampling. Kernels and flash attention are those of a run;\n" +
	"--like-llama-bench makes the rows comparable with llama-bench's of the same llama.cpp. The last line names the build:\n" +
	"llama.cpp's commit, and its number in brackets (0: the linked copy does not know it).\n" +
	"\n" +
	"--exam answers questions as run does: its prompts are made-up words with a shared beginning, its completions have equal\n" +
	"length. Without --slots the engine chooses its settings as for a run with --tune auto. ollama:NAME means the server at\n" +
	"OLLAMA_HOST, which reloads the model before each repetition; there tokens are sampled, since a server may end a\n" +
	"completion early. With a server, several models, --slots plain, --peer or --rounds, each setup is compared with the\n" +
	"first: the median ratio of all rounds, with its 95 % interval (from 6 rounds) or its range. A plain loop answers every\n" +
	"fourth question.\n" +
	"\n" +
	"Ctrl-C ends a benchmark; the finished rows are printed."

// measure has rows printed in the format that was asked for.
func measure(ctx context.Context, p *console.Program, o *benchOptions, build bench.Build) error {
	b := &bench.Bench{Build: build, Now: p.Now, Progress: p.Draw()}
	table := bench.Table{Build: build, Models: len(o.models), Show: o.show}
	ways := ways(p, o)
	for _, way := range ways {
		table.Ways = append(table.Ways, way.Name)
	}
	printer, err := bench.NewPrinter(o.format, p.Stdout, table)
	if err != nil {
		return err
	}
	if !o.eval {
		return b.Tests(ctx, openings(p, o), printer)
	}
	load, err := load(p, o)
	if err != nil {
		return err
	}
	return b.Evals(ctx, ways, load, printer)
}

// openings are the models to load, one after the other, in the ways to load them.
func openings(p *console.Program, o *benchOptions) []bench.Opening {
	first := o.gpus
	first.InProcess, first.Verbose, first.Engine = true, o.verbose, o.engines[0]
	all := each([]registry.Options{first}, o.models, func(o *registry.Options, ref string) { o.Ref = ref })
	all = each(all, o.gpuLayers, func(o *registry.Options, n int) { o.GPULayers = &n })
	all = each(all, o.mapped, func(o *registry.Options, mapped int) { o.Unmapped = mapped == 0 })
	var openings []bench.Opening
	for _, options := range each(all, o.kernels, func(o *registry.Options, name string) { o.Kernels = name }) {
		opening := opening(p, o, options)
		opening.Cases = o.cases(backends.EngineSettings{GPULayers: *options.GPULayers, Mapped: !options.Unmapped, Kernels: options.Kernels})
		openings = append(openings, opening)
	}
	return openings
}

func opening(p *console.Program, o *benchOptions, options registry.Options) bench.Opening {
	options.Warn, options.Note, options.Draw = p.Warn, p.Note, p.Draw()
	return bench.Opening{Ref: options.Ref, Release: o.release(options.Engine), Open: func(ctx context.Context) (backends.Model, error) {
		return registry.Model(ctx, options)
	}}
}
