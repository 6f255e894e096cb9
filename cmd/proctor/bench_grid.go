package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/machine"
	"proctor/backends/open"
)

// grid is every combination of models and engine settings that a benchmark goes through.
type grid struct {
	models    []string
	gpuLayers []int
	kernels   []string
	settings  []llamacpp.BenchSettings
	// show has the keys of the settings that vary, or are not the default.
	show []string
}

// llama-bench's defaults. All layers of a model are fewer than allLayers.
const (
	benchBatch      = 2048
	benchMicrobatch = 512
	benchKVType     = "f16"
	allLayers       = 99
)

// gridOf reads the engine's flags.
func gridOf(c *cli.Context) (grid, error) {
	g := grid{models: slices.Concat(c.StringSlice("model"), c.Args().Slice())}
	if len(g.models) == 0 {
		g.models = []string{open.Default}
	}
	layers := 0
	if len(llama.GPUs()) > 0 {
		layers = allLayers
	}
	l := lists{flags: c}
	g.gpuLayers = l.numbers("n-gpu-layers", "n_gpu_layers", layers)
	kernels := llamacpp.KernelsGGML
	if c.Bool("exam") {
		kernels = "" // as for a run
	}
	g.kernels = l.words("kernels", "kernels", kernels)
	batches := l.numbers("batch-size", "n_batch", benchBatch)
	microbatches := l.numbers("ubatch-size", "n_ubatch", benchMicrobatch)
	keys := l.words("cache-type-k", "type_k", benchKVType)
	values := l.words("cache-type-v", "type_v", benchKVType)
	flash := l.numbers("flash-attn", "flash_attn", 0)
	threads := l.numbers("threads", "n_threads", machine.Cores())
	if l.err != nil {
		return g, l.err
	}
	if on := slices.Max(flash); on > 1 {
		return g, fmt.Errorf("--flash-attn %d: give 0 or 1", on)
	}
	g.show = l.show
	type settings = llamacpp.BenchSettings
	g.settings = each([]settings{{}}, batches, func(s *settings, n int) { s.Batch = n })
	g.settings = each(g.settings, microbatches, func(s *settings, n int) { s.Microbatch = n })
	g.settings = each(g.settings, keys, func(s *settings, name string) { s.KeyType = name })
	g.settings = each(g.settings, values, func(s *settings, name string) { s.ValueType = name })
	g.settings = each(g.settings, flash, func(s *settings, on int) { s.FlashAttention = on == 1 })
	g.settings = each(g.settings, threads, func(s *settings, n int) { s.Threads = n })
	for _, s := range g.settings {
		if err := s.Check(); err != nil {
			return g, err
		}
	}
	return g, nil
}

// each returns every one of all with every value set: a grid's next dimension, which changes fastest.
func each[C, V any](all []C, values []V, set func(*C, V)) []C {
	var grid []C
	for _, one := range all {
		for _, value := range values {
			set(&one, value)
			grid = append(grid, one)
		}
	}
	return grid
}

// openings are the models to load, one after the other, in the ways to load them.
func (g grid) openings() []open.Options {
	all := each([]open.Options{{InProcess: true}}, g.models, func(o *open.Options, ref string) { o.Ref = ref })
	all = each(all, g.gpuLayers, func(o *open.Options, n int) { o.GPULayers = &n })
	return each(all, g.kernels, func(o *open.Options, name string) { o.Kernels = name })
}

// listFlag is a flag that can be given several times, and says so less lengthily than the library does.
type listFlag struct{ *cli.StringSliceFlag }

func (f listFlag) String() string {
	return (&cli.StringFlag{Name: f.Name, Aliases: f.Aliases, Usage: f.Usage, DefaultText: f.DefaultText}).String()
}

// lists reads flags that are lists, and remembers which are not the default.
type lists struct {
	flags *cli.Context
	show  []string
	err   error // the first
}

// words reads a list of words; key is a row's word for the setting.
func (l *lists) words(name, key, otherwise string) []string {
	values := l.flags.StringSlice(name)
	if len(values) == 0 {
		return []string{otherwise}
	}
	if len(values) > 1 || values[0] != otherwise {
		l.show = append(l.show, key)
	}
	return values
}

// numbers reads a list of numbers and ranges.
func (l *lists) numbers(name, key string, otherwise ...int) []int {
	var all []int
	for _, text := range l.flags.StringSlice(name) {
		numbers, err := span(text)
		if err != nil {
			l.err = cmp.Or(l.err, fmt.Errorf("--%s %w", name, err))
			return otherwise
		}
		all = append(all, numbers...)
	}
	if len(all) == 0 {
		return otherwise
	}
	if !slices.Equal(all, otherwise) {
		l.show = append(l.show, key)
	}
	return all
}

// spans is llama-bench's form of a range: FIRST, FIRST-LAST, FIRST-LAST+STEP or FIRST-LAST*FACTOR.
var spans = regexp.MustCompile(`^(\d{1,9})(?:-(\d{1,9})(?:([+*])(\d{1,9}))?)?$`)

// maxSpan is more values than anybody measures.
const maxSpan = 1000

// span returns the numbers of a range.
func span(text string) ([]int, error) {
	part := spans.FindStringSubmatch(text)
	if part == nil {
		return nil, fmt.Errorf("%q: give a number, or a range as in 128-512+128 or 1-16*2", text)
	}
	number := func(text string, otherwise int) int {
		n, err := strconv.Atoi(text)
		if err != nil { // not there
			return otherwise
		}
		return n
	}
	first := number(part[1], 0)
	last, step := number(part[2], first), number(part[4], 1)
	var all []int
	for n := first; n <= last; {
		all = append(all, n)
		next := n + step
		if part[3] == "*" {
			next = n * step
		}
		if next <= n || len(all) > maxSpan {
			return nil, fmt.Errorf("%q: a range that does not end, or has more than %d numbers", text, maxSpan)
		}
		n = next
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%q: the range ends before it begins", text)
	}
	return all, nil
}
