package llama

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unsafe"
)

// params are a structure of parameters that llama.cpp takes and returns by value, of any release: the callee reads and writes as much as
// its own has.
type params struct{ words [24]uint64 }

func (p *params) bytes() *[24 * 8]byte { return (*[24 * 8]byte)(unsafe.Pointer(p)) }

// SetInt sets a field of 32 bits.
func (p *params) SetInt(at offset, value int) {
	binary.NativeEndian.PutUint32(p.bytes()[at:], uint32(int32(value)))
}

// SetBool sets a field of a byte.
func (p *params) SetBool(at offset, value bool) {
	p.bytes()[at] = 0
	if value {
		p.bytes()[at] = 1
	}
}

// SetAddress sets a pointer that Go did not make.
func (p *params) SetAddress(at offset, value uintptr) {
	*(*uintptr)(unsafe.Pointer(&p.bytes()[at])) = value
}

// SetPointer sets a pointer to memory of Go, which the caller keeps alive while C refers to it.
func (p *params) SetPointer(at offset, value unsafe.Pointer) {
	*(*unsafe.Pointer)(unsafe.Pointer(&p.bytes()[at])) = value
}

// An offset of a field in bytes; 0 for a field that a release lacks: none that is set stands first.
type offset int

// modelFields are the fields of llama_model_params that are set.
type modelFields struct {
	Devices, GPULayers, TensorSplit, Progress, ProgressData, VocabOnly, NoHost offset
}

// contextFields are the fields of llama_context_params that are set.
type contextFields struct {
	Context, Batch, Microbatch, Sequences, Threads, BatchThreads, Flash offset

	TypeK, TypeV, Abort, AbortData, SwaFull, Unified offset
}

// A layout says where the parameters of some releases have their fields, and what these are by default: a library's release is recognised
// by the defaults that it returns. A release that moves fields gets a row in the table, with the offsets that a C compiler gives for its
// llama.h.
type layout struct {
	Since   string // the first release that has it
	Model   modelFields
	Context contextFields

	ImportanceList bool // importance matrices are taken as a list in C; others take a map of C++

	modelDefaults map[offset]uint32 // 32-bit words that are not pointers
}

const (
	anyOf     = math.MaxUint32 // -1: it is left to the model or to llama.cpp
	ofModel   = 0xbf800000     // -1.0
	someBools = 0x01010100     // no, yes, yes, yes
)

// known are the layouts of releases, the latest last. A release with another one gets a row of its own.
var known = []layout{
	{
		Since: "December 2025 (b7347)", Model: modelBooleans(69), Context: contextAt(16, 24, 88),
		modelDefaults: map[offset]uint32{16: 999, 20: 1, 64: 0x100, 68: 1},
	},
	{
		Since: "January 2026 (b7698)", Model: modelBooleans(70), Context: contextAt(16, 24, 88),
		modelDefaults: map[offset]uint32{16: anyOf, 20: 1, 64: 0x10100, 68: 0x100},
	},
	{
		Since: "February 2026 (b8121)", Model: modelBooleans(70), Context: contextAt(16, 24, 88),
		modelDefaults: map[offset]uint32{16: anyOf, 20: 1, 64: 0x100, 68: 0x100},
	},
	{
		Since: "b9842", Model: modelBooleans(70), Context: contextAt(24, 36, 104), ImportanceList: true,
		modelDefaults: map[offset]uint32{16: anyOf, 20: 1, 64: 0x100, 68: 0x100},
	},
	{
		Since: "b10361", Model: modelLoadMode(32), Context: contextAt(28, 40, 104), ImportanceList: true,
		modelDefaults: map[offset]uint32{16: anyOf, 20: 1, 24: 1, 28: 0, 64: 0x10000, 68: 0},
	},
	{
		Since: "v0.4.0", Model: modelLoadMode(40), Context: contextAt(28, 40, 104), ImportanceList: true,
		modelDefaults: map[offset]uint32{16: anyOf, 20: 1, 24: anyOf, 28: 1, 72: 0x10000, 76: 0},
	},
}

// modelBooleans are the fields of releases that say by a boolean whether the file is mapped.
func modelBooleans(noHost offset) modelFields {
	return modelFields{GPULayers: 16, TensorSplit: 32, Progress: 40, ProgressData: 48, VocabOnly: 64, NoHost: noHost}
}

// modelLoadMode are the fields of releases that say so by a load mode. Four booleans follow seven words behind split.
func modelLoadMode(split offset) modelFields {
	return modelFields{
		GPULayers: 16, TensorSplit: split, Progress: split + 8, ProgressData: split + 16,
		VocabOnly: split + 32, NoHost: split + 35,
	}
}

// contextAt are the fields of releases whose threads, scaling of positions, and cache types lie there.
func contextAt(threads, scaling, types offset) contextFields {
	return contextFields{
		Context: 0, Batch: 4, Microbatch: 8, Sequences: 12, Threads: threads, BatchThreads: threads + 4, Flash: scaling + 12,
		TypeK: types, TypeV: types + 4, Abort: types + 8, AbortData: types + 16,
		SwaFull: types + 28, Unified: types + 29,
	}
}

// firstDefaults are the first defaults of contexts in all releases: 512 tokens, a batch of 2048, a microbatch of 512, one sequence.
var firstDefaults = map[offset]uint32{0: 512, 4: 2048, 8: 512, 12: 1}

// defaults are those of a context whose fields lie there, 32-bit words that are not pointers.
func (c contextFields) defaults() map[offset]uint32 {
	all := map[offset]uint32{
		c.Threads: 4, c.Flash - 12: anyOf, c.Flash: anyOf, c.Flash + 12: ofModel, c.TypeK: 1, c.TypeV: 1,
		c.TypeK + 24: someBools, c.TypeK + 28: 1,
	}
	if c.Threads > 24 { // another count lies before it
		all[24] = 1
	}
	maps.Copy(all, firstDefaults)
	return all
}

// fitting are the layouts whose defaults a library returns, the latest last.
func fitting(model, context params) []layout {
	return slices.DeleteFunc(slices.Clone(known), func(l layout) bool {
		return !hasWords(model, l.modelDefaults) || !hasWords(context, l.Context.defaults())
	})
}

// layoutOf finds the layout of a library by the parameters that it returns.
func layoutOf(model, context params) (layout, error) {
	if all := fitting(model, context); len(all) > 0 {
		return all[len(all)-1], nil
	}
	var since []string
	for _, l := range known {
		since = append(since, l.Since)
	}
	return layout{}, fmt.Errorf("its parameters have another layout than in the known releases, since %s: choose one of those, or a later proctor",
		strings.Join(since, ", "))
}

// Generation numbers layouts in the order of their releases.
func (l layout) Generation() int {
	return slices.IndexFunc(known, func(of layout) bool { return of.Since == l.Since })
}

// Word is the 32-bit word at an offset.
func (p *params) Word(at offset) uint32 { return binary.NativeEndian.Uint32(p.bytes()[at:]) }

// hasWords says whether parameters have these words.
func hasWords(p params, words map[offset]uint32) bool {
	for at, want := range words {
		if p.Word(at) != want {
			return false
		}
	}
	return true
}
