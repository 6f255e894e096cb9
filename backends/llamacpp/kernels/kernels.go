package kernels

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// install adds the kernels of a level to ggml.
func (l level) install() {
	if c, err := bound(); err == nil {
		c.Install(l.number)
	}
}

// measure has the fastest level multiply, for each number of columns, unless one is forced.
var measure = sync.OnceFunc(func() {
	if c, err := bound(); err == nil && !Forced() {
		c.Measure()
	}
})

// Multiplying measures which levels multiply fastest, once, and has them multiply. It says for people which they are, where they are
// others than the one that computes all else.
func Multiplying() string {
	c, err := bound()
	name, failed := Level()
	if err != nil || failed != nil || name == "" {
		return ""
	}
	measure()
	one, some, many := c.Multiplier(1), c.Multiplier(16), c.Multiplier(64)
	if one == name && some == name && many == name {
		return ""
	}
	return fmt.Sprintf("%s multiplies one token fastest, %s some, %s many", one, some, many)
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

// Attach makes attention and the other operations that are computed with a ggml_threadpool the kernels', until Detach.
func Attach(pool unsafe.Pointer) Threads {
	c, err := bound()
	if err != nil {
		return Threads{}
	}
	c.Attach(pool)
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
