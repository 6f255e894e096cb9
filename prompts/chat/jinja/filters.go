package jinja

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

var filters, tests table

// Both tables are filled here since filters and tests refer to each other.
func init() {
	filters = table{
		"default": takes("value default_value? boolean?", defaulted),
		"dictsort": takes("value case_sensitive! by! reverse?", func(a []any) any {
			return sorted(pairs(a[0]), isTrue(a[3]), 0)
		}),
		"first":  takes("seq", func(a []any) any { return getItem(newList(items(a[0])), 0) }),
		"indent": takes("s width? first? blank!", indent),
		"int":    takes("value default? base!", toInt),
		"items": takes("value", func(a []any) any {
			if typeOf(a[0]) == "Undefined" {
				return generator(nil)
			}
			return generator(pairs(a[0]).items)
		}),
		"join": takes("value d? attribute!", func(a []any) any { return join(items(a[0]), str(or(a[1], ""))) }),
		"last": takes("seq", func(a []any) any {
			if typeOf(a[0]) == "generator" {
				panic(faultf("'generator' object is not reversible"))
			}
			return getItem(newList(items(a[0])), -1)
		}),
		"length": takes("-", length),
		"list":   takes("value", func(a []any) any { return newList(items(a[0])) }),
		"lower":  takes("s", func(a []any) any { return lower(str(a[0])) }),
		"map":    takes("value *", mapped),
		"min": takes("value case_sensitive! attribute!", func(a []any) any {
			all := items(a[0])
			if len(all) == 0 {
				return &undefined{"No aggregated item, sequence was empty."}
			}
			return slices.MinFunc(all, func(x, y any) int {
				return order("<", sortKey(x, nil), sortKey(y, nil))
			})
		}),
		"reject":     takes("value *", func(a []any) any { return selected(a, false, false) }),
		"rejectattr": takes("value *", func(a []any) any { return selected(a, false, true) }),
		"select":     takes("value *", func(a []any) any { return selected(a, true, false) }),
		"selectattr": takes("value *", func(a []any) any { return selected(a, true, true) }),
		"replace": takes("s old new count!", func(a []any) any {
			return replace(str(a[0]), str(a[1]), str(a[2]), -1)
		}),
		"reverse": takes("value", func(a []any) any {
			if text, is := a[0].(string); is {
				return reversed(text)
			}
			all := slices.Clone(items(a[0]))
			slices.Reverse(all)
			return generator(all)
		}),
		"safe": takes("value", func(a []any) any { return safe{str(a[0])} }),
		"sort": takes("value reverse? case_sensitive! attribute?", func(a []any) any {
			return sorted(a[0], isTrue(a[1]), or(a[3], nil))
		}),
		"string": takes("object", func(a []any) any { return str(a[0]) }),
		"tojson": takes("x ensure_ascii? indent? separators? sort_keys!", toJSON),
		"trim":   takes("value chars?", func(a []any) any { return stripping(strings.TrimFunc)([]any{str(a[0]), a[1]}) }),
		"unique": takes("value case_sensitive! attribute!", func(a []any) any {
			first := &dict{}
			for _, item := range items(a[0]) {
				key := sortKey(item, nil)
				if _, found := first.get(key); !found {
					first.set(key, item)
				}
			}
			return generator(first.values)
		}),
		"upper": takes("s", func(a []any) any { return upper(str(a[0])) }),
	}
	filters["count"], filters["d"] = filters["length"], filters["default"]
	for each := range strings.FieldsSeq("abs attr batch capitalize center e escape filesizeformat float forceescape " +
		"format groupby max pprint random round slice striptags sum title truncate urlencode urlize wordcount wordwrap " +
		"xmlattr") {
		filters[each] = unsupported("the filter " + each)
	}
}

func init() {
	tests = table{
		"odd":         takes("value", func(a []any) any { return equal(arithmetic("%", a[0], 2), 1) }),
		"even":        takes("value", func(a []any) any { return equal(arithmetic("%", a[0], 2), 0) }),
		"divisibleby": takes("value num", func(a []any) any { return equal(arithmetic("%", a[0], a[1]), 0) }),
		"defined":     takes("value", func(a []any) any { return typeOf(a[0]) != "Undefined" }),
		"undefined":   isA("Undefined"),
		"none":        isA("NoneType"),
		"boolean":     isA("bool"),
		"true":        takes("value", func(a []any) any { return a[0] == any(true) }),
		"false":       takes("value", func(a []any) any { return a[0] == any(false) }),
		"integer":     isA("int"),
		"float":       isA("float"),
		"number":      isA("int float bool"),
		"string":      isA("str"),
		"mapping":     isA("dict"),
		"sequence":    isA("str list tuple range dict Undefined"),
		"iterable": isA("str list tuple range dict Undefined dict_items dict_keys dict_values generator " +
			"LoopContext"),
		"sameas": takes("value other", func(a []any) any {
			if a[1] != nil && typeOf(a[1]) != "bool" {
				panic(faultf("sameas is supported for true, false and none"))
			}
			return a[0] == a[1]
		}),
		"in": takes("value seq", func(a []any) any { return contains(a[1], a[0]) }),
	}
	for each := range strings.FieldsSeq("callable escaped filter lower test upper") {
		tests[each] = unsupported("the test " + each)
	}
	for sign, names := range map[string]string{"==": "== eq equalto", "!=": "!= ne", ">": "> gt greaterthan",
		">=": ">= ge", "<": "< lt lessthan", "<=": "<= le"} {
		for each := range strings.FieldsSeq(names) {
			tests[each] = takes("- -", func(a []any) any { return compare(sign, a[0], a[1]) })
		}
	}
}

