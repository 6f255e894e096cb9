package jinja

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

var filters, tests map[string]builtin

func init() { // they refer to each other
	filters = map[string]builtin{
		"count":   takes("-", length),
		"d":       takes("value default_value? boolean?", defaulted),
		"default": takes("value default_value? boolean?", defaulted),
		"dictsort": takes("value case_sensitive? by? reverse?", func(a []any) (any, error) {
			d, is := a[0].(*dict)
			by := map[any]string{"key": "0", "value": "1"}[or(a[2], "key")]
			if !is || by == "" {
				return nil, errors.New("dictsort takes a mapping, by key or value")
			}
			return sorted(d.view("dict_items").items, isTrue(or(a[3], false)), isTrue(or(a[1], false)), by)
		}),
		"first": takes("seq", func(a []any) (any, error) {
			all, err := items(a[0])
			if err == nil && len(all) == 0 {
				return &undefined{"No first item, sequence was empty."}, nil
			}
			if err != nil {
				return nil, err
			}
			return all[0], nil
		}),
		"indent": takes("s width? first? blank?", indent),
		"int":    takes("value default?", toInt),
		"items": takes("value", func(a []any) (any, error) {
			switch v := a[0].(type) {
			case *dict:
				return newSequence("generator", v.view("dict_items").items), nil
			case *undefined:
				return newSequence("generator", nil), nil
			}
			return nil, errors.New("Can only get item pairs from a mapping.") //nolint:staticcheck // Jinja2's words
		}),
		"join": takes("value d? attribute?", func(a []any) (any, error) {
			separator, err := str(or(a[1], ""))
			if err != nil {
				return nil, err
			}
			all, err := each(a[0], func(item any) (any, bool, error) {
				value, err := attributed(item, or(a[2], nil), nil)
				return value, true, err
			})
			if err != nil {
				return nil, err
			}
			return join(all, separator)
		}),
		"last": takes("seq", func(a []any) (any, error) {
			if typeOf(a[0]) == "generator" {
				return nil, errors.New("'generator' object is not reversible")
			}
			all, err := items(a[0])
			if err == nil && len(all) == 0 {
				return &undefined{"No last item, sequence was empty."}, nil
			}
			if err != nil {
				return nil, err
			}
			return all[len(all)-1], nil
		}),
		"length": takes("-", length),
		"list": takes("value", func(a []any) (any, error) {
			all, err := items(a[0])
			return newList(all), err
		}),
		"lower":  written(lower),
		"map":    takes("value *", mapped),
		"min":    takes("value", least),
		"reject": takes("value *", func(a []any) (any, error) { return selected(a, false, false) }),
		"rejectattr": takes("value *", func(a []any) (any, error) {
			return selected(a, false, true)
		}),
		"select":     takes("value *", func(a []any) (any, error) { return selected(a, true, false) }),
		"selectattr": takes("value *", func(a []any) (any, error) { return selected(a, true, true) }),
		"replace": takes("s old new count?", func(a []any) (any, error) {
			args := slices.Clone(a)
			for i := range 3 {
				text, err := str(a[i])
				if err != nil {
					return nil, err
				}
				args[i] = text
			}
			if or(a[3], nil) == nil {
				args[3] = -1
			}
			return textMethods["replace"].do(args)
		}),
		"reverse": takes("value", func(a []any) (any, error) {
			all, err := items(a[0])
			if err != nil {
				return nil, err
			}
			reversed := slices.Clone(all)
			slices.Reverse(reversed)
			switch typeOf(a[0]) {
			case "str":
				return join(reversed, "")
			case "generator":
				return newList(reversed), nil
			}
			return newSequence("generator", reversed), nil
		}),
		"safe": takes("value", func(a []any) (any, error) {
			text, err := str(a[0])
			return safe{text}, err
		}),
		"sort": takes("value reverse? case_sensitive? attribute?", func(a []any) (any, error) {
			all, err := items(a[0])
			if err != nil {
				return nil, err
			}
			return sorted(all, isTrue(or(a[1], false)), isTrue(or(a[2], false)), or(a[3], nil))
		}),
		"string": written(func(s string) string { return s }),
		"tojson": takes("x ensure_ascii? indent? separators? sort_keys?", toJSON),
		"trim": takes("value chars?", func(a []any) (any, error) {
			text, err := str(a[0])
			if err != nil {
				return nil, err
			}
			return textMethods["strip"].do([]any{text, a[1]})
		}),
		"unique": takes("value", func(a []any) (any, error) {
			seen := &dict{}
			return generated(a[0], func(item any) (any, bool, error) {
				key, _ := sortKey(item, false, nil)
				_, found := seen.get(key)
				return item, !found, seen.set(key, nil)
			})
		}),
		"upper": written(upper),
	}
	for _, each := range strings.Fields("abs attr batch capitalize center e escape filesizeformat float forceescape " +
		"format groupby pprint random max round slice striptags sum title truncate urlencode urlize wordcount wordwrap " +
		"xmlattr") {
		filters[each] = unsupported("the filter " + each)
	}
	tests = map[string]builtin{
		"odd":         remainderIs("", 1),
		"even":        remainderIs("", 0),
		"divisibleby": remainderIs("num", 0),
		"defined":     is(func(v any) bool { return typeOf(v) != "Undefined" }),
		"undefined":   isA("Undefined"),
		"none":        isA("NoneType"),
		"boolean":     isA("bool"),
		"true":        is(func(v any) bool { return v == any(true) }),
		"false":       is(func(v any) bool { return v == any(false) }),
		"integer":     isA("int"),
		"float":       isA("float"),
		"number":      isA("int", "float", "bool"),
		"string":      isA("str"),
		"mapping":     isA("dict"),
		"sequence":    isA("str", "list", "tuple", "range", "dict", "Undefined"),
		"iterable": isA("str", "list", "tuple", "range", "dict", "Undefined", "dict_items", "dict_keys", "dict_values",
			"generator", "LoopContext"),
		"callable": isA("function", "Undefined", "LoopContext"),
		"sameas": takes("value other", func(a []any) (any, error) {
			for _, v := range a {
				if _, is := v.(bool); is || v == nil {
					return typeOf(a[0]) == typeOf(a[1]) && a[0] == a[1], nil
				}
			}
			return nil, errors.New("the test sameas is supported only for true, false and none")
		}),
		"in": takes("value seq", func(a []any) (any, error) { return contains(a[1], a[0]) }),
	}
	for _, each := range []string{"escaped", "filter", "lower", "test", "upper"} {
		tests[each] = unsupported("the test " + each)
	}
	for sign, names := range map[string]string{"==": "eq equalto", "!=": "ne", ">": "gt greaterthan", ">=": "ge",
		"<":  "lt lessthan",
		"<=": "le"} {
		for _, each := range append(strings.Fields(names), sign) {
			tests[each] = takes("- -", func(a []any) (any, error) { return compare(sign, a[0], a[1]) })
		}
	}
}

