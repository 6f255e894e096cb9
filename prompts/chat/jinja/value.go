package jinja

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Value is what a template computes with. From outside come nil (none), bool, int64, float64, string, List, *Dict and
// Function; inside there are also markup, other sequences, namespaces, macros, methods and the undefined. Lists and
// dicts are never changed once a template has them.
type Value = any

// List is a Python list.
type List []Value

// sequence is another sequence of Python's: a tuple, a range, a dict's view, or a generator, which can be walked only
// once and has no length.
type sequence struct {
	kind  string // Python's type name
	items []Value
}

func tuple(items ...Value) *sequence { return &sequence{"tuple", items} }

func generator(items []Value) Value { return &sequence{"generator", items} }

func (s *sequence) once() bool { return s.kind == "generator" || s.kind == "list_reverseiterator" }

// markup is text marked as safe. Plain text that is added to it gets its markup escaped, even with autoescaping off.
type markup string

// asText is a text as markup where it is safe, else as plain text.
func asText(s string, safe bool) Value {
	if safe {
		return markup(s)
	}
	return s
}

func isMarkup(v Value) bool {
	_, is := v.(markup)
	return is
}

// escapeUnless escapes the markup in a text, unless it is safe.
func escapeUnless(safe bool, s string) string {
	if safe {
		return s
	}
	return markupEscapes.Replace(s)
}

var markupEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;")

// object is a value with attributes of its own kind.
type object interface {
	attribute(name string) (Value, bool)
}

// namespace is the one object whose attributes a template can set.
type namespace struct{ attributes *Dict }

func (n *namespace) attribute(name string) (Value, bool) { return n.attributes.get(name) }

// undefined stands for a name, attribute or item that is not there. It prints as nothing, is false and empty, and
// fails in every other use.
type undefined struct {
	owner  Value // what lacks the name; noOwner for a variable
	name   Value
	hint   string // the whole message, where there is more to say
	unsafe bool   // it is there, but the sandbox hides it
}

type ownerless struct{}

var noOwner = ownerless{}

func (u *undefined) message() string {
	owner := typeName(u.owner) + " object"
	if u.owner == nil {
		owner = "None"
	}
	switch name := u.name.(type) {
	case string:
		if u.owner == noOwner {
			return fmt.Sprintf("'%s' is undefined", name)
		}
		if u.unsafe {
			return fmt.Sprintf("access to attribute '%s' of '%s' object is unsafe.", name, typeName(u.owner))
		}
		return fmt.Sprintf("'%s' has no attribute '%s'", owner, name)
	case int64:
		return fmt.Sprintf("%s has no element %d", owner, name)
	}
	return cmp.Or(u.hint, owner+" has no such element")
}

// defined refuses the undefined where a value is needed.
func defined(values ...Value) {
	for _, v := range values {
		if u, isUndefined := v.(*undefined); isUndefined {
			kind := UndefinedError
			if u.unsafe {
				kind = SecurityError
			}
			fail(kind, "%s", u.message())
		}
	}
}

func isUndefined(v Value) bool {
	_, is := v.(*undefined)
	return is
}

// typeName is Python's name of the value's type.
func typeName(v Value) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int64:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case interface{ typeName() string }:
		return v.typeName()
	}
	return "object"
}

func (markup) typeName() string      { return "Markup" }
func (List) typeName() string        { return "list" }
func (s *sequence) typeName() string { return s.kind }
func (*Dict) typeName() string       { return "dict" }
func (*namespace) typeName() string  { return "jinja2.utils.Namespace" }
func (*undefined) typeName() string  { return "Undefined" }
func (*loop) typeName() string       { return "LoopContext" }
func (*macro) typeName() string      { return "Macro" }
func (*bound) typeName() string      { return "function" }
func (Function) typeName() string    { return "function" }

// truth is Python's bool().
func truth(v Value) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	}
	f, isNumber := float(v)
	n, sized := length(v)
	return isNumber && f != 0 || n > 0 || !isNumber && !sized
}

// length is Python's len(); sized is false for what has none.
func length(v Value) (n int, sized bool) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), true
	case markup:
		return utf8.RuneCountInString(string(v)), true
	case List:
		return len(v), true
	case *sequence:
		return len(v.items), !v.once()
	case *Dict:
		return len(v.keys), true
	case *loop:
		return len(v.items), true
	}
	return 0, isUndefined(v)
}

// sequenceOf gives the items of a list or another sequence that can be walked as often as one likes; else nil.
func sequenceOf(v Value) []Value {
	switch v := v.(type) {
	case List:
		return v
	case *sequence:
		if !v.once() {
			return v.items
		}
	}
	return nil
}

// isList is true for lists and tuples.
func isList(v Value) bool {
	s, isOther := v.(*sequence)
	_, isList := v.(List)
	return isList || isOther && s.kind == "tuple"
}

// likeList makes a list or a tuple, as v is one.
func likeList(v Value, items []Value) Value {
	if _, is := v.(List); is {
		return List(items)
	}
	return tuple(items...)
}

// text gives the Go string of a string or of markup.
func text(v Value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case markup:
		return string(v), true
	}
	return "", false
}

// integer gives the value of an int, or of a bool as Python counts it.
func integer(v Value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// float gives the value of any number.
func float(v Value) (float64, bool) {
	if f, isFloat := v.(float64); isFloat {
		return f, true
	}
	n, isInt := integer(v)
	return float64(n), isInt
}

// Dict is a Python dict: it keeps the order in which its keys came.
type Dict struct {
	ordered[any] // by hash
	keys         []Value
}

// NewDict makes an empty dict, with room for the two keys of a turn.
func NewDict() *Dict {
	return &Dict{ordered[any]{ids: make([]any, 0, 2), values: make([]Value, 0, 2)}, make([]Value, 0, 2)}
}

// Set gives the key a value, in place if it is there already. It returns the dict, so that calls chain. For the
// embedding program only: once a template has the dict, nothing may change it.
func (d *Dict) Set(key string, value Value) *Dict {
	d.set(key, value)
	return d
}

func (d *Dict) set(key, value Value) {
	if d.put(mustHash(key), value); len(d.ids) > len(d.keys) {
		d.keys = append(d.keys, key)
	}
}

func (d *Dict) get(key Value) (value Value, found bool) {
	i := d.find(mustHash(key))
	if i < 0 {
		return nil, false
	}
	return d.values[i], true
}

func (d *Dict) clone() *Dict {
	clone := NewDict()
	for i, key := range d.keys {
		clone.set(key, d.values[i])
	}
	return clone
}

func (d *Dict) pairs() []Value {
	pairs := make([]Value, len(d.keys))
	for i, key := range d.keys {
		pairs[i] = tuple(key, d.values[i])
	}
	return pairs
}

type noneKey struct{}

// hash maps a value to something comparable, so that keys which are equal in Python meet: 1, 1.0 and true.
func hash(v Value) (hash any, hashable bool) {
	switch v := v.(type) {
	case nil:
		return noneKey{}, true
	case string, int64:
		return v, true
	case markup:
		return string(v), true
	case bool:
		return integer(v)
	case float64:
		if n := int64(v); float64(n) == v {
			return n, true
		}
		return v, true
	case *sequence:
		fail(Unsupported, "a %s as a key", v.kind)
	case *undefined:
		fail(Unsupported, "an undefined value as a key (%s)", v.message())
	}
	return nil, false
}

func mustHash(v Value) any {
	hash, hashable := hash(v)
	if !hashable {
		fail(TypeError, "unhashable type: '%s'", typeName(v))
	}
	return hash
}
