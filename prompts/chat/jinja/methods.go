package jinja

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// methods is the methods of Python's types.
var methods = map[string]map[string]*function{
	"dict": table(
		fn("get(key, default?)", get),
		dictView("items", (*Dict).pairs),
		dictView("keys", func(d *Dict) []Value { return d.keys }),
		dictView("values", func(d *Dict) []Value { return d.values }),
		fn("copy()", func(r *run, v Value, _ arguments) Value { return r.dict(Arguments{Values: []Value{v}}) }),
	),
	"str": table(
		recased("capitalize", capitalized),
		recased("lower", strings.ToLower),
		recased("title", titled),
		recased("upper", strings.ToUpper),
		fn("strip(chars?)", stripped(true, true)),
		fn("lstrip(chars?)", stripped(true, false)),
		fn("rstrip(chars?)", stripped(false, true)),
		method("removeprefix(prefix)", func(_ *run, s string, a arguments) Value { return strings.TrimPrefix(s, a.text(0, "")) }),
		method("removesuffix(suffix)", func(_ *run, s string, a arguments) Value { return strings.TrimSuffix(s, a.text(0, "")) }),
		method("replace(old, new, count?)", func(r *run, s string, a arguments) Value {
			return r.replace(s, a.text(0, ""), a.text(1, ""), a.integer(2, -1))
		}),

		method("startswith(prefix)", affix(strings.HasPrefix)),
		method("endswith(suffix)", affix(strings.HasSuffix)),
		method("count(sub)", func(_ *run, s string, a arguments) Value { return int64(strings.Count(s, a.text(0, ""))) }),
		method("find(sub)", located(strings.Index)),
		method("index(sub)", located(strings.Index)),
		method("rfind(sub)", located(strings.LastIndex)),
		method("rindex(sub)", located(strings.LastIndex)),
		every("isalnum", func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }),
		every("isalpha", unicode.IsLetter),
		every("isdigit", unicode.IsDigit),
		every("isspace", isSpace),

		method("join(iterable)", joined),
		method("split(sep?, maxsplit?)", splitting(false)),
		method("rsplit(sep?, maxsplit?)", splitting(true)),
		method("splitlines(keepends?)", func(r *run, s string, a arguments) Value { return listOf(r.lines(s, a.flag(0))) }),
	),
}

// changing names the methods that the immutable sandbox hides from templates, and lackingMethods what Python has and
// this package has not: finding one is an error, so that no template takes the lack for a missing key.
var (
	changing = map[string][]string{
		"list": {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"},
		"dict": {"clear", "pop", "popitem", "setdefault", "update"},
	}
	lackingMethods = map[string][]string{
		"str": {
			"casefold", "center", "encode", "expandtabs", "format", "format_map", "isascii", "isdecimal", "isidentifier", "islower",
			"isnumeric", "isprintable", "istitle", "isupper", "ljust", "maketrans", "partition", "rjust", "rpartition", "swapcase",
			"translate", "zfill",
		},
		"list":  {"copy", "count", "index"},
		"tuple": {"count", "index"},
		"dict":  {"fromkeys"},
	}
)

func get(_ *run, v Value, a arguments) Value {
	if !isUndefined(a.values[0]) { // Python finds no undefined among the keys either
		if value, found := v.(*Dict).get(a.values[0]); found {
			return value
		}
	}
	return a.values[1]
}

func dictView(name string, items func(*Dict) []Value) *function {
	return fn(name+"()", func(r *run, v Value, _ arguments) Value {
		r.list(4 * len(v.(*Dict).keys))
		return &sequence{"dict_" + name, items(v.(*Dict))}
	})
}

// method is a method of text.
func method(signature string, do func(r *run, s string, a arguments) Value) *function {
	return fn(signature, onText(do))
}

// onText lets a function of text work on any value's text. Where the value is markup, so is the text that comes out.
func onText(do func(r *run, s string, a arguments) Value) func(*run, Value, arguments) Value {
	return func(r *run, v Value, a arguments) Value {
		result := do(r, r.str(v), a)
		if s, isText := result.(string); isText {
			return asText(s, isMarkup(v))
		}
		return result
	}
}

func stripped(left, right bool) func(*run, Value, arguments) Value {
	return onText(func(_ *run, s string, a arguments) Value {
		goes := isSpace
		if a.values[0] != nil {
			chars := a.text(0, "")
			goes = func(r rune) bool { return strings.ContainsRune(chars, r) }
		}
		if left {
			s = strings.TrimLeftFunc(s, goes)
		}
		if right {
			s = strings.TrimRightFunc(s, goes)
		}
		return s
	})
}

// affix is startswith or endswith, which take a text or a tuple of texts.
func affix(has func(s, part string) bool) func(*run, string, arguments) Value {
	return func(r *run, s string, a arguments) Value {
		parts, isTuple := a.values[0].(*sequence)
		if !isTuple {
			return has(s, a.text(0, ""))
		}
		return slices.ContainsFunc(r.items(parts), func(v Value) bool {
			part, isText := text(v)
			require(isText, TypeError, "tuple for %s must only contain str, not %s", a.function.name, typeName(v))
			return has(s, part)
		})
	}
}

// located is find and its like: the code points before the part; where there is none, -1 or an error.
func located(find func(s, part string) int) func(*run, string, arguments) Value {
	return func(_ *run, s string, a arguments) Value {
		i := find(s, a.text(0, ""))
		require(i >= 0 || strings.HasSuffix(a.function.name, "find"), ValueError, "substring not found")
		return int64(min(i, utf8.RuneCountInString(s[:max(i, 0)])))
	}
}

// every passes texts whose characters all pass; no text at all fails.
func every(name string, passes func(rune) bool) *function {
	return method(name+"()", func(_ *run, s string, _ arguments) Value {
		return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !passes(r) })
	})
}

