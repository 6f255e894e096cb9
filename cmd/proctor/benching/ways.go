package benching

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/options"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/bench"
)

// Words that --slots and --concurrency take instead of numbers.
const (
	autoSlots = 0  // as many as fit, or are fastest
	plainLoop = -1 // one question after the other, each from an empty cache, with flash attention as llama.cpp by itself
	plainest  = -2 // the same without flash attention

	plainName    = "plain"
	plainestName = "plain-fa0"

	ggmlKernels = "ggml" // llama.cpp as it is
)

// compared says whether rows tell how a way compares with the first.
func (o *benchOptions) compared() bool {
	return o.asksServers() || len(o.models) > 1 || len(o.engines) > 1 || slices.Min(o.slots) < autoSlots || slices.Contains(o.given, "rounds")
}

func (o *benchOptions) asksServers() bool {
	return len(o.peers) > 0 || slices.ContainsFunc(o.models, func(ref string) bool { return !o.here(ref) })
}

func (o *benchOptions) evaluated(ref string) registry.Options {
	options := o.gpus
	options.Ref, options.InProcess, options.Verbose = ref, o.inProcess, o.verbose
	return options
}

// here says whether a model is run in-process.
func (o *benchOptions) here(ref string) bool { return o.evaluated(ref).Takes("slots") }

// evalWay is a way to open a model, and its name among others.
type evalWay struct {
	registry.Options
	name  string
	plain bool
}

// ways are those of having a load answered.
func ways(p *console.Program, o *benchOptions) []bench.Way {
	var all []bench.Way
	for _, way := range o.ways() {
		all = append(all, bench.Way{Opening: opening(p, o, way.Options), Name: way.name, Plain: way.plain})
	}
	for _, peer := range o.peers {
		for _, n := range o.concurrency {
			all = append(all, o.peerWay(peer, n))
		}
	}
	return all
}

// peer is a server that runs what the first model is.
type peer struct{ name, url string }

// peerWay asks a peer with a number of requests in flight.
func (o *benchOptions) peerWay(of peer, inFlight int) bench.Way {
	name := of.name
	if inFlight != autoSlots {
		name = fmt.Sprintf("%s, in flight %d", name, inFlight)
	}
	first := o.evaluated(o.models[0])
	first.Engine = o.engines[0] // a process can load one
	return bench.Way{Name: name, Opening: bench.Opening{Ref: of.url, Open: func(ctx context.Context) (backends.Model, error) {
		return registry.Peer(ctx, of.url, inFlight, first)
	}}}
}

// peerOf reads NAME=URL.
func peerOf(text string) ([]peer, error) {
	name, url, found := strings.Cut(text, "=")
	if !found || name == "" || url == "" {
		return nil, fmt.Errorf("%s: give NAME=URL, as in ik=http://127.0.0.1:8080", text)
	}
	return []peer{{name, url}}, nil
}

// ways are, for each model, the grid of what applies to it. A flag that applies to none of
// them is left among those that are given, and refused by who opens the model.
func (o *benchOptions) ways() []evalWay {
	useless := slices.DeleteFunc(slices.Clone(o.given), func(flag string) bool {
		return len(o.peers) > 0 && flag == "concurrency" ||
			slices.ContainsFunc(o.models, func(ref string) bool { return o.evaluated(ref).Takes(flag) })
	})
	var all []evalWay
	for _, ref := range o.models {
		options := o.evaluated(ref)
		options.Given = useless
		grid := each([]registry.Options{options}, o.threads, func(o *registry.Options, n int) { o.Threads = n })
		if o.here(ref) || slices.Contains(o.given, "n-gpu-layers") {
			grid = each(grid, o.gpuLayers, func(o *registry.Options, n int) { o.GPULayers = &n })
		}
		if !o.here(ref) {
			for _, options := range each(grid, o.concurrency, func(o *registry.Options, n int) { o.Concurrency = n }) {
				all = append(all, o.way(options, options.Concurrency, "in flight"))
			}
			continue
		}
		grid = each(grid, o.engines, func(o *registry.Options, name string) { o.Engine = name })
		grid = each(grid, o.kernels, func(o *registry.Options, name string) { o.Kernels = strings.TrimPrefix(name, flags.Auto) })
		grid = each(grid, o.batches, func(o *registry.Options, n int) { o.Batch = n })
		grid = each(grid, o.microbatches, func(o *registry.Options, n int) { o.Microbatch = n })
		grid = each(grid, o.keys, func(o *registry.Options, name string) { o.KVType = name })
		for _, options := range each(grid, o.slots, func(o *registry.Options, n int) { o.Slots = n }) {
			all = append(all, o.way(options, options.Slots, "slots"))
		}
	}
	return all
}

// way has this number of slots or requests at a time. A given number turns tuning off, so that rows differ in this number alone.
func (o *benchOptions) way(options registry.Options, atATime int, what string) evalWay {
	way := evalWay{Options: options, name: fmt.Sprintf("%s %d", what, atATime)}
	switch atATime {
	case autoSlots:
		way.Tune, way.name = what == "slots", flags.Auto
	case plainLoop, plainest:
		way.Slots, way.name, way.plain = 1, plainName+" loop", true
		way.Like = &backends.EngineInfo{Slots: 1, FlashAttention: atATime == plainLoop}
		if atATime == plainest { // proctor's kernels always have it on
			way.name, way.Kernels = way.name+", fa 0", ggmlKernels
		}
	}
	if len(o.kernels) > 1 && o.here(options.Ref) {
		way.name += ", " + cmp.Or(way.Kernels, flags.Auto)
	}
	if len(o.engines) > 1 && o.here(options.Ref) {
		way.name += ", " + options.Engine
	}
	if len(o.models) > 1 {
		way.name = filepath.Base(options.Ref) + ", " + way.name
	}
	return way
}

// load is what is asked: made-up words, or real questions in the first style, with all shots.
func load(p *console.Program, o *benchOptions) (bench.Load, error) {
	load := bench.Load{
		Prompts: o.madeUp.Prompts, Repetitions: o.repetitions, WarmUp: !o.cold,
		Rounds: o.rounds, Compared: o.compared(), Drawn: o.asksServers(),
	}
	if o.data.Ref == "" {
		return load, nil
	}
	set, err := options.OpenSet(p, o.data)
	if err != nil {
		return load, err
	}
	eval := prompts.Eval{Task: task.All[0], Style: prompts.Styles[0], Shots: prompts.MaxShots}
	if len(set.Validation) == 0 {
		eval.Shots = 0
	}
	selection := dataset.Selection{Subjects: o.subjects, Limit: o.madeUp.Questions}
	plan, err := ask.NewPlan(set, eval, selection, ask.Settings{MaxTokens: o.madeUp.Generate})
	if err != nil {
		return load, err
	}
	if n := len(plan.Items); n < o.madeUp.Questions {
		return load, fmt.Errorf("%s has %d such questions: give --questions %d, or ask of more --subjects", set.Name, n, n)
	}
	load.Prompts = func(tokenizer backends.Tokenizer) (bench.Prompts, error) {
		// A server's model can lack its vocabulary here.
		if err := plan.Measure(tokenizer); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return bench.Prompts{}, err
		}
		asked := bench.Prompts{Work: plan.Workload()}
		for _, item := range plan.Items {
			asked.Texts = append(asked.Texts, item.Prompt())
		}
		return asked, nil
	}
	return load, nil
}
