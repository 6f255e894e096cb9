package jinja

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
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
		do func(args []any, named *dict) (any, error)
	}
	// loop is what a loop tells about itself.
	loop struct {
		values []any
		index  int
	}
	// safe is a text behind the filter safe. Jinja2 would escape what is joined to it, so it can only be written out.
	safe struct{ text string }
)

// Object is an object of JSON whose order of keys counts.
type Object struct {
	Keys   []string
	Values []any
}

func fromGo(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int, float64, string:
		return v, nil
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return v.Float64()
		}
		return strconv.Atoi(v.String())
	case []any:
		list := make([]any, len(v))
		for i := range v {
			var err error
			if list[i], err = fromGo(v[i]); err != nil {
				return nil, err
			}
		}
		return newList(list), nil
	case map[string]any:
		var object Object
		for key := range v {
			object.Keys = append(object.Keys, key)
		}
		slices.Sort(object.Keys)
		for _, key := range object.Keys {
			object.Values = append(object.Values, v[key])
		}
		return fromGo(object)
	case Object:
		d := &dict{}
		for i, key := range v.Keys {
			value, err := fromGo(v.Values[i])
			if err != nil {
				return nil, err
			}
			_ = d.set(key, value) // a text is a key
		}
		return d, nil
	}
	return nil, fmt.Errorf("a value of type %T", v)
}

func newList(items []any) *sequence { return newSequence("list", items) }

func newSequence(kind string, items []any) *sequence {
	s := &sequence{kind: kind, items: items}
	for _, item := range items {
		s.size = min(s.size+1+sizeOf(item), maxItems+1)
	}
	return s
}

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
func canonical(key any) (any, error) {
	switch key := key.(type) {
	case nil, string, int:
		return key, nil
	case bool:
		return number(key), nil
	case float64:
		if key == math.Trunc(key) && math.Abs(key) < 1<<53 {
			return int(key), nil
		}
		return key, nil
	case *sequence:
		if key.kind == "tuple" {
			return nil, errors.New("a tuple as a key is not supported")
		}
	}
	return nil, fmt.Errorf("unhashable type: '%s'", typeOf(key))
}

func (d *dict) set(key, value any) error {
	k, err := canonical(key)
	if err != nil {
		return err
	}
	d.size = min(d.size+1+sizeOf(key)+sizeOf(value), maxItems+1)
	if at, found := d.index[k]; found {
		d.values[at] = value
		return nil
	}
	if d.index == nil {
		d.index = map[any]int{}
	}
	d.index[k] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, value)
	return nil
}

// get returns a key's value; found is false for a key that can't be one.
func (d *dict) get(key any) (value any, found bool) {
	k, err := canonical(key)
	if err != nil {
		return nil, false
	}
	at, found := d.index[k]
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
	case nil, *undefined:
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
func items(v any) ([]any, error) {
	switch v := v.(type) {
	case *sequence:
		if v.kind == "generator" {
			if v.read {
				return nil, errors.New("a filter's result that is read twice is not supported: make it a list")
			}
			v.read = true
		}
		return v.items, nil
	case *dict:
		return v.keys, nil
	case *undefined:
		return nil, nil
	case string:
		characters := make([]any, 0, len(v))
		for _, r := range v {
			characters = append(characters, string(r))
		}
		return characters, nil
	}
	return nil, fmt.Errorf("'%s' object is not iterable", typeOf(v))
}

// str is the text that a value is written as.
func str(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case *undefined:
		return "", nil
	}
	var w writer
	err := w.repr(v, 0)
	return w.String(), err
}

// writer writes values as Python's repr does.
type writer struct{ strings.Builder }

