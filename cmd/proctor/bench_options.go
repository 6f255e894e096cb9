package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/open"
	"proctor/runner/bench"
)

// benchOptions are the verb's flags. Lists make a grid.
type benchOptions struct {
	kind        string // testKind, batchedKind or evalKind
	models      []string
	format      string
	repetitions int
	warmUp      bool
	verbose     bool
	show        []string // keys of the settings that vary, or are not the default
	given       []string // names of the flags that were given

	gpuLayers, batches, microbatches, threads []int
	kernels, keys, values                     []string
	flash                                     []int

	tests []backends.EngineTest

	slots, concurrency []int // 0 and below: see autoSlots and plainLoop
	inProcess          bool
	rounds             int
	madeUp             bench.MadeUp
	data               string // where the questions are real
	subjects           []string
}

// The kinds of benchmarks. All but the first are flags, too.
const (
	testKind    = ""
	batchedKind = "batched"
	evalKind    = "exam"
)

// llama-bench's defaults. All layers of a model are fewer than allLayers.
const (
	benchBatch      = 2048
	benchMicrobatch = 512
	benchKVType     = "f16"
	benchKernels    = "ggml"
	allLayers       = 99
)

// benchOptionsOf reads the flags, which default to what the engine finds on this machine.
func benchOptionsOf(c *cli.Context, engine open.Engine) (benchOptions, error) {
	o := benchOptions{
		models: slices.Concat(c.StringSlice("model"), c.Args().Slice()), format: c.String("output"),
		warmUp: !c.Bool("no-warmup"), verbose: c.Bool("verbose"), given: c.LocalFlagNames(),
	}
	if len(o.models) == 0 {
		o.models = []string{open.Default}
	}
	if err := o.choose(c); err != nil {
		return o, err
	}
	l := lists{flags: c}
	layers := 0
	if len(engine.GPUs) > 0 {
		layers = allLayers
	}
	batch, microbatch, threads, kernels := benchBatch, benchMicrobatch, engine.Cores, benchKernels
	if o.kind == evalKind { // as the engine decides for a run
		batch, microbatch, threads, kernels = 0, 0, 0, auto
	}
	o.gpuLayers = l.numbers("n-gpu-layers", "n_gpu_layers", layers)
	o.kernels = l.words("kernels", "kernels", kernels)
	o.batches = l.atLeastOne("batch-size", "n_batch", batch)
	o.microbatches = l.atLeastOne("ubatch-size", "n_ubatch", microbatch)
	o.threads = l.atLeastOne("threads", "n_threads", threads)
	o.keys = l.words("cache-type-k", "type_k", benchKVType)
	o.values = l.words("cache-type-v", "type_v", benchKVType)
	o.flash = l.numbers("flash-attn", "flash_attn", 0)
	if on := slices.Max(o.flash); on > 1 {
		return o, cmp.Or(l.err, fmt.Errorf("--flash-attn %d: give 0 or 1", on))
	}
	switch o.kind {
	case testKind:
		o.readTests(&l)
	case batchedKind:
		o.readBatched(&l)
	case evalKind:
		o.readEval(&l)
	}
	o.show = l.show
	return o, l.err
}

// onlyWith are the flags that say nothing to the other kinds of benchmark.
var onlyWith = []struct {
	kind  string
	flags []string
}{
	{testKind, []string{"n-prompt", "n-gen", "pg", "n-depth"}},
	{batchedKind, []string{"npp", "ntg", "npl", "pps"}},
	{evalKind, []string{"slots", "concurrency", "in-process", "rounds", "questions", "shared", "own", "max-tokens", "data", "subjects"}},
}

