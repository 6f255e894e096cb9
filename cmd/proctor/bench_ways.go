package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"proctor/backends"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/bench"
)

// plainName is what --slots takes for one question after the other, each from an empty cache, with flash attention as llama.cpp by
// itself.
const plainName = "plain"

// compared says whether rows tell how a way compares with the first.
func (o *benchOptions) compared() bool {
	return len(o.models) > 1 || slices.Contains(o.given, "rounds")
}

func (o *benchOptions) asksServers() bool {
	return slices.ContainsFunc(o.models, func(ref string) bool { return !o.here(ref) })
}

// here says whether a model is run in-process.
func (o *benchOptions) here(ref string) bool { return o.takes(ref, "slots") }

// takes says whether a flag applies to a model.
func (o *benchOptions) takes(ref, flag string) bool {
	options := o.model
	options.Ref = ref
	return options.Takes(flag)
}

// ways are those of having a load answered, one for each model. A flag that applies to none of them is left among those that are given,
// and refused by who opens the model.
func ways(p *console.Program, o *benchOptions) []bench.Way {
	useless := slices.DeleteFunc(slices.Clone(o.given), func(flag string) bool {
		return slices.ContainsFunc(o.models, func(ref string) bool { return o.takes(ref, flag) })
	})
	var all []bench.Way
	for _, ref := range o.models {
		options, way := o.model, bench.Way{}
		options.Ref, options.Given = ref, useless
		switch {
		case !o.here(ref):
			way.Name = flags.Auto
			if options.Concurrency > 0 {
				way.Name = fmt.Sprintf("in flight %d", options.Concurrency)
			}
			if options.Slots, options.Kernels = 0, ""; !slices.Contains(o.given, "n-gpu-layers") {
				options.GPULayers = nil
			}
		case o.plain:
			way.Name, way.Plain = plainName+" loop", true
			options.Slots, options.Like = 1, &backends.EngineInfo{Slots: 1, FlashAttention: true}
		case options.Slots == 0:
			way.Name, options.Tune = flags.Auto, true
		default: // a given number turns tuning off
			way.Name = fmt.Sprintf("slots %d", options.Slots)
		}
		if len(o.models) > 1 {
			way.Name = filepath.Base(ref) + ", " + way.Name
		}
		way.Opening = opening(p, options)
		all = append(all, way)
	}
	return all
}

// load is what is asked.
func (o *benchOptions) load() bench.Load {
	return bench.Load{
		MadeUp: o.madeUp, Repetitions: o.repetitions, WarmUp: !o.cold,
		Rounds: o.rounds, Compared: o.compared(), Drawn: o.asksServers(),
	}
}