func joined(r *run, s string, a arguments) Value {
	items := r.items(a.values[0])
	for i, item := range items {
		_, isText := text(item)
		require(isText, TypeError, "sequence item %d: expected str instance, %s found", i, typeName(item))
	}
	return r.join(items, s)
}

// join is the items as text, with the separator between them.
func (r *run) join(items []Value, separator string) string {
	r.list(len(items))
	parts := make([]string, len(items))
	size := len(separator) * len(items)
	for i, item := range items {
		parts[i] = r.str(item)
		size += len(parts[i])
	}
	r.allocate(size)
	return strings.Join(parts, separator)
}

// replace puts next in the place of old, count times or (below 0) everywhere.
func (r *run) replace(s, old, next string, count int) string {
	r.allocate(len(s) + strings.Count(s, old)*len(next))
	return strings.Replace(s, old, next, count)
}

func listOf(parts []string) List {
	items := make(List, len(parts))
	for i, part := range parts {
		items[i] = part
	}
	return items
}

// splitting is split or rsplit: at white space, or at a separator, at most so often if most is not negative.
func splitting(fromRight bool) func(*run, string, arguments) Value {
	return func(r *run, s string, a arguments) Value {
		most := a.integer(1, -1)
		if a.values[0] == nil {
			require(!fromRight || most < 0, Unsupported, "rsplit at white space with maxsplit")
			r.list(len(s)/2 + 1)
			return listOf(words(s, most))
		}
		by := a.text(0, "")
		require(by != "", ValueError, "empty separator")
		r.list(strings.Count(s, by) + 1)
		parts := strings.Split(s, by)
		if surplus := len(parts) - 1 - most; most >= 0 && surplus > 0 && fromRight {
			parts = append([]string{strings.Join(parts[:surplus+1], by)}, parts[surplus+1:]...)
		} else if most >= 0 && surplus > 0 {
			parts = append(parts[:most:most], strings.Join(parts[most:], by))
		}
		return listOf(parts)
	}
}

// words splits at runs of white space, at most so often if most is not negative.
func words(s string, most int) []string {
	if most++; most <= 0 {
		most = -1
	}
	words := spaces.Split(strings.TrimLeftFunc(s, isSpace), most)
	if last := len(words) - 1; words[last] == "" {
		words = words[:last]
	}
	return words
}

var (
	spaces  = regexp.MustCompile(space + "+")
	lineEnd = regexp.MustCompile("\r\n|[\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029]")
)

// lines splits after every line's end, which stays only where keep is set.
func (r *run) lines(s string, keep bool) []string {
	r.list(len(s)/2 + 1)
	var lines []string
	for s != "" {
		end := lineEnd.FindStringIndex(s)
		if end == nil {
			return append(lines, s)
		}
		if keep {
			end[0] = end[1]
		}
		lines = append(lines, s[:end[0]])
		s = s[end[1]:]
	}
	return lines
}

// longCased is the letters whose upper or lower case in Python is more than one character, or depends on its place.
var longCased = regexp.MustCompile(`[ßİŉǰΐΣΰևẖ-ẚ\x{1f50}-\x{1ffc}\x{fb00}-\x{fb17}]`)

// recased is a filter or method that changes letters.
func recased(name string, change func(string) string) *function {
	return method(name+"()", func(r *run, s string, _ arguments) Value { return r.recased(s, change) })
}

// recased changes a text's letters, and refuses those that Go and Python put into another case differently.
func (r *run) recased(s string, change func(string) string) string {
	letter := longCased.FindString(s)
	require(letter == "", Unsupported, "changing the case of %q", letter)
	r.allocate(len(s))
	return change(s)
}

func capitalized(s string) string {
	_, width := utf8.DecodeRuneInString(s)
	return strings.ToTitle(s[:width]) + strings.ToLower(s[width:])
}

// titled is Python's str.title, in which a word begins with every run of letters.
func titled(s string) string {
	return wordwise(s, unicode.ToTitle, func(before rune) bool { return !unicode.In(before, unicode.Lu, unicode.Ll, unicode.Lt) })
}

// titleWords is Jinja2's title filter, in which words begin after white space, hyphens and opening brackets alone.
func titleWords(s string) string {
	return wordwise(s, unicode.ToUpper, func(before rune) bool { return isSpace(before) || strings.ContainsRune("-({[<", before) })
}

// wordwise changes the first letter of each word, and puts the others in lower case.
func wordwise(s string, first func(rune) rune, beginsAfter func(rune) bool) string {
	before := ' '
	return strings.Map(func(c rune) rune {
		begins := beginsAfter(before)
		before = c
		if begins {
			return first(c)
		}
		return unicode.ToLower(c)
	}, s)
}
