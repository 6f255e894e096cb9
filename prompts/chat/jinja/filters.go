package jinja

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// filters is what may stand after "|": Jinja2's own, with Hugging Face's tojson.
var filters = table(
	fn("abs()", absolute),
	recased("capitalize", capitalized),
	fn("default|d(default_value?, boolean?)", orDefault),
	fn("dictsort(case_sensitive?, by?, reverse?)", dictSort),
	fn("escape|e()", func(r *run, v Value, _ arguments) Value { return markup(escapeUnless(isMarkup(v), r.str(v))) }),
	fn("first()", func(r *run, v Value, _ arguments) Value { return edge(r.items(v), 0, "first") }),
	fn("float(default?)", toFloat),
	fn("indent(width?, first?, blank?)", indent),
	fn("int(default?)", toInteger),
	fn("items()", pairs),
	fn("join(d?, attribute?)", joinFilter),
	fn("last()", last),
	fn("length|count()", size),
	fn("list()", func(r *run, v Value, _ arguments) Value { return List(r.copied(r.items(v))) }),
	recased("lower", strings.ToLower),
	fn("map(...)", mapped),
	fn("reject(...)", chosen(false, false)),
	fn("rejectattr(...)", chosen(true, false)),
	fn("replace(old, new, count?)", func(r *run, v Value, a arguments) Value {
		return r.replace(r.str(v), r.str(a.values[0]), r.str(a.values[1]), a.integer(2, -1))
	}),
	fn("reverse()", reversed),
	fn("safe()", func(r *run, v Value, _ arguments) Value { return markup(r.str(v)) }),
	fn("select(...)", chosen(false, true)),
	fn("selectattr(...)", chosen(true, true)),
	fn("sort(reverse?, case_sensitive?, attribute?)", sortFilter),
	fn("string()", onText(func(_ *run, s string, _ arguments) Value { return s })),
	recased("title", titleWords),
	fn("tojson(ensure_ascii?, indent?, separators?, sort_keys?)", toJSON),
	fn("trim(chars?)", stripped(true, true)),
	fn("unique(case_sensitive?, attribute?)", unique),
	recased("upper", strings.ToUpper),
)

// lackingNames is the filters and tests that Jinja2 has and this package has not.
var lackingNames = map[string][]string{
	"filter": {
		"attr", "batch", "center", "filesizeformat", "forceescape", "format", "groupby", "max", "min", "pprint", "random", "round",
		"slice", "striptags", "sum", "truncate", "urlencode", "urlize", "wordcount", "wordwrap", "xmlattr",
	},
	"test": {"escaped", "filter", "sameas", "test"},
}

// noSuch refuses a filter or test that cannot be used.
func noSuch(line int, what, name string) {
	if slices.Contains(lackingNames[what], name) {
		failAt(line, Unsupported, "%s '%s'", what, name)
	}
	failAt(line, RuntimeError, "No %s named '%s'.", what, name)
}

func absolute(r *run, v Value, _ arguments) Value {
	if f, isNumber := float(v); isNumber && f < 0 {
		return signed(r, "-", v)
	}
	return signed(r, "+", v)
}

func orDefault(_ *run, v Value, a arguments) Value {
	if isUndefined(v) || a.flag(1) && !truth(v) {
		return a.or(0, "")
	}
	return v
}

func size(_ *run, v Value, _ arguments) Value {
	n, sized := length(v)
	if !sized {
		fail(TypeError, "object of type '%s' has no len()", typeName(v))
	}
	return int64(n)
}

// toFloat and toInteger give their default for what is not a number.
func toFloat(_ *run, v Value, a arguments) Value {
	if f, isNumber := asNumber(v); isNumber {
		return f
	}
	return a.or(0, 0.0)
}

func toInteger(_ *run, v Value, a arguments) Value {
	if n, isInt := integer(v); isInt {
		return n
	}
	if s, isText := text(v); isText {
		if n, err := strconv.ParseInt(strings.TrimFunc(s, isSpace), 10, 64); err == nil {
			return n
		}
	}
	f, isNumber := asNumber(v)
	if !isNumber || math.IsNaN(f) || math.IsInf(f, 0) {
		return a.or(0, int64(0))
	}
	require(math.Abs(f) < 1<<63, Unsupported, "an integer of more than 64 bits")
	return int64(f)
}

// asNumber reads a number or a text as Python's float() does, which knows no hexadecimal floats.
func asNumber(v Value) (float64, bool) {
	defined(v)
	s, isText := text(v)
	if !isText {
		return float(v)
	}
	f, err := strconv.ParseFloat(strings.TrimFunc(s, isSpace), 64)
	return f, err == nil && !strings.ContainsAny(s, "xXpP_")
}