func (w *writer) repr(v any, depth int) error {
	if depth > maxNest || w.Len() > maxText {
		return errTooMuch
	}
	switch v := v.(type) {
	case nil:
		w.WriteString("None")
	case bool:
		w.WriteString(map[bool]string{false: "False", true: "True"}[v])
	case int:
		w.WriteString(strconv.Itoa(v))
	case float64:
		w.WriteString(formatFloat(v))
	case string:
		w.quote(v)
	case *undefined:
		w.WriteString("Undefined")
	case *sequence:
		opening, end := v.kind+"([", "])"
		switch v.kind {
		case "list":
			opening, end = "[", "]"
		case "tuple":
			opening, end = "(", ")"
			if len(v.items) == 1 {
				end = ",)"
			}
		case "range", "generator":
			return fmt.Errorf("a %s that is written out is not supported: make it a list", v.kind)
		}
		w.WriteString(opening)
		for i, item := range v.items {
			if i > 0 {
				w.WriteString(", ")
			}
			if err := w.repr(item, depth+1); err != nil {
				return err
			}
		}
		w.WriteString(end)
	case *dict:
		w.WriteString("{")
		for i, key := range v.keys {
			if i > 0 {
				w.WriteString(", ")
			}
			if err := w.repr(key, depth+1); err != nil {
				return err
			}
			w.WriteString(": ")
			if err := w.repr(v.values[i], depth+1); err != nil {
				return err
			}
		}
		w.WriteString("}")
	default:
		return fmt.Errorf("a %s within a text is not supported", typeOf(v))
	}
	return nil
}

