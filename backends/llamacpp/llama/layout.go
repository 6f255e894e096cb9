package llama

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"
)

// params are a structure of parameters that llama.cpp takes and returns by value, of any release: the callee reads and writes as much as
// its own has.
type params struct{ words [24]uint64 }

func (p *params) bytes() *[24 * 8]byte { return (*[24 * 8]byte)(unsafe.Pointer(p)) }

func (p *params) setInt(at offset, value int) {
	binary.NativeEndian.PutUint32(p.bytes()[at:], uint32(int32(value)))
}

func (p *params) setBool(at offset, value bool) {
	p.bytes()[at] = 0
	if value {
		p.bytes()[at] = 1
	}
}

func (p *params) setAddress(at offset, value uintptr) {
	*(*uintptr)(unsafe.Pointer(&p.bytes()[at])) = value
}

func (p *params) setPointer(at offset, value unsafe.Pointer) {
	*(*unsafe.Pointer)(unsafe.Pointer(&p.bytes()[at])) = value
}

// An offset of a field in bytes; 0 for a field that a release lacks: none that is set stands first.
type offset int

// modelFields are those of llama_model_params that are set. Releases have either useMmap or loadMode.
type modelFields struct {
	devices, gpuLayers, tensorSplit, progress, progressData offset
	vocabOnly, useMmap, loadMode, noHost                    offset
}

// contextFields are those of llama_context_params that are set.
type contextFields struct {
	context, batch, microbatch, sequences, threads, batchThreads, flash offset

	evaluated, evaluatedData, typeK, typeV, abort, abortData, swaFull, unified offset
}

// A layout says where the parameters of some releases have their fields, and what these are by default.
type layout struct {
	since   string // the first release that has it
	model   modelFields
	context contextFields
	// The defaults of both structures, 32-bit words, as far as they are not pointers.
	modelDefaults, contextDefaults map[offset]uint32
}

// Values of a field loadMode, an enum llama_load_mode.
const (
	loadRead   = 0
	loadMapped = 1
)

// Defaults of contexts that all releases have: 512 tokens, a batch of 2048, a microbatch of 512, one sequence.
func contextDefaults(others map[offset]uint32) map[offset]uint32 {
	all := map[offset]uint32{0: 512, 4: 2048, 8: 512, 12: 1}
	for at, value := range others {
		all[at] = value
	}
	return all
}

const (
	anyOf     = math.MaxUint32 // -1: it is left to the model or to llama.cpp
	ofModel   = 0xbf800000     // -1.0
	someBools = 0x01010100     // no, yes, yes, yes
)

// layouts are those that are known, the latest last. A release with another one gets a row of its own.
var layouts = []layout{
	{
		since: "December 2025 (b7347)", model: modelBooleans(65, 69), context: contextAt(16, 24, 88),
		modelDefaults:   map[offset]uint32{16: 999, 20: 1, 64: 0x100, 68: 1},
		contextDefaults: contextDefaults(map[offset]uint32{16: 4, 24: anyOf, 36: anyOf, 48: ofModel, 88: 1, 92: 1, 112: someBools, 116: 1}),
	},
	{
		since: "January 2026 (b7698)", model: modelBooleans(65, 70), context: contextAt(16, 24, 88),
		modelDefaults:   map[offset]uint32{16: anyOf, 20: 1, 64: 0x10100, 68: 0x100},
		contextDefaults: contextDefaults(map[offset]uint32{16: 4, 24: anyOf, 36: anyOf, 48: ofModel, 88: 1, 92: 1, 112: someBools, 116: 1}),
	},
	{
		since: "February 2026 (b8121)", model: modelBooleans(65, 70), context: contextAt(16, 24, 88),
		modelDefaults:   map[offset]uint32{16: anyOf, 20: 1, 64: 0x100, 68: 0x100},
		contextDefaults: contextDefaults(map[offset]uint32{16: 4, 24: anyOf, 36: anyOf, 48: ofModel, 88: 1, 92: 1, 112: someBools, 116: 1}),
	},
	{
		since: "b9842", model: modelBooleans(65, 70), context: contextAt(24, 36, 104),
		modelDefaults:   map[offset]uint32{16: anyOf, 20: 1, 64: 0x100, 68: 0x100},
		contextDefaults: contextDefaults(map[offset]uint32{24: 4, 36: anyOf, 48: anyOf, 60: ofModel, 104: 1, 108: 1, 128: someBools, 132: 1}),
	},
	{
		since: "b10361", model: modelLoadMode(24, 32), context: contextAt(28, 40, 104),
		modelDefaults:   map[offset]uint32{16: anyOf, 20: 1, 24: 1, 28: 0, 64: 0x10000, 68: 0},
		contextDefaults: contextDefaults(map[offset]uint32{24: 1, 28: 4, 40: anyOf, 52: anyOf, 64: ofModel, 104: 1, 108: 1, 128: someBools, 132: 1}),
	},
	{
		since: "v0.4.0", model: modelLoadMode(28, 40), context: contextAt(28, 40, 104),
		modelDefaults:   map[offset]uint32{16: anyOf, 20: 1, 24: anyOf, 28: 1, 72: 0x10000, 76: 0},
		contextDefaults: contextDefaults(map[offset]uint32{24: 1, 28: 4, 40: anyOf, 52: anyOf, 64: ofModel, 104: 1, 108: 1, 128: someBools, 132: 1}),
	},
}

// modelBooleans are the fields of releases that say by a boolean whether the file is mapped.
func modelBooleans(mmap, noHost offset) modelFields {
	return modelFields{gpuLayers: 16, tensorSplit: 32, progress: 40, progressData: 48, vocabOnly: 64, useMmap: mmap, noHost: noHost}
}

// modelLoadMode are the fields of releases that say so by a load mode. Four booleans follow seven words behind split.
func modelLoadMode(mode, split offset) modelFields {
	return modelFields{
		gpuLayers: 16, loadMode: mode, tensorSplit: split, progress: split + 8, progressData: split + 16,
		vocabOnly: split + 32, noHost: split + 35,
	}
}

// contextAt are the fields of releases whose threads, scaling of positions, and cache types lie there.
func contextAt(threads, scaling, types offset) contextFields {
	return contextFields{
		context: 0, batch: 4, microbatch: 8, sequences: 12, threads: threads, batchThreads: threads + 4, flash: scaling + 12,
		evaluated: types - 16, evaluatedData: types - 8, typeK: types, typeV: types + 4, abort: types + 8, abortData: types + 16,
		swaFull: types + 28, unified: types + 29,
	}
}

// layoutOf finds the layout of a library by the parameters that it returns.
func layoutOf(model, context params) (layout, error) {
	for _, l := range slices.Backward(layouts) {
		if has(model, l.modelDefaults) && has(context, l.contextDefaults) {
			return l, nil
		}
	}
	var known []string
	for _, l := range layouts {
		known = append(known, l.since)
	}
	return layout{}, fmt.Errorf("its parameters lie otherwise than in the releases that are known, since %s: choose one of those, or a later proctor",
		strings.Join(known, ", "))
}

func has(p params, words map[offset]uint32) bool {
	for at, want := range words {
		if binary.NativeEndian.Uint32(p.bytes()[at:]) != want {
			return false
		}
	}
	return true
}