// written is a filter of the text that a value is written as.
func written(do func(string) string) builtin {
	return takes("s", func(a []any) (any, error) {
		text, err := str(a[0])
		return do(text), err
	})
}

func is(holds func(any) bool) builtin {
	return takes("value", func(a []any) (any, error) { return holds(a[0]), nil })
}

func isA(types ...string) builtin {
	return is(func(v any) bool { return slices.Contains(types, typeOf(v)) })
}

// remainderIs tests a remainder by 2, or by an argument.
func remainderIs(param string, wanted int) builtin {
	return takes("value "+param, func(a []any) (any, error) {
		remainder, err := arithmetic("%", a[0], append(a, 2)[1])
		return equal(remainder, wanted), err
	})
}

// each is what do makes of a value's items and keeps.
func each(of any, do func(item any) (value any, keep bool, err error)) ([]any, error) {
	all, err := items(of)
	if err != nil {
		return nil, err
	}
	var kept []any
	for _, item := range all {
		value, keep, err := do(item)
		if err != nil {
			return nil, err
		}
		if keep {
			kept = append(kept, value)
		}
	}
	return kept, nil
}

func generated(of any, do func(item any) (any, bool, error)) (any, error) {
	kept, err := each(of, do)
	return newSequence("generator", kept), err
}

// attributed is the value behind a path such as "a.b.0", or the item itself without a path. instead stands for
// undefined values on the way if it isn't nil.
func attributed(item, path, instead any) (any, error) {
	parts := []any{path}
	if path == nil {
		return item, nil
	}
	if dotted, is := path.(string); is {
		parts = nil
		for part := range strings.SplitSeq(dotted, ".") {
			if index, err := strconv.Atoi(part); err == nil && part[0] >= '0' {
				parts = append(parts, index)
			} else {
				parts = append(parts, part)
			}
		}
	}
	for _, part := range parts {
		var err error
		if item, err = getItem(item, part); err != nil {
			return nil, err
		}
		if typeOf(item) == "Undefined" && instead != nil {
			item = instead
		}
	}
	return item, nil
}

// sortKey is what an item is sorted by.
func sortKey(item any, caseSensitive bool, attribute any) (any, error) {
	item, err := attributed(item, attribute, nil)
	if s, is := item.(string); is && !caseSensitive {
		return lower(s), err
	}
	return item, err
}