// choose finds the kind of benchmark, and refuses the flags of another one.
func (o *benchOptions) choose(c *cli.Context) error {
	if c.Bool(batchedKind) && c.Bool(evalKind) {
		return errors.New("--batched and --exam are two benchmarks: give one of them")
	}
	otherwise := map[string]int{testKind: 5, batchedKind: 1, evalKind: 3}
	for _, with := range onlyWith {
		if with.kind != testKind && c.Bool(with.kind) {
			o.kind = with.kind
		}
	}
	for _, with := range onlyWith {
		for _, name := range with.flags {
			if with.kind == o.kind || !c.IsSet(name) {
				continue
			}
			if with.kind == testKind {
				return fmt.Errorf("--%s does not go with --%s: `proctor bench --help` lists what does", name, o.kind)
			}
			return fmt.Errorf("--%s goes with --%s", name, with.kind)
		}
	}
	o.repetitions = otherwise[o.kind]
	if c.IsSet("rounds") {
		o.repetitions = 1
	}
	if c.IsSet("repetitions") {
		o.repetitions = c.Int("repetitions")
	}
	if o.repetitions < 1 {
		return fmt.Errorf("-r %d: measure at least once", o.repetitions)
	}
	return nil
}

// readTests reads llama-bench's tests, in its order.
func (o *benchOptions) readTests(l *lists) {
	depths := l.numbers("n-depth", "n_depth", 0)
	prompts := l.numbers("n-prompt", "n_prompt", 512)
	generated := l.numbers("n-gen", "n_gen", 128)
	pairs := l.numbers("pg", "pg")
	if len(pairs)%2 != 0 {
		l.fail(fmt.Errorf("--pg %v: give pairs of prompt and generated tokens, as in 512,128", l.flags.StringSlice("pg")))
		return
	}
	add := func(prompt, generate, depth int) {
		if prompt+generate > 0 {
			o.tests = append(o.tests, backends.EngineTest{
				Prompt: prompt, Generate: generate, Depth: depth, Repetitions: o.repetitions, WarmUp: o.warmUp,
			})
		}
	}
	for _, depth := range depths {
		for _, n := range prompts {
			add(n, 0, depth)
		}
		for _, n := range generated {
			add(0, n, depth)
		}
		for pair := range slices.Chunk(pairs, 2) {
			add(pair[0], pair[1], depth)
		}
	}
	if len(o.tests) == 0 {
		l.fail(errors.New("-p 0 -n 0 leaves nothing to measure: give -p, -n or -pg some tokens"))
	}
}

// readBatched reads llama-batched-bench's tests, in its order.
func (o *benchOptions) readBatched(l *lists) {
	first := backends.EngineTest{Batched: true, Shared: l.flags.Bool("pps"), Repetitions: o.repetitions, WarmUp: o.warmUp}
	o.tests = each([]backends.EngineTest{first}, l.numbers("npp", "pp", 512), func(t *backends.EngineTest, n int) { t.Prompt = n })
	o.tests = each(o.tests, l.numbers("ntg", "tg", 128), func(t *backends.EngineTest, n int) { t.Generate = n })
	o.tests = each(o.tests, l.numbers("npl", "pl", 1, 2, 4, 8), func(t *backends.EngineTest, n int) { t.Parallel = n })
}

// engines are the models to load, one after the other, in the ways to load them.
func (o *benchOptions) engines() []open.Options {
	all := each([]open.Options{{InProcess: true, Verbose: o.verbose}}, o.models, func(o *open.Options, ref string) { o.Ref = ref })
	all = each(all, o.gpuLayers, func(o *open.Options, n int) { o.GPULayers = &n })
	return each(all, o.kernels, func(o *open.Options, name string) { o.Kernels = name })
}

// cases are the tests, in each of the settings.
func (o *benchOptions) cases() []bench.Case {
	all := each([]bench.Case{{}}, o.batches, func(c *bench.Case, n int) { c.Settings.Batch = n })
	all = each(all, o.microbatches, func(c *bench.Case, n int) { c.Settings.Microbatch = n })
	all = each(all, o.keys, func(c *bench.Case, name string) { c.Settings.KeyType = name })
	all = each(all, o.values, func(c *bench.Case, name string) { c.Settings.ValueType = name })
	all = each(all, o.flash, func(c *bench.Case, on int) { c.Settings.FlashAttention = on == 1 })
	all = each(all, o.threads, func(c *bench.Case, n int) { c.Settings.Threads = n })
	return each(all, o.tests, func(c *bench.Case, t backends.EngineTest) { c.Test = t })
}
