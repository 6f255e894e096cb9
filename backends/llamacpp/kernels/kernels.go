package kernels

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// install adds the kernels of a level to ggml.
func (l level) install() {
	if c, err := bound(); err == nil {
		c.Install(l.number)
	}
}

// ranges of tokens that are computed together, for which levels are chosen apart.
var ranges = []struct {
	most int64
	name string
}{{1, "1 token"}, {32, "up to 32"}, {math.MaxInt64, "more"}}

// Multiplying names, for people, the levels that multiply a loaded model's weights of these ggml_types, by the types' names: one word
// where a single level does.
func Multiplying(types map[string]uint32) string {
	c, err := bound()
	if err != nil {
		return ""
	}
	return multiplying(types, func(kind uint32, tokens int64) string { return c.Multiplier(int32(kind), tokens) })
}

func multiplying(types map[string]uint32, level func(kind uint32, tokens int64) string) string {
	alike := map[string][]string{} // types by their levels
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if level(types[name], 1) == "" {
			continue // nothing multiplies them
		}
		var parts []string
		for i, r := range ranges {
			this := level(types[name], r.most)
			if i == len(ranges)-1 || level(types[name], ranges[i+1].most) != this {
				parts = append(parts, this+" for "+r.name)
			}
		}
		levels := strings.Join(parts, ", ")
		if len(parts) == 1 {
			levels, _, _ = strings.Cut(levels, " ")
		}
		alike[levels] = append(alike[levels], name)
	}
	var all []string
	for levels, names := range alike {
		if len(alike) == 1 {
			return levels
		}
		all = append(all, strings.Join(names, ", ")+": "+levels)
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// Add adds the kernels to a ggml that was loaded, given a function of its backend for CPUs, before it loads a model. It refuses one
// whose tensors, buffers or threads are not as the kernels know them.
func Add(function uintptr) error {
	c, err := bound()
	if err != nil {
		return err
	}
	if _, err := Level(); err != nil {
		return err
	}
	if !Available() {
		return errors.New("proctor has no kernels for this CPU")
	}
	if refused := c.Add(function); refused != "" {
		return errors.New(refused)
	}
	return nil
}

// levels are those that this program has, best first.
func levels() []level {
	c, err := bound()
	if err != nil {
		return nil
	}
	var all []level
	for i := int32(0); ; i++ {
		l := level{name: c.Level(i), number: i}
		if l.name == "" {
			return all
		}
		for n := int32(0); ; n++ {
			feature := c.LevelLacks(i, n)
			if feature == "" {
				break
			}
			l.lacks = append(l.lacks, feature)
		}
		all = append(all, l)
	}
}

var loading sync.Mutex

// Load calls load, which loads a model, and has its weights packed for the kernels or leaves them to ggml. Packed ones are spread over
// the memory of NUMA nodes, where several below 64 are given.
func Load(pack bool, nodes []int, load func()) {
	loading.Lock()
	defer loading.Unlock()
	var spread uint64
	for _, node := range nodes {
		spread |= 1 << node
	}
	if c, err := bound(); err == nil {
		c.Spread(spread)
		c.Pack(pack && Available())
	}
	load()
}

// Packs says whether Load packs a matrix of weights: of a ggml_type, with so many values in each of its rows.
func Packs(kind uint32, columns, rows int64) bool {
	c, err := bound()
	return err == nil && Available() && c.Packs(int32(kind), columns, rows)
}

// Threads are those that a context computes with, a ggml_threadpool. None of its methods may be called while they compute.
type Threads struct {
	c    *functions // nil: everything is ggml's
	pool unsafe.Pointer
}

// A Rotation says in blocks of how many values keys and values are rotated before they are stored in a quantised cache,
// a power of two from [LeastRotated] to [MostRotated]; 0: they are stored as they are. A block is multiplied by the
// normalised Hadamard matrix, and so are queries and results. It is llama.cpp's rotation:
// https://github.com/ggml-org/llama.cpp/pull/21038.
type Rotation struct{ Keys, Values int32 }

// What a block of a [Rotation] may have.
const (
	LeastRotated = 64
	MostRotated  = 1024
)

// Rotates says whether caches can be rotated: those of the ggml that was given to [Add], else of the compiled-in one.
func Rotates() bool {
	c, err := bound()
	return err == nil && Available() && c.Rotates()
}

// Attach makes attention and the other operations that are computed with a ggml_threadpool the kernels', until Detach.
func Attach(pool unsafe.Pointer, r Rotation) Threads {
	c, err := bound()
	if err != nil {
		return Threads{}
	}
	c.Attach(pool, r.Keys, r.Values)
	return Threads{c, pool}
}

// Detach leaves them to ggml again. It comes before the threads are freed.
func (t Threads) Detach() {
	if t.c != nil {
		t.c.Detach(t.pool)
	}
}

// Share sets which streams of the cache begin with the same cells, until the next call: attention then reads these cells once for
// all of them. group has each stream's prefix group, which has the number of one of its streams, or -1 where it is in none;
// length has, at that place, how many cells are the same. Without streams, nothing is known any more.
func (t Threads) Share(group, length []int32) {
	if t.c != nil {
		t.c.Share(t.pool, int32(len(group)), unsafe.SliceData(group), unsafe.SliceData(length))
	}
}