func sorted(all []any, reverse, caseSensitive bool, attribute any) (any, error) {
	if several, is := attribute.(string); is && strings.Contains(several, ",") {
		return nil, errors.New("sorting by several attributes is not supported")
	}
	type entry struct{ item, key any }
	entries := make([]entry, len(all))
	for i, item := range all {
		key, err := sortKey(item, caseSensitive, attribute)
		if err != nil {
			return nil, err
		}
		entries[i] = entry{item, key}
	}
	var failed error
	slices.SortStableFunc(entries, func(x, y entry) int {
		if equal(x.key, y.key) { // so do undefined ones
			return 0
		}
		way, err := order("<", x.key, y.key)
		if err != nil {
			failed = err
		}
		if reverse {
			return -way
		}
		return way
	})
	list := make([]any, len(all))
	for i, each := range entries {
		list[i] = each.item
	}
	return newList(list), failed
}

func least(a []any) (any, error) {
	all, err := items(a[0])
	if err != nil || len(all) == 0 {
		return &undefined{"No aggregated item, sequence was empty."}, err
	}
	least := all[0]
	for _, item := range all[1:] {
		key, _ := sortKey(item, false, nil)
		leastKey, _ := sortKey(least, false, nil)
		less, err := compare("<", key, leastKey)
		if err != nil {
			return nil, err
		}
		if less {
			least = item
		}
	}
	return least, nil
}

func mapped(a []any) (any, error) {
	args, named := a[1].(*sequence).items, a[2].(*dict)
	if !isTrue(a[0]) {
		return newSequence("generator", nil), nil
	}
	if attribute, found := named.get("attribute"); found && len(args) == 0 {
		instead, _ := named.get("default")
		for _, key := range named.keys {
			if key != "attribute" && key != "default" {
				return nil, fmt.Errorf("Unexpected keyword argument '%s'", key) //nolint:staticcheck // Jinja2's words
			}
		}
		return generated(a[0], func(item any) (any, bool, error) {
			value, err := attributed(item, attribute, instead)
			return value, true, err
		})
	}
	if len(args) == 0 {
		return nil, errors.New("map requires a filter argument")
	}
	return generated(a[0], func(item any) (any, bool, error) {
		value, err := byName(filters, args[0], append([]any{item}, args[1:]...), named)
		return value, true, err
	})
}

// byName calls a filter or a test that an argument names.
func byName(those map[string]builtin, called any, args []any, named *dict) (any, error) {
	name, err := textOf(called)
	if err != nil {
		return nil, err
	}
	by, found := those[name]
	if !found {
		return nil, fmt.Errorf("there is no filter or test named '%s'", name)
	}
	return by.call(args, named)
}

// selected are the items that a test holds for, or those that it doesn't.
func selected(a []any, wanted, byAttribute bool) (any, error) {
	args, named := a[1].(*sequence).items, a[2].(*dict)
	if !isTrue(a[0]) {
		return newSequence("generator", nil), nil
	}
	var attribute any
	if byAttribute {
		if len(args) == 0 {
			return nil, errors.New("Missing parameter for attribute name") //nolint:staticcheck // Jinja2's words
		}
		attribute, args = args[0], args[1:]
	}
	return generated(a[0], func(item any) (any, bool, error) {
		value, err := attributed(item, attribute, nil)
		if err == nil && len(args) > 0 {
			value, err = byName(tests, args[0], append([]any{value}, args[1:]...), named)
		}
		return item, isTrue(value) == wanted, err
	})
}

func length(a []any) (any, error) {
	switch v := a[0].(type) {
	case string:
		return utf8.RuneCountInString(v), nil
	case *dict:
		return len(v.keys), nil
	case *undefined:
		return 0, nil
	case *sequence:
		if v.kind != "generator" {
			return len(v.items), nil
		}
	}
	return nil, fmt.Errorf("object of type '%s' has no len()", typeOf(a[0]))
}

func defaulted(a []any) (any, error) {
	if typeOf(a[0]) == "Undefined" || isTrue(or(a[2], false)) && !isTrue(a[0]) {
		return or(a[1], ""), nil
	}
	return a[0], nil
}

func indent(a []any) (any, error) {
	s, err := textOf(a[0])
	if err != nil {
		return nil, err
	}
	by, err := indentation(or(a[1], 4))
	if err != nil {
		return nil, err
	}
	lines := splitLines(s + "\n")
	for i, line := range lines {
		if i > 0 && (line != "" || isTrue(or(a[3], false))) || i == 0 && isTrue(or(a[2], false)) {
			lines[i] = by + line.(string)
		}
	}
	return join(lines, "\n")
}

// indentation is a text, or a number of blanks.
func indentation(by any) (string, error) {
	if text, is := by.(string); is {
		return text, nil
	}
	width, err := whole(by)
	if err == nil && width > 1000 {
		err = errors.New("an indent beyond 1000 is not supported")
	}
	if err != nil {
		return "", err
	}
	return strings.Repeat(" ", max(width, 0)), nil
}