// indent puts white space before the lines of a text: not before the first, nor before blank ones, unless asked to.
func indent(r *run, v Value, a arguments) Value {
	margin, given := text(a.values[0])
	if !given {
		width := max(a.integer(0, 4), 0)
		r.allocate(width)
		margin = strings.Repeat(" ", width)
	}
	s := r.str(add(r, v, "\n")) // as Jinja2 does, so that a last line counts even if it is empty
	r.allocate(len(s) + strings.Count(s, "\n")*len(margin))
	lines := r.lines(s, false)
	for i, line := range lines {
		if (i > 0 || a.flag(1)) && (i == 0 || a.flag(2) || line != "") {
			lines[i] = margin + line
		}
	}
	return asText(strings.Join(lines, "\n"), isMarkup(v))
}

func joinFilter(r *run, v Value, a arguments) Value {
	return r.join(r.paths(r.items(v), a.values[1]), r.str(a.or(0, "")))
}

// copied is a list's items in a list of their own.
func (r *run) copied(items []Value) []Value {
	r.list(len(items))
	return slices.Clone(items)
}

func pairs(r *run, v Value, _ arguments) Value {
	if isUndefined(v) {
		return generator(nil)
	}
	dict, isDict := v.(*Dict)
	require(isDict, TypeError, "Can only get item pairs from a mapping.")
	r.list(4 * len(dict.keys))
	return generator(dict.pairs())
}

// edge is the first or last item.
func edge(items []Value, i int, name string) Value {
	if len(items) == 0 {
		return &undefined{hint: "No " + name + " item, sequence was empty."}
	}
	return items[i]
}

func last(r *run, v Value, _ arguments) Value {
	s, isSequence := v.(*sequence)
	require(!isSequence || !s.once(), TypeError, "'%s' object is not reversible", typeName(v))
	items := r.items(v)
	return edge(items, len(items)-1, "last")
}

func reversed(r *run, v Value, _ arguments) Value {
	items := r.copied(r.items(v))
	slices.Reverse(items)
	if _, isText := text(v); !isText {
		return &sequence{"list_reverseiterator", items}
	}
	var b strings.Builder
	for _, c := range items {
		b.WriteString(r.str(c))
	}
	return asText(b.String(), isMarkup(v))
}

// each is the items that map, select and their kin go through; to those anything false is an empty list, none too.
func (r *run) each(v Value) []Value {
	if !truth(v) {
		return nil
	}
	return r.copied(r.items(v))
}

var mapAttribute = fn("map(attribute, default?)", nil)

// mapped applies a filter to each item, or gets an attribute of each.
func mapped(r *run, v Value, a arguments) Value {
	items := r.each(v)
	byAttribute := len(a.given.Values) == 0 && slices.Contains(a.given.Names, "attribute")
	if byAttribute {
		a = mapAttribute.bind(a.given)
	}
	for i, item := range items {
		if !byAttribute {
			items[i] = r.applyNamed("filter", r.filters, item, a.given)
		} else if items[i] = r.path(item, a.values[0]); isUndefined(items[i]) {
			items[i] = a.or(1, items[i])
		}
	}
	return generator(items)
}

// applyNamed applies the filter or test that the arguments begin with.
func (r *run) applyNamed(what string, table map[string]*function, v Value, a Arguments) Value {
	name := ""
	if len(a.Values) > 0 {
		name, _ = text(a.Values[0])
	}
	if table[name] == nil {
		noSuch(0, what, name)
	}
	a.Values = a.Values[1:]
	return r.apply(table[name], v, a)
}

// chosen is select and its like: the items (or those with an attribute) that pass a test, or those that fail it.
// Without a test the value itself decides.
func chosen(byAttribute, wanted bool) func(*run, Value, arguments) Value {
	return func(r *run, v Value, a arguments) Value {
		items, test := r.each(v), a.given
		subjects := items
		if byAttribute {
			require(len(test.Values) > 0, TypeError, "%s(): missing parameter for attribute name", a.function.name)
			subjects = r.paths(items, test.Values[0])
			test.Values = test.Values[1:]
		}
		var kept []Value
		for i, subject := range subjects {
			if len(test.Values) > 0 {
				subject = r.applyNamed("test", r.tests, subject, test)
			}
			if truth(subject) == wanted {
				kept = append(kept, items[i])
			}
		}
		return generator(kept)
	}
}

// paths is what a path leads to in each item; without one, the items themselves.
func (r *run) paths(items []Value, path Value) []Value {
	if path == nil {
		return items
	}
	found := r.copied(items)
	for i, item := range found {
		found[i] = r.path(item, path)
	}
	return found
}

// path follows a path such as "function.name" or 0 into a value.
func (r *run) path(v, path Value) Value {
	if _, isInt := integer(path); isInt {
		return item(r, v, path)
	}
	for part := range strings.SplitSeq(r.str(path), ".") {
		r.spend(1)
		var key Value = part
		if n, err := strconv.ParseUint(part, 10, 31); err == nil {
			key = int64(n)
		}
		v = item(r, v, key)
	}
	return v
}

