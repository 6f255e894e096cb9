// Package headertest changes a journal's header field by field, for tests that no field is forgotten.
package headertest

import (
	"encoding/json"
	"iter"
	"reflect"
	"strings"
	"time"

	"proctor/runner/journal"
)

// Changes are, for each field of a header down to numbers and texts, headers that differ from the base in that field
// alone. A field has its path in the journal, such as sampling.top_k. Where the base has nothing, an empty value is put
// in for the fields in it.
func Changes(base func() journal.Header) iter.Seq2[string, []Change] {
	return func(yield func(string, []Change) bool) {
		whole := func(h *journal.Header) reflect.Value { return reflect.ValueOf(h).Elem() }
		changes(reflect.TypeFor[journal.Header](), "", whole, base, yield)
	}
}

// A Change is two headers that differ in one field.
type Change struct{ From, To journal.Header }

// changes yields the fields of a type below a path. at finds the value of that type in a header, and makes it where
// there is none.
func changes(of reflect.Type, path string, at func(*journal.Header) reflect.Value, base func() journal.Header,
	yield func(string, []Change) bool) bool {
	switch {
	case of.Kind() == reflect.Struct && of != reflect.TypeFor[time.Time]():
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			inner := path + "." + name
			if field.Anonymous {
				inner = path
			}
			in := func(h *journal.Header) reflect.Value { return at(h).FieldByIndex(field.Index) }
			if !changes(field.Type, strings.TrimPrefix(inner, "."), in, base, yield) {
				return false
			}
		}
		return true
	case of.Kind() == reflect.Pointer:
		return changes(of.Elem(), path, func(h *journal.Header) reflect.Value {
			v := at(h)
			if v.IsNil() {
				v.Set(reflect.New(of.Elem()))
			}
			return v.Elem()
		}, base, yield)
	case of.Kind() == reflect.Slice && of != reflect.TypeFor[json.RawMessage]():
		return changes(of.Elem(), path, func(h *journal.Header) reflect.Value {
			v := at(h)
			if v.Len() == 0 {
				v.Set(reflect.MakeSlice(of, 1, 1))
			}
			return v.Index(0)
		}, base, yield)
	}
	var all []Change
	for _, change := range others(of) {
		from, to := base(), base()
		at(&from)
		change(at(&to))
		all = append(all, Change{from, to})
	}
	return yield(path, all)
}

// others are ways to change a value of a type.
func others(of reflect.Type) []func(v reflect.Value) {
	set := func(x any) func(reflect.Value) {
		return func(v reflect.Value) { v.Set(reflect.ValueOf(x).Convert(of)) }
	}
	switch of.Kind() {
	case reflect.String:
		return []func(reflect.Value){func(v reflect.Value) { v.SetString(v.String() + "x") }}
	case reflect.Bool:
		return []func(reflect.Value){func(v reflect.Value) { v.SetBool(!v.Bool()) }}
	case reflect.Map:
		return []func(reflect.Value){func(v reflect.Value) {
			m := reflect.MakeMap(of)
			m.SetMapIndex(reflect.ValueOf("another"), reflect.Zero(of.Elem()))
			v.Set(m)
		}}
	case reflect.Slice:
		return []func(reflect.Value){set(json.RawMessage(`{"x":1}`))}
	case reflect.Struct:
		return []func(reflect.Value){set(time.Unix(1, 0))}
	}
	return []func(reflect.Value){set(0), set(1), set(2), set(3)} // of some numbers, 0 and 1 mean the same
}