// isA is a test of a value's type.
func isA(types string) builtin {
	return takes("value", func(a []any) any { return slices.Contains(strings.Fields(types), typeOf(a[0])) })
}

func generator(items []any) any { return newSequence("generator", items) }

// pairs are a dict's keys with their values.
func pairs(v any) *sequence {
	d, is := v.(*dict)
	if !is {
		panic(faultf("Can only get item pairs from a mapping."))
	}
	return d.view("dict_items")
}

// each is what do makes of a value's items.
func each(of any, do func(item any) any) []any {
	all := slices.Clone(items(of))
	for i, item := range all {
		all[i] = do(item)
	}
	return all
}

// attributed is the value behind a path such as "a.b.0", or the item itself without a path.
func attributed(item, path any) any {
	if path == nil {
		return item
	}
	parts := []any{path}
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
		item = getItem(item, part)
	}
	return item
}

// sortKey is what an item is sorted by: small and capital letters are alike.
func sortKey(item, attribute any) any {
	key := attributed(item, attribute)
	if s, is := key.(string); is {
		return lower(s)
	}
	return key
}

func sorted(of any, reverse bool, attribute any) any {
	if several, is := attribute.(string); is && strings.Contains(several, ",") {
		panic(faultf("sorting by several attributes is not supported"))
	}
	type entry struct{ item, key any }
	var entries []entry
	for _, item := range items(of) {
		entries = append(entries, entry{item, sortKey(item, attribute)})
	}
	slices.SortStableFunc(entries, func(x, y entry) int {
		if reverse {
			x, y = y, x
		}
		if equal(x.key, y.key) { // so do undefined ones
			return 0
		}
		return order("<", x.key, y.key)
	})
	list := make([]any, len(entries))
	for i, each := range entries {
		list[i] = each.item
	}
	return newList(list)
}

func mapped(a []any) any {
	args, named := a[1].(*sequence).items, a[2].(*dict)
	if !isTrue(a[0]) {
		return generator(nil)
	}
	attribute, byAttribute := named.get("attribute")
	if len(args) == 0 && (!byAttribute || len(named.keys) > 1) {
		panic(faultf("map takes a filter or an attribute: more is not supported"))
	}
	return generator(each(a[0], func(item any) any {
		if len(args) == 0 {
			return attributed(item, attribute)
		}
		return filters.byName(args, item, named)
	}))
}

// byName calls the filter or the test that the first argument names, with a value and the other arguments.
func (t table) byName(args []any, value any, named *dict) any {
	by, found := t.find(textOf(args[0]))
	if !found {
		panic(faultf("there is no filter or test named '%s'", by.name))
	}
	return by.call(append([]any{value}, args[1:]...), named)
}

// selected are the items that a test holds for, or those that it doesn't.
func selected(a []any, wanted, byAttribute bool) any {
	args, named := a[1].(*sequence).items, a[2].(*dict)
	if !isTrue(a[0]) {
		return generator(nil)
	}
	var attribute any
	if byAttribute {
		if len(args) == 0 {
			panic(faultf("Missing parameter for attribute name"))
		}
		attribute, args = args[0], args[1:]
	}
	var kept []any
	for _, item := range items(a[0]) {
		value := attributed(item, attribute)
		if len(args) > 0 {
			value = tests.byName(args, value, named)
		}
		if isTrue(value) == wanted {
			kept = append(kept, item)
		}
	}
	return generator(kept)
}

func length(a []any) any {
	switch v := a[0].(type) {
	case string:
		return utf8.RuneCountInString(v)
	case *dict:
		return len(v.keys)
	case *undefined:
		return 0
	case *sequence:
		if v.kind != "generator" {
			return len(v.items)
		}
	}
	panic(faultf("object of type '%s' has no len()", typeOf(a[0])))
}

func defaulted(a []any) any {
	if typeOf(a[0]) == "Undefined" || isTrue(a[2]) && !isTrue(a[0]) {
		return or(a[1], "")
	}
	return a[0]
}

func indent(a []any) any {
	by, lines := indentation(or(a[1], 4)), splitLines(textOf(a[0])+"\n")
	for i, line := range lines {
		if i > 0 && line != "" || i == 0 && isTrue(a[2]) {
			lines[i] = by + line.(string)
		}
	}
	return join(lines, "\n")
}

// indentation is a text, or a number of blanks.
func indentation(by any) string {
	if text, is := by.(string); is {
		return text
	}
	width := whole(by)
	if width > 1000 {
		panic(faultf("an indent beyond 1000 is not supported"))
	}
	return strings.Repeat(" ", max(width, 0))
}

var decimal = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

func toInt(a []any) any {
	mustBeDefined(a[0])
	var number float64
	switch v := a[0].(type) {
	case bool, int:
		return whole(v)
	case float64:
		number = v
	case string:
		v = strings.TrimFunc(v, isBlank)
		if !decimal.MatchString(v) {
			if !strings.ContainsFunc(v, unicode.IsNumber) {
				return or(a[1], 0)
			}
			panic(faultf("int of the text %q is not supported", v)) // 1_000 and digits of all scripts are numbers
		}
		number, _ = strconv.ParseFloat(v, 64)
	default:
		return or(a[1], 0)
	}
	if !(math.Abs(number) < 1<<53) {
		panic(faultf("int of %v is not supported", number))
	}
	return int(number)
}
