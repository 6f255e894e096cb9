package jinja

import (
	"slices"
	"strings"
)

// attribute is value.name: an attribute of Python's first, then an item.
func attribute(_ *run, v, name Value) Value {
	if found, exists := ownAttribute(v, name.(string)); exists {
		return found
	}
	if dict, isDict := v.(*Dict); isDict {
		if found, exists := dict.get(name); exists {
			return found
		}
	}
	return &undefined{owner: v, name: name}
}

// item is value[key]: an item first, then (with a text as key) an attribute.
func item(r *run, v, key Value) Value {
	defined(v)
	if parts, isSlice := key.(slice); isSlice {
		return parts.of(r, v)
	}
	if found, exists := r.ownItem(v, key); exists {
		return found
	}
	if name, isText := text(key); isText {
		if found, exists := ownAttribute(v, name); exists {
			return found
		}
	}
	return &undefined{owner: v, name: key}
}

// ownAttribute looks for an attribute that the value's Python type has.
func ownAttribute(v Value, name string) (found Value, exists bool) {
	defined(v)
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return &undefined{owner: v, name: name, unsafe: true}, true
	}
	if o, isObject := v.(object); isObject {
		return o.attribute(name)
	}
	kind := typeName(v)
	if method := methods[kind][name]; method != nil {
		return &bound{method, v}, true
	}
	switch {
	case slices.Contains(changing[kind], name):
		return &undefined{owner: v, name: name, unsafe: true}, true
	case slices.Contains(lackingMethods[kind], name), kind == "Markup" && methods["str"][name] != nil:
		fail(Unsupported, "method '%s' of %s", name, kind)
	}
	return nil, false
}

func (r *run) ownItem(v, key Value) (found Value, exists bool) {
	if dict, isDict := v.(*Dict); isDict {
		if _, hashable := hash(key); !hashable {
			return nil, false
		}
		return dict.get(key)
	}
	index, isInt := integer(key)
	s, isText := text(v)
	items := sequenceOf(v)
	if !isInt || !isText && items == nil || strings.HasPrefix(typeName(v), "dict_") {
		return nil, false
	}
	r.allocate(4 * len(s))
	runes := []rune(s)
	n := int64(max(len(items), len(runes)))
	if index < 0 {
		index += n
	}
	switch {
	case index < 0 || index >= n:
		return nil, false
	case isText:
		return asText(string(runes[index]), isMarkup(v)), true
	}
	return items[index], true
}

// slice is the start:stop:step of an item; a part that is not written is none.
type slice [3]Value

func (s slice) of(r *run, v Value) Value {
	text, isText := text(v)
	switch {
	case isText:
		r.allocate(5 * len(text))
		return asText(string(picked(r, []rune(text), s)), isMarkup(v))
	case isList(v):
		return likeList(v, picked(r, sequenceOf(v), s))
	}
	require(sequenceOf(v) == nil, Unsupported, "a slice of a %s", typeName(v))
	fail(TypeError, "'%s' object is not subscriptable", typeName(v))
	return nil
}

// bounds clips a slice to a sequence of n items, as Python does.
func (s slice) bounds(n int) (start, stop, step int) {
	var numbers [3]int
	for i, part := range s {
		defined(part)
		number, isInt := integer(part)
		require(isInt || part == nil, TypeError, "slice indices must be integers or None or have an __index__ method")
		numbers[i] = int(number)
	}
	if s[2] == nil {
		numbers[2] = 1
	}
	step = numbers[2]
	require(step != 0, ValueError, "slice step cannot be zero")
	low, high, start, stop := 0, n, 0, n
	if step < 0 {
		low, high, start, stop = -1, n-1, n-1, -1
	}
	clipped := func(i, otherwise int) int {
		switch {
		case s[i] == nil:
			return otherwise
		case numbers[i] < 0:
			numbers[i] += n
		}
		return min(max(numbers[i], low), high)
	}
	return clipped(0, start), clipped(1, stop), step
}

// picked is the items from start towards stop.
func picked[T any](r *run, items []T, s slice) []T {
	start, stop, step := s.bounds(len(items))
	if step == 1 {
		stop = max(start, stop)
		return items[start:stop:stop]
	}
	r.list(len(items))
	var kept []T
	for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
		kept = append(kept, items[i])
		if step > len(items) || step < -len(items) {
			break
		}
	}
	return kept
}

// items is what a loop over the value goes through. It pays for the walk.
func (r *run) items(v Value) []Value {
	n, _ := length(v)
	r.spend(n)
	switch v := v.(type) {
	case *undefined:
		return nil
	case List:
		return v
	case *Dict:
		return v.keys
	case *sequence:
		items := v.items
		if v.once() {
			v.items = nil
			r.spend(len(items))
		}
		return items
	case *loop:
		fail(Unsupported, "a loop over the variable loop")
	}
	s, isText := text(v)
	if !isText {
		fail(TypeError, "'%s' object is not iterable", typeName(v))
	}
	r.list(2 * len(s))
	characters := make([]Value, 0, len(s))
	for _, c := range s {
		characters = append(characters, asText(string(c), isMarkup(v)))
	}
	return characters
}