func toInt(a []any) (any, error) {
	switch v := a[0].(type) {
	case bool, int:
		return number(v), nil
	case *undefined:
		return nil, errors.New(v.message)
	case float64:
		if math.Abs(v) < 1<<53 {
			return int(v), nil
		}
		return nil, errors.New("int of such a number is not supported")
	case string:
		trimmed := strings.TrimFunc(v, isBlank)
		if number, err := strconv.ParseInt(trimmed, 10, 32); err == nil {
			return int(number), nil
		}
		if strings.ContainsAny(trimmed, "0123456789") || strings.ContainsAny(trimmed, "nN") && len(trimmed) < 10 { // inf, nan
			number, err := strconv.ParseFloat(trimmed, 64)
			switch {
			case err == nil && math.Abs(number) < 1<<31 && !strings.ContainsAny(trimmed, "xXpP_"):
				return int(number), nil
			case err == nil || strings.ContainsAny(trimmed, "_") || errors.Is(err, strconv.ErrRange):
				return nil, errors.New("int of such a text is not supported")
			}
		}
	}
	return or(a[1], 0), nil
}

// encoder writes JSON as Python's json.dumps.
type encoder struct {
	strings.Builder
	between, colon, indent string
	isIndented             bool
	isASCII, isSorted      bool // ensure_ascii, sort_keys
}

func toJSON(a []any) (any, error) {
	e := encoder{between: ", ", colon: ": ", isASCII: isTrue(or(a[1], false)), isSorted: isTrue(or(a[4], false))}
	if by := or(a[2], nil); by != nil {
		var err error
		if e.indent, err = indentation(by); err != nil {
			return nil, err
		}
		e.isIndented, e.between = true, ","
	}
	if given := or(a[3], nil); given != nil {
		two, err := items(given)
		if err == nil && len(two) != 2 {
			err = errors.New("separators are two texts")
		}
		if err != nil {
			return nil, err
		}
		if e.between, err = textOf(two[0]); err != nil {
			return nil, err
		}
		if e.colon, err = textOf(two[1]); err != nil {
			return nil, err
		}
	}
	err := e.value(a[0], 1)
	return e.String(), err
}

func (e *encoder) value(v any, depth int) error {
	if depth > maxNest || e.Len() > maxText {
		return errTooMuch
	}
	switch v := v.(type) {
	case nil:
		e.WriteString("null")
	case bool:
		e.WriteString(strconv.FormatBool(v))
	case int:
		e.WriteString(strconv.Itoa(v))
	case float64:
		e.WriteString(strings.NewReplacer("nan", "NaN", "inf", "Infinity").Replace(formatFloat(v)))
	case string:
		e.quote(v)
	case *sequence:
		if v.kind != "list" && v.kind != "tuple" {
			return fmt.Errorf("Object of type %s is not JSON serializable", v.kind) //nolint:staticcheck // Python's words
		}
		return e.group("[]", len(v.items), depth, func(i int) error { return e.value(v.items[i], depth+1) })
	case *dict:
		keys := slices.Clone(v.keys)
		for _, key := range keys {
			if _, is := key.(string); !is {
				return errors.New("a key in JSON that is no text is not supported")
			}
		}
		if e.isSorted {
			slices.SortFunc(keys, func(x, y any) int { return strings.Compare(x.(string), y.(string)) })
		}
		return e.group("{}", len(keys), depth, func(i int) error {
			e.quote(keys[i].(string))
			e.WriteString(e.colon)
			value, _ := v.get(keys[i])
			return e.value(value, depth+1)
		})
	default:
		return fmt.Errorf("Object of type %s is not JSON serializable", typeOf(v)) //nolint:staticcheck // Python's words
	}
	return nil
}

// group writes n parts within brackets.
func (e *encoder) group(brackets string, n, depth int, part func(i int) error) error {
	line := func(depth int) {
		if e.isIndented && n > 0 {
			e.WriteString("\n" + strings.Repeat(e.indent, depth))
		}
	}
	e.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			e.WriteString(e.between)
		}
		line(depth)
		if err := part(i); err != nil {
			return err
		}
	}
	line(depth - 1)
	e.WriteByte(brackets[1])
	return nil
}

func (e *encoder) quote(s string) {
	e.WriteByte('"')
	for _, r := range s {
		switch at := strings.IndexRune("\"\\\n\r\t\b\f", r); {
		case at >= 0:
			e.WriteString(`\` + `"\nrtbf`[at:at+1])
		case r < 0x20 || e.isASCII && r > 126 && r < 0x10000:
			fmt.Fprintf(e, `\u%04x`, r)
		case e.isASCII && r >= 0x10000:
			fmt.Fprintf(e, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			e.WriteRune(r)
		}
	}
	e.WriteByte('"')
}