func (w *writer) quote(s string) {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	w.WriteRune(quote)
	for _, r := range s {
		at := strings.IndexRune("\n\r\t", r)
		switch {
		case r == quote || r == '\\':
			w.WriteString(`\` + string(r))
		case at >= 0:
			w.WriteString(`\` + "nrt"[at:at+1])
		case strconv.IsPrint(r):
			w.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(w, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(w, `\u%04x`, r)
		default:
			fmt.Fprintf(w, `\U%08x`, r)
		}
	}
	w.WriteRune(quote)
}

func formatFloat(f float64) string {
	size := math.Abs(f)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64)), "+")
	}
	if size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// number is a bool's or an int's number.
func number(v any) int {
	if v == true {
		return 1
	}
	whole, _ := v.(int)
	return whole
}

// numbers are two values as numbers; whole says that both are bools or ints.
func numbers(a, b any) (x, y float64, whole, are bool) {
	whole = true
	var values [2]float64
	for i, v := range []any{a, b} {
		switch v := v.(type) {
		case bool, int:
			values[i] = float64(number(v))
		case float64:
			values[i], whole = v, false
		default:
			return 0, 0, false, false
		}
	}
	return values[0], values[1], whole, true
}

func equal(a, b any) bool {
	if x, y, whole, are := numbers(a, b); are {
		if whole {
			return number(a) == number(b)
		}
		return x == y
	}
	switch a := a.(type) {
	case string, safe:
		return textual(a) == textual(b)
	case *undefined:
		_, is := b.(*undefined)
		return is
	case *sequence:
		other, is := b.(*sequence)
		return is && a.kind == other.kind && slices.EqualFunc(a.items, other.items, equal)
	case *dict:
		other, is := b.(*dict)
		if !is || len(a.keys) != len(other.keys) {
			return false
		}
		for i, key := range a.keys {
			value, found := other.get(key)
			if !found || !equal(a.values[i], value) {
				return false
			}
		}
		return true
	}
	return a == b
}

// textual is a text, be it behind the filter safe; nil for another value.
func textual(v any) any {
	switch v := v.(type) {
	case string:
		return v
	case safe:
		return v.text
	}
	return nil
}

// order compares two values that have an order.
func order(sign string, a, b any) (int, error) {
	for _, v := range []any{a, b} {
		if u, is := v.(*undefined); is {
			return 0, errors.New(u.message)
		}
	}
	if x, y, whole, are := numbers(a, b); are {
		if whole {
			return cmp.Compare(number(a), number(b)), nil
		}
		return cmp.Compare(x, y), nil
	}
	if x, is := a.(string); is {
		if y, is := b.(string); is {
			return strings.Compare(x, y), nil // UTF-8 keeps the order of code points
		}
	}
	x, isSequence := a.(*sequence)
	y, areSequences := b.(*sequence)
	if isSequence && areSequences && x.kind == y.kind && (x.kind == "list" || x.kind == "tuple") {
		for i := range min(len(x.items), len(y.items)) {
			if !equal(x.items[i], y.items[i]) {
				return order(sign, x.items[i], y.items[i])
			}
		}
		return cmp.Compare(len(x.items), len(y.items)), nil
	}
	return 0, fmt.Errorf("'%s' not supported between instances of '%s' and '%s'", sign, typeOf(a), typeOf(b))
}

func compare(sign string, a, b any) (bool, error) {
	switch sign {
	case "==":
		return equal(a, b), nil
	case "!=":
		return !equal(a, b), nil
	case "in", "not in":
		found, err := contains(b, a)
		return found == (sign == "in"), err
	}
	way, err := order(sign, a, b)
	switch sign {
	case "<":
		return way < 0, err
	case "<=":
		return way <= 0, err
	case ">":
		return way > 0, err
	}
	return way >= 0, err
}

func contains(in, value any) (bool, error) {
	switch in := in.(type) {
	case string:
		part, is := value.(string)
		if !is {
			return false, fmt.Errorf("'in <string>' requires string as left operand, not %s", typeOf(value))
		}
		return strings.Contains(in, part), nil
	case *dict:
		_, found := in.get(value)
		_, err := canonical(value)
		return found, err
	case *sequence, *undefined:
		all, err := items(in)
		return slices.ContainsFunc(all, func(v any) bool { return equal(v, value) }), err
	}
	return false, fmt.Errorf("argument of type '%s' is not iterable", typeOf(in))
}

func arithmetic(sign string, a, b any) (any, error) {
	if sign == "~" {
		x, err := str(a)
		if err != nil {
			return nil, err
		}
		y, err := str(b)
		return x + y, err
	}
	for _, v := range []any{a, b} {
		if u, is := v.(*undefined); is {
			return nil, errors.New(u.message)
		}
	}
	if x, y, isWhole, are := numbers(a, b); are && isWhole {
		return wholes(sign, number(a), number(b))
	} else if are {
		return reals(sign, x, y)
	}
	isText, isList := typeOf(a) == "str", typeOf(a) == "list" || typeOf(a) == "tuple"
	switch {
	case sign == "*" && (isText || isList) && (typeOf(b) == "int" || typeOf(b) == "bool"):
		times := max(number(b), 0)
		if times > maxItems || times*sizeOf(a) > maxItems || isText && times*len(a.(string)) > maxText {
			return nil, errTooMuch
		}
		if isText {
			return strings.Repeat(a.(string), times), nil
		}
		return newSequence(typeOf(a), slices.Repeat(a.(*sequence).items, times)), nil
	case sign == "*" && (typeOf(a) == "int" || typeOf(a) == "bool") &&
		(typeOf(b) == "str" || typeOf(b) == "list" || typeOf(b) == "tuple"):
		return arithmetic(sign, b, a)
	case sign == "+" && isText && typeOf(b) == "str":
		return a.(string) + b.(string), nil
	case sign == "+" && isList && typeOf(a) == typeOf(b):
		return newSequence(typeOf(a), slices.Concat(a.(*sequence).items, b.(*sequence).items)), nil
	case sign == "%" && isText:
		return nil, errors.New("% behind a text is not supported: put its parts together with ~")
	}
	return nil, fmt.Errorf("unsupported operand type(s) for %s: '%s' and '%s'", sign, typeOf(a), typeOf(b))
}

func wholes(sign string, a, b int) (any, error) {
	if b == 0 && strings.ContainsAny(sign, "/%") {
		return nil, errors.New("division by zero")
	}
	// What is safe in a float64 doesn't overflow an int.
	if approx := math.Abs(float64(a)); approx > 1<<31 || math.Abs(float64(b)) > 1<<31 {
		return nil, errors.New("arithmetic beyond 2147483648 is not supported")
	}
	switch sign {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "/":
		return float64(a) / float64(b), nil
	case "**":
		return nil, errors.New("** is not supported")
	}
	quotient, remainder := a/b, a%b
	if remainder != 0 && (remainder < 0) != (b < 0) {
		quotient, remainder = quotient-1, remainder+b
	}
	if sign == "%" {
		return remainder, nil
	}
	return quotient, nil
}

func reals(sign string, a, b float64) (any, error) {
	switch sign {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "/":
		if b == 0 {
			return nil, errors.New("division by zero")
		}
		return a / b, nil
	}
	if b == 0 {
		return nil, errors.New("division by zero")
	}
	remainder := math.Mod(a, b)
	quotient := math.Round((a - remainder) / b)
	if remainder != 0 && (remainder < 0) != (b < 0) {
		quotient, remainder = quotient-1, remainder+b
	}
	switch {
	case sign == "%" && remainder == 0:
		return math.Copysign(0, b), nil
	case sign == "%":
		return remainder, nil
	case sign == "//":
		return quotient, nil
	}
	return nil, fmt.Errorf("%s of a float is not supported", sign)
}
