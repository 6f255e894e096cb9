package jinja

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Values are nil, bool, int, float64, string, and:
type (
	// sequence is Python's list, tuple, range, dict_items, dict_keys or dict_values, as kind says, or the generator that
	// most filters give, which is read once.
	sequence struct {
		kind  string
		items []any
		size  int // items, those of the values in it counted
		read  bool
	}
	// dict keeps the order in which keys came.
	dict struct {
		keys, values []any
		index        map[any]int // of a key's canonical form
		size         int
	}
	// undefined is the value of what isn't there. Most that is done with it fails with its message.
	undefined struct{ message string }
	// namespace is a dict whose entries are attributes, which a set may change.
	namespace dict
	// function is a macro, a method, or a function that templates get.
	function struct {
		do func(args []any, named *dict) any
	}
	// safe is a text behind the filter safe. Jinja2 would escape what is joined to it, so it can only be written out.
	safe struct{ text string }
)

// Object is an object of JSON whose order of keys counts.
type Object struct {
	Keys   []string
	Values []any
}

func fromGo(v any) any {
	switch v := v.(type) {
	case nil, bool, int, float64, string:
		return v
	case json.Number:
		if whole, err := strconv.Atoi(v.String()); err == nil {
			return whole
		}
		if number, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
			return number
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = fromGo(v[i])
		}
		return newList(list)
	case map[string]any:
		object := Object{Keys: slices.Sorted(maps.Keys(v))}
		for _, key := range object.Keys {
			object.Values = append(object.Values, v[key])
		}
		return fromGo(object)
	case Object:
		d := &dict{}
		for i, key := range v.Keys {
			d.set(key, fromGo(v.Values[i]))
		}
		return d
	}
	panic(faultf("a variable's value %v of type %T is not supported", v, v))
}

func newList(items []any) *sequence { return newSequence("list", items) }

func newSequence(kind string, items []any) *sequence {
	s := &sequence{kind: kind, items: items}
	for _, item := range items {
		s.size = min(s.size+1+sizeOf(item), maxItems+1)
	}
	return s
}

// isList says whether it is a list or a tuple, which can do the same.
func (s *sequence) isList() bool { return s.kind == "list" || s.kind == "tuple" }

// sizeOf is what a value costs in units.
func sizeOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) / 16
	case *sequence:
		return v.size
	case *dict:
		return v.size
	}
	return 0
}

// canonical is the form in which equal keys are equal in Go.
func canonical(key any) any {
	switch key := key.(type) {
	case nil, string, int:
		return key
	case bool:
		return number(key)
	case float64:
		if key == math.Trunc(key) && math.Abs(key) < 1<<53 {
			return int(key)
		}
		return key
	case *undefined:
		return undefined{}
	}
	panic(faultf("a %s as a key is not supported", typeOf(key)))
}

func (d *dict) set(key, value any) {
	k := canonical(key)
	d.size = min(d.size+1+sizeOf(key)+sizeOf(value), maxItems+1)
	if at, found := d.index[k]; found {
		d.values[at] = value
		return
	}
	if d.index == nil {
		d.index = map[any]int{}
	}
	d.index[k] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, value)
}

func (d *dict) get(key any) (value any, found bool) {
	at, found := d.index[canonical(key)]
	if !found {
		return nil, false
	}
	return d.values[at], true
}

// view is the dict's keys, values or items, as kind says.
func (d *dict) view(kind string) *sequence {
	all := d.keys
	switch kind {
	case "dict_values":
		all = d.values
	case "dict_items":
		all = make([]any, len(d.keys))
		for i := range all {
			all[i] = newSequence("tuple", []any{d.keys[i], d.values[i]})
		}
	}
	return newSequence(kind, all)
}

// typeOf is the name of a value's type in Python.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case *sequence:
		return v.kind
	case *dict:
		return "dict"
	case *undefined:
		return "Undefined"
	case *namespace:
		return "Namespace"
	case *loop:
		return "LoopContext"
	case safe:
		return "Markup"
	}
	return "function"
}

func isTrue(v any) bool {
	switch v := v.(type) {
	case nil, *undefined, missing:
		return false
	case bool:
		return v
	case int:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case safe:
		return v.text != ""
	case *sequence:
		return len(v.items) > 0 || v.kind == "generator"
	case *dict:
		return len(v.keys) > 0
	}
	return true
}

// items are what a value gives when it is iterated.
func items(v any) []any {
	switch v := v.(type) {
	case *sequence:
		if v.read {
			panic(faultf("a filter's result that is read twice is not supported: make it a list"))
		}
		v.read = v.kind == "generator"
		return v.items
	case *dict:
		return v.keys
	case *undefined:
		return nil
	case string:
		characters := make([]any, 0, len(v))
		for _, r := range v {
			characters = append(characters, string(r))
		}
		return characters
	}
	panic(faultf("'%s' object is not iterable", typeOf(v)))
}

// number is a bool's or an int's number.
func number(v any) int {
	if v == true {
		return 1
	}
	whole, _ := v.(int)
	return whole
}

func isWhole(v any) bool { return typeOf(v) == "int" || typeOf(v) == "bool" }

// whole is the number of a value that Python takes as an index.
func whole(v any) int {
	mustBeDefined(v)
	if !isWhole(v) {
		panic(faultf("'%s' object cannot be interpreted as an integer", typeOf(v)))
	}
	return number(v)
}

// textOf is a value that must be a text.
func textOf(v any) string {
	mustBeDefined(v)
	text, is := v.(string)
	if !is {
		panic(faultf("a '%s' object where a text belongs", typeOf(v)))
	}
	return text
}

func mustBeDefined(values ...any) {
	for _, v := range values {
		if u, is := v.(*undefined); is {
			panic(faultf("%s", u.message))
		}
	}
}
