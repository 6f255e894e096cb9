package jinja

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// getItem is object[key].
func getItem(object, key any) any {
	mustBeDefined(object)
	switch object := object.(type) {
	case safe:
		panic(faultf("an item of a Markup is not supported"))
	case *dict:
		if value, found := object.get(key); found {
			return value
		}
	case *sequence:
		if at, is := index(key, len(object.items)); is && (object.isList() || object.kind == "range") {
			return object.items[at]
		}
	case string:
		characters := []rune(object)
		if at, is := index(key, len(characters)); is {
			return string(characters[at])
		}
	}
	if name, is := key.(string); is {
		return getAttribute(object, name)
	}
	return &undefined{fmt.Sprintf("'%s object' has no element %v", typeOf(object), key)}
}

// index is the index that a key is; a negative one counts from the end.
func index(key any, size int) (at int, is bool) {
	if at = number(key); at < 0 {
		at += size
	}
	return at, isWhole(key) && at >= 0 && at < size
}

// mutators are the methods that the sandbox forbids, by type.
var mutators = map[string]string{
	"list": "append clear pop reverse insert sort extend remove",
	"dict": "clear pop popitem setdefault update",
}

// lacking are the attributes that Python's values have and those here haven't, by type.
var lacking = map[string]string{
	"str": "capitalize casefold center encode expandtabs format_map isalnum isalpha isascii isdecimal isdigit " +
		"isidentifier islower isnumeric isprintable isspace istitle isupper ljust maketrans partition removeprefix " +
		"removesuffix rfind rindex rjust rpartition swapcase title translate zfill",
	"int": "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer numerator real " +
		"to_bytes",
	"float":       "as_integer_ratio conjugate fromhex hex imag is_integer real",
	"list":        "copy count",
	"tuple":       "count",
	"range":       "count index start step stop",
	"generator":   "close gi_code gi_frame gi_running gi_yieldfrom gi_suspended send throw",
	"dict":        "copy fromkeys",
	"dict_items":  "isdisjoint mapping",
	"dict_keys":   "isdisjoint mapping",
	"dict_values": "mapping",
	"LoopContext": "changed depth depth0 revindex0",
}

// getAttribute is object.name: a method, or else the item of that name.
func getAttribute(object any, name string) any {
	mustBeDefined(object)
	kind := typeOf(object)
	switch object := object.(type) {
	case *namespace:
		if value, found := (*dict)(object).get(name); found {
			return value
		}
	case *loop:
		if value := object.attribute(name); value != nil {
			return value
		}
	case bool:
		kind = "int"
	case *function, safe:
		panic(faultf("an attribute of a %s is not supported", kind))
	}
	if method, found := methods[kind].find(name); found {
		return &function{func(args []any, named *dict) any {
			return method.call(append([]any{object}, args...), named)
		}}
	}
	if slices.Contains(strings.Fields(lacking[kind]), name) {
		panic(faultf("the attribute %s of a %s is not supported", name, kind))
	}
	if strings.HasPrefix(name, "__") || slices.Contains(strings.Fields(mutators[kind]), name) {
		return &undefined{fmt.Sprintf("access to attribute '%s' of '%s' object is unsafe.", name, kind)}
	}
	if d, is := object.(*dict); is {
		if value, found := d.get(name); found {
			return value
		}
	}
	return &undefined{fmt.Sprintf("'%s object' has no attribute '%s'", kind, name)}
}

// loop has the values that a loop runs over, and answers what a template asks about the loop. It tests a value only
// when a turn or a question needs it, because the loop's condition may depend on what earlier turns set.
type loop struct {
	values []any // looked at, and kept
	rest   []any
	keeps  func(value any) bool
	index  int
}

// has says whether there is a value at an index.
func (l *loop) has(index int) bool {
	for len(l.values) <= index && len(l.rest) > 0 {
		if l.keeps(l.rest[0]) {
			l.values = append(l.values, l.rest[0])
		}
		l.rest = l.rest[1:]
	}
	return index < len(l.values)
}

func (l *loop) length() int {
	l.has(math.MaxInt)
	return len(l.values)
}

// attribute is what a loop tells; nil for a name that it hasn't.
func (l *loop) attribute(name string) any {
	switch name {
	case "index":
		return l.index + 1
	case "index0":
		return l.index
	case "revindex":
		return l.length() - l.index
	case "first":
		return l.index == 0
	case "last":
		return !l.has(l.index + 1)
	case "length":
		return l.length()
	case "previtem", "nextitem":
		at := l.index + map[string]int{"previtem": -1, "nextitem": 1}[name]
		if at < 0 || !l.has(at) {
			return &undefined{"there is no " + name}
		}
		return l.values[at]
	case "cycle":
		return &function{func(args []any, _ *dict) any {
			if len(args) == 0 {
				panic(faultf("no items for cycling given"))
			}
			return args[l.index%len(args)]
		}}
	}
	return nil
}

// slice is object[from:to:step].
func slice(object any, bounds []any) any {
	mustBeDefined(object)
	switch object := object.(type) {
	case string:
		return string(sliced([]rune(object), bounds))
	case *sequence:
		if object.isList() {
			return newSequence(object.kind, sliced(object.items, bounds))
		}
	}
	panic(faultf("a slice of a '%s' object is not supported", typeOf(object)))
}

func sliced[T any](all []T, bounds []any) (kept []T) {
	lowest, highest, step := 0, len(all), 1
	if len(bounds) > 2 && bounds[2] != nil {
		step = min(max(whole(bounds[2]), -len(all)-1), len(all)+1) // a longer one takes no fewer
	}
	if step == 0 {
		panic(faultf("slice step cannot be zero"))
	}
	if step < 0 {
		lowest, highest = -1, len(all)-1
	}
	bound := func(given any, instead int) int {
		if given == nil {
			return instead
		}
		at := whole(given)
		if at < 0 {
			at += len(all)
		}
		return min(max(at, lowest), highest)
	}
	from, to := bound(bounds[0], lowest), bound(bounds[1], highest)
	if step < 0 {
		from, to = bound(bounds[0], highest), bound(bounds[1], lowest)
	}
	for at := from; step > 0 && at < to || step < 0 && at > to; at += step {
		kept = append(kept, all[at])
	}
	return kept
}

func call(callee any, args []any, named *dict) any {
	mustBeDefined(callee)
	f, is := callee.(*function)
	if !is {
		panic(faultf("'%s' object is not callable", typeOf(callee)))
	}
	return f.do(args, named)
}
