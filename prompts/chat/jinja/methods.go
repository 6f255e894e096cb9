package jinja

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// methods are those of values, by type.
var methods = map[string]table{
	"str": {
		"upper":      takes("-", func(a []any) any { return upper(a[0].(string)) }),
		"lower":      takes("-", func(a []any) any { return lower(a[0].(string)) }),
		"strip":      takes("- -?", stripping(strings.TrimFunc)),
		"lstrip":     takes("- -?", stripping(strings.TrimLeftFunc)),
		"rstrip":     takes("- -?", stripping(strings.TrimRightFunc)),
		"startswith": affixed(strings.HasPrefix),
		"endswith":   affixed(strings.HasSuffix),
		"count":      takes("- -", func(a []any) any { return strings.Count(a[0].(string), textOf(a[1])) }),
		"find":       takes("- -", func(a []any) any { return find(a[0].(string), textOf(a[1])) }),
		"index": takes("- -", func(a []any) any {
			at := find(a[0].(string), textOf(a[1]))
			if at < 0 {
				panic(faultf("substring not found"))
			}
			return at
		}),
		"split": takes("- sep? maxsplit?", func(a []any) any {
			return newList(split(a[0].(string), or(a[1], nil), whole(or(a[2], -1))))
		}),
		"rsplit": takes("- sep? maxsplit?", func(a []any) any { // splits the reverse, and reverses what comes of it
			by := or(a[1], nil)
			if by != nil {
				by = reversed(textOf(by))
			}
			parts := split(reversed(a[0].(string)), by, whole(or(a[2], -1)))
			slices.Reverse(parts)
			return newList(each(newList(parts), func(part any) any { return reversed(part.(string)) }))
		}),
		"splitlines": takes("-", func(a []any) any { return newList(splitLines(a[0].(string))) }),
		"replace": takes("- - - -?", func(a []any) any {
			return replace(a[0].(string), textOf(a[1]), textOf(a[2]), whole(or(a[3], -1)))
		}),
		"join": takes("- -", func(a []any) any {
			return join(each(a[1], func(item any) any { return textOf(item) }), a[0].(string))
		}),
		"format": takes("- *", format),
	},
	"list":  {"index": takes("- -", indexOf)},
	"tuple": {"index": takes("- -", indexOf)},
	"dict": {
		"get": takes("- - -?", func(a []any) any {
			if value, found := a[0].(*dict).get(a[1]); found {
				return value
			}
			return or(a[2], nil)
		}),
		"items":  takes("-", func(a []any) any { return a[0].(*dict).view("dict_items") }),
		"keys":   takes("-", func(a []any) any { return a[0].(*dict).view("dict_keys") }),
		"values": takes("-", func(a []any) any { return a[0].(*dict).view("dict_values") }),
	},
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || r >= '\x1c' && r <= '\x1f' }

func upper(s string) string { return cases.Upper(language.Und).String(s) }

func lower(s string) string { return cases.Lower(language.Und).String(s) }

// find is where a part begins, in characters; -1 without one.
func find(s, part string) int {
	at := strings.Index(s, part)
	if at < 0 {
		return at
	}
	return utf8.RuneCountInString(s[:at])
}

func indexOf(a []any) any {
	at := slices.IndexFunc(a[0].(*sequence).items, func(v any) bool { return equal(v, a[1]) })
	if at < 0 {
		panic(faultf("the value is not in the list"))
	}
	return at
}

// affixed is startswith or endswith.
func affixed(has func(s, affix string) bool) builtin {
	return takes("- -", func(a []any) any {
		affixes := []any{a[1]}
		if typeOf(a[1]) == "tuple" {
			affixes = items(a[1])
		}
		return slices.ContainsFunc(affixes, func(affix any) bool { return has(a[0].(string), textOf(affix)) })
	})
}

// stripping is strip, lstrip or rstrip.
func stripping(strip func(s string, drop func(rune) bool) string) func(a []any) any {
	return func(a []any) any {
		if or(a[1], nil) == nil {
			return strip(a[0].(string), isBlank)
		}
		these := textOf(a[1])
		return strip(a[0].(string), func(r rune) bool { return strings.ContainsRune(these, r) })
	}
}

func replace(s, old, instead string, most int) any {
	if len(s)+strings.Count(s, old)*len(instead) > 2*maxText {
		panic(tooMuch)
	}
	return strings.Replace(s, old, instead, most)
}

// split is str.split. Without a separator it splits at white space, of which it trims the ends.
func split(s string, by any, most int) (parts []any) {
	if by == nil {
		for s = strings.TrimLeftFunc(s, isBlank); s != ""; s = strings.TrimLeftFunc(s, isBlank) {
			end := strings.IndexFunc(s, isBlank)
			if end < 0 || len(parts) == most {
				end = len(s)
			}
			parts, s = append(parts, s[:end]), s[end:]
		}
		return parts
	}
	separator := textOf(by)
	if separator == "" {
		panic(faultf("empty separator"))
	}
	size := most + 1
	if most < 0 {
		size = -1
	}
	for _, part := range strings.SplitN(s, separator, size) {
		parts = append(parts, part)
	}
	return parts
}

func reversed(s string) string {
	characters := []rune(s)
	slices.Reverse(characters)
	return string(characters)
}

// splitLines are a text's lines without their ends.
func splitLines(s string) (lines []any) {
	for s != "" {
		at := strings.IndexAny(s, "\n\v\f\r\x1c\x1d\x1e\u0085\u2028\u2029")
		if at < 0 {
			return append(lines, s)
		}
		_, width := utf8.DecodeRuneInString(s[at:])
		if strings.HasPrefix(s[at:], "\r\n") {
			width = 2
		}
		lines, s = append(lines, s[:at]), s[at+width:]
	}
	return lines
}

// join joins values as they are written.
func join(all []any, separator string) any {
	var b strings.Builder
	for i, each := range all {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(str(each))
		if b.Len() > maxText {
			panic(tooMuch)
		}
	}
	return b.String()
}

// format is str.format for {} without conversions.
func format(a []any) any {
	s, args := a[0].(string), a[1].(*sequence).items
	var b strings.Builder
	for {
		at := strings.IndexAny(s, "{}")
		if at < 0 {
			return b.String() + s
		}
		b.WriteString(s[:at])
		switch s = s[at:]; {
		case len(s) > 1 && s[1] == s[0]:
			b.WriteByte(s[0])
		case !strings.HasPrefix(s, "{}") || len(args) == 0:
			panic(faultf("a format with other than {} for each argument is not supported"))
		default:
			b.WriteString(str(args[0]))
			args = args[1:]
		}
		s = s[2:]
	}
}
