package jinja

import "slices"

// ordered is values under ids, in the order in which the ids came.
type ordered[K comparable] struct {
	ids    []K
	values []Value
	index  map[K]int // where the ids stand, once they are more than few
}

// few is how many ids are found faster one by one than in a map. Most scopes and dicts have two or three.
const few = 8

// find gives the place of an id, or -1.
func (o *ordered[K]) find(id K) int {
	if o.index == nil {
		return slices.Index(o.ids, id)
	}
	if i, found := o.index[id]; found {
		return i
	}
	return -1
}

func (o *ordered[K]) put(id K, value Value) {
	if i := o.find(id); i >= 0 {
		o.values[i] = value
		return
	}
	o.ids, o.values = append(o.ids, id), append(o.values, value)
	switch n := len(o.ids); {
	case o.index != nil:
		o.index[id] = n - 1
	case n > few:
		o.index = make(map[K]int, 2*n)
		for i, id := range o.ids {
			o.index[id] = i
		}
	}
}

// scope is the names of a block, and below them those of the blocks around it. A name that is set goes into the
// innermost scope, so that nothing leaks out of loops and macros.
type scope struct {
	around *scope
	names  ordered[string]
	room   struct { // what most loops and macros need
		ids    [3]string
		values [3]Value
	}
}

func (s *scope) inner() *scope {
	inner := &scope{around: s}
	inner.names.ids, inner.names.values = inner.room.ids[:0], inner.room.values[:0]
	return inner
}

func (s *scope) set(name string, value Value) { s.names.put(name, value) }

func (s *scope) get(name string) Value {
	for ; s != nil; s = s.around {
		if i := s.names.find(name); i >= 0 {
			return s.names.values[i]
		}
	}
	if value, found := globals[name]; found {
		return value
	}
	return &undefined{owner: noOwner, name: name}
}
