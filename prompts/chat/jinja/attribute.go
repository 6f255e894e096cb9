package jinja

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// getItem is object[key].
func getItem(object, key any) (any, error) {
	at, err := whole(key)
	isIndex := err == nil
	switch object := object.(type) {
	case *undefined:
		return nil, errors.New(object.message)
	case *dict:
		if value, found := object.get(key); found {
			return value, nil
		}
	case *sequence:
		if at < 0 {
			at += len(object.items)
		}
		if isIndex && at >= 0 && at < len(object.items) && slices.Contains([]string{"list", "tuple", "range"}, object.kind) {
			return object.items[at], nil
		}
	case string:
		if at < 0 {
			at += utf8.RuneCountInString(object)
		}
		for _, r := range object {
			if isIndex && at == 0 {
				return string(r), nil
			}
			at--
		}
	}
	if name, is := key.(string); is {
		return getAttribute(object, name)
	}
	return &undefined{fmt.Sprintf("%s has no element %v", described(object), key)}, nil
}

func described(object any) string {
	switch object.(type) {
	case nil:
		return "None"
	case *namespace:
		return "jinja2.utils.Namespace object"
	case *loop:
		return "jinja2.runtime.LoopContext object"
	}
	return typeOf(object) + " object"
}

// mutators are the methods that the sandbox forbids.
var mutators = map[string][]string{
	"list": {"append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove"},
	"dict": {"clear", "pop", "popitem", "setdefault", "update"},
}

// getAttribute is object.name: a method, or else the item of that name.
func getAttribute(object any, name string) (any, error) {
	var methods map[string]builtin
	switch object := object.(type) {
	case *undefined:
		return nil, errors.New(object.message)
	case string:
		methods = textMethods
	case *dict:
		methods = dictMethods
	case *sequence:
		if object.kind == "list" || object.kind == "tuple" {
			methods = listMethods
		}
	case *namespace:
		if value, found := (*dict)(object).get(name); found {
			return value, nil
		}
	case *loop:
		if value := object.attribute(name); value != nil {
			return value, nil
		}
	case int, float64, bool:
		if slices.Contains(numberAttributes, name) {
			return nil, fmt.Errorf("the attribute %s of a number is not supported", name)
		}
	case *function, safe:
		return nil, fmt.Errorf("an attribute of a %s is not supported", typeOf(object))
	}
	if method, found := methods[name]; found {
		return &function{func(args []any, named *dict) (any, error) {
			return method.call(append([]any{object}, args...), named)
		}}, nil
	}
	if strings.HasPrefix(name, "__") || slices.Contains(mutators[typeOf(object)], name) {
		return &undefined{fmt.Sprintf("access to attribute '%s' of '%s' object is unsafe.", name, typeOf(object))}, nil
	}
	if d, is := object.(*dict); is {
		if value, found := d.get(name); found {
			return value, nil
		}
	}
	return &undefined{fmt.Sprintf("'%s' has no attribute '%s'", described(object), name)}, nil
}

// attribute is what a loop tells; nil for a name that it hasn't.
func (l *loop) attribute(name string) any {
	last := len(l.values) - 1
	switch name {
	case "index":
		return l.index + 1
	case "index0":
		return l.index
	case "revindex":
		return last - l.index + 1
	case "revindex0":
		return last - l.index
	case "first":
		return l.index == 0
	case "last":
		return l.index == last
	case "length":
		return len(l.values)
	case "previtem":
		if l.index == 0 {
			return &undefined{"there is no previous item"}
		}
		return l.values[l.index-1]
	case "nextitem":
		if l.index == last {
			return &undefined{"there is no next item"}
		}
		return l.values[l.index+1]
	case "cycle":
		return &function{func(args []any, _ *dict) (any, error) {
			if len(args) == 0 {
				return nil, errors.New("no items for cycling given")
			}
			return args[l.index%len(args)], nil
		}}
	case "changed":
		return &function{unsupported("loop.changed").call}
	case "depth":
		return 1 // no loop here calls itself
	case "depth0":
		return 0
	}
	return nil
}

// slice is object[from:to:step].
func slice(object any, bounds [3]any) (any, error) {
	switch typeOf(object) {
	case "Undefined":
		return nil, errors.New(object.(*undefined).message)
	case "range", "Markup":
		return nil, fmt.Errorf("a slice of a %s is not supported", typeOf(object))
	case "str", "list", "tuple":
	default:
		return &undefined{described(object) + " has no such element"}, nil
	}
	all, err := items(object)
	if err != nil {
		return nil, err
	}
	for _, bound := range bounds {
		if _, err := whole(bound); bound != nil && err != nil {
			return &undefined{described(object) + " has no such element"}, nil
		}
	}
	step, from, to := 1, 0, len(all)
	if bounds[2] != nil {
		if step = number(bounds[2]); step == 0 {
			return nil, errors.New("slice step cannot be zero")
		}
	}
	if step < 0 {
		from, to = len(all)-1, -1
	}
	for i, bound := range []*int{&from, &to} {
		if bounds[i] == nil {
			continue
		}
		at := number(bounds[i])
		if at < 0 {
			at += len(all)
		}
		*bound = min(max(at, 0), len(all))
		if step < 0 {
			*bound = min(max(at, -1), len(all)-1)
		}
	}
	var kept []any
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		kept = append(kept, all[i])
	}
	if sliced, is := object.(*sequence); is {
		return newSequence(sliced.kind, kept), nil
	}
	var b strings.Builder
	for _, character := range kept {
		b.WriteString(character.(string))
	}
	return b.String(), nil
}

func call(callee any, args []any, named *dict) (any, error) {
	switch callee := callee.(type) {
	case *function:
		return callee.do(args, named)
	case *undefined:
		return nil, errors.New(callee.message)
	}
	return nil, fmt.Errorf("'%s' object is not callable", typeOf(callee))
}