// sorted is a stably sorted copy by the keys, one for each item, without regard to case unless asked for it.
func (r *run) sorted(items, keys []Value, reverse, caseSensitive bool) Value {
	type keyed struct{ item, key Value }
	rows := make([]keyed, len(items))
	for i, key := range r.folded(keys, caseSensitive) {
		rows[i] = keyed{items[i], key}
	}
	slices.SortStableFunc(rows, func(a, b keyed) int {
		if reverse {
			a, b = b, a
		}
		return r.order("<", a.key, b.key)
	})
	sorted := List(r.copied(items))
	for i, row := range rows {
		sorted[i] = row.item
	}
	return sorted
}

func (r *run) folded(keys []Value, caseSensitive bool) []Value {
	folded := r.copied(keys)
	for i, key := range folded {
		if s, isText := text(key); isText && !caseSensitive {
			folded[i] = r.recased(s, strings.ToLower)
		}
	}
	return folded
}

func sortFilter(r *run, v Value, a arguments) Value {
	path, _ := text(a.values[2])
	require(!strings.Contains(path, ","), Unsupported, "filter 'sort' by several attributes")
	items := r.items(v)
	return r.sorted(items, r.paths(items, a.values[2]), a.flag(0), a.flag(1))
}

func dictSort(r *run, v Value, a arguments) Value {
	defined(v)
	dict, isDict := v.(*Dict)
	require(isDict, TypeError, "'%s' object has no attribute 'items'", typeName(v))
	keys := dict.keys
	if by := a.text(1, "key"); by == "value" {
		keys = dict.values
	} else {
		require(by == "key", ValueError, `You can only sort by either "key" or "value"`)
	}
	return r.sorted(dict.pairs(), keys, a.flag(2), a.flag(0))
}

// unique keeps the first of the items that are equal.
func unique(r *run, v Value, a arguments) Value {
	items := r.items(v)
	r.list(6 * len(items))
	seen := map[any]bool{}
	var kept []Value
	for i, key := range r.folded(r.paths(items, a.values[1]), a.flag(0)) {
		if hash := mustHash(key); !seen[hash] {
			seen[hash] = true
			kept = append(kept, items[i])
		}
	}
	return generator(kept)
}

// tests is what may stand after "is".
var tests = table(
	kind("boolean", func(v Value) bool { return typeName(v) == "bool" }),
	kind("callable", func(v Value) bool { _, is := v.(callable); return is || isUndefined(v) }), // as Python sees it
	kind("defined", func(v Value) bool { return !isUndefined(v) }),
	kind("false", func(v Value) bool { return v == false }),
	kind("float", func(v Value) bool { return typeName(v) == "float" }),
	kind("integer", func(v Value) bool { return typeName(v) == "int" }),
	kind("iterable", isIterable),
	kind("mapping", func(v Value) bool { return typeName(v) == "dict" }),
	kind("none", func(v Value) bool { return v == nil }),
	kind("number", func(v Value) bool { _, is := float(v); return is }),
	kind("sequence", isSequence),
	kind("string", func(v Value) bool { _, is := text(v); return is }),
	kind("true", func(v Value) bool { return v == true }),
	kind("undefined", isUndefined),

	casing("lower", strings.ToLower, unicode.IsLower),
	casing("upper", strings.ToUpper, unicode.IsUpper),

	fn("even()", func(r *run, v Value, _ arguments) Value { return r.equal(arithmetic("%", v, int64(2)), int64(0)) }),
	fn("odd()", func(r *run, v Value, _ arguments) Value { return r.equal(arithmetic("%", v, int64(2)), int64(1)) }),
	fn("divisibleby(num)", func(r *run, v Value, a arguments) Value {
		return r.equal(arithmetic("%", v, a.values[0]), int64(0))
	}),

	compares("in", "in"), compares("==|eq|equalto", "=="), compares("!=|ne", "!="),
	compares(">|gt|greaterthan", ">"), compares(">=|ge", ">="),
	compares("<|lt|lessthan", "<"), compares("<=|le", "<="),
)

// kind is a test of what sort of value it is.
func kind(name string, is func(Value) bool) *function {
	return fn(name+"()", func(_ *run, v Value, _ arguments) Value { return is(v) })
}

func isIterable(v Value) bool {
	_, sized := length(v)
	_, isSequence := v.(*sequence)
	return sized || isSequence
}

func isSequence(v Value) bool {
	_, sized := length(v)
	_, isLoop := v.(*loop)
	return sized && !isLoop && !strings.HasPrefix(typeName(v), "dict_")
}

func casing(name string, change func(string) string, has func(rune) bool) *function {
	return fn(name+"()", func(r *run, v Value, _ arguments) Value {
		s := r.str(v)
		return r.recased(s, change) == s && strings.ContainsFunc(s, has)
	})
}

func compares(name, operator string) *function {
	return fn(name+"(other)", func(r *run, v Value, a arguments) Value { return operators[operator].apply(r, v, a.values[0]) })
}
