package jinja

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

var textMethods, listMethods, dictMethods map[string]builtin

// numberAttributes are what Python's numbers have and this package hasn't.
var numberAttributes = strings.Fields("as_integer_ratio bit_count bit_length conjugate denominator from_bytes " +
	"fromhex hex imag is_integer numerator real to_bytes")

func init() {
	textMethods = map[string]builtin{
		"upper":      ofText(func(s string) any { return upper(s) }),
		"lower":      ofText(func(s string) any { return lower(s) }),
		"strip":      stripping(strings.TrimFunc),
		"lstrip":     stripping(strings.TrimLeftFunc),
		"rstrip":     stripping(strings.TrimRightFunc),
		"startswith": affixed(strings.HasPrefix),
		"endswith":   affixed(strings.HasSuffix),
		"count":      ofTwo(func(s, part string) (any, error) { return strings.Count(s, part), nil }),
		"find":       ofTwo(func(s, part string) (any, error) { return characters(s, strings.Index(s, part)), nil }),
		"index": ofTwo(func(s, part string) (any, error) {
			at := characters(s, strings.Index(s, part))
			if at < 0 {
				return nil, errors.New("substring not found")
			}
			return at, nil
		}),
		"split": takes("- sep? maxsplit?", func(a []any) (any,
			error) {
			return split(a[0].(string), or(a[1], nil), or(a[2], -1), false)
		}),
		"rsplit": takes("- sep? maxsplit?", func(a []any) (any, error) {
			return split(a[0].(string), or(a[1], nil), or(a[2], -1), true)
		}),
		"splitlines": takes("-", func(a []any) (any, error) { return newList(splitLines(a[0].(string))), nil }),
		"replace": takes("- - - -?", func(a []any) (any, error) {
			old, err := textOf(a[1])
			if err != nil {
				return nil, err
			}
			instead, err := textOf(a[2])
			if err != nil {
				return nil, err
			}
			most, err := whole(or(a[3], -1))
			if err != nil {
				return nil, err
			}
			s := a[0].(string)
			if len(s)+strings.Count(s, old)*len(instead) > 2*maxText {
				return nil, errTooMuch
			}
			return strings.Replace(s, old, instead, most), nil
		}),
		"join": takes("- -", func(a []any) (any, error) {
			all, err := items(a[1])
			if err != nil {
				return nil, err
			}
			for _, each := range all {
				if _, err := textOf(each); err != nil {
					return nil, err
				}
			}
			return join(all, a[0].(string))
		}),
		"format": takes("- *", func(a []any) (any,
			error) {
			return format(a[0].(string), a[1].(*sequence).items, a[2].(*dict))
		}),
	}
	for _, each := range strings.Fields("capitalize casefold center encode expandtabs format_map isalnum isalpha " +
		"isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper ljust maketrans " +
		"partition removeprefix removesuffix rfind rindex rjust " +
		"rpartition swapcase title translate zfill") {
		textMethods[each] = unsupported("the method " + each + " of a text")
	}
	listMethods = map[string]builtin{
		"index": takes("- -", func(a []any) (any, error) {
			at := slices.IndexFunc(a[0].(*sequence).items, func(v any) bool { return equal(v, a[1]) })
			if at < 0 {
				return nil, errors.New("the value is not in the list")
			}
			return at, nil
		}),
		"count": takes("- -", func(a []any) (any, error) {
			n := 0
			for _, each := range a[0].(*sequence).items {
				if equal(each, a[1]) {
					n++
				}
			}
			return n, nil
		}),
	}
	dictMethods = map[string]builtin{
		"get": takes("- - -?", func(a []any) (any, error) {
			value, found := a[0].(*dict).get(a[1])
			if !found {
				value = or(a[2], nil)
			}
			_, err := canonical(a[1])
			return value, err
		}),
		"items":    takes("-", func(a []any) (any, error) { return a[0].(*dict).view("dict_items"), nil }),
		"keys":     takes("-", func(a []any) (any, error) { return a[0].(*dict).view("dict_keys"), nil }),
		"values":   takes("-", func(a []any) (any, error) { return a[0].(*dict).view("dict_values"), nil }),
		"copy":     takes("-", func(a []any) (any, error) { return a[0], nil }), // nothing changes one
		"fromkeys": unsupported("dict.fromkeys"),
	}
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || r >= '\x1c' && r <= '\x1f' }

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

func upper(s string) string { return cases.Upper(language.Und).String(s) }

func lower(s string) string { return cases.Lower(language.Und).String(s) }

// characters is an index of bytes as one of characters.
func characters(s string, at int) int {
	if at < 0 {
		return at
	}
	return utf8.RuneCountInString(s[:at])
}

// ofText is a method that takes nothing but its text, ofTwo one that takes another text.
func ofText(do func(string) any) builtin {
	return takes("-", func(a []any) (any, error) { return do(a[0].(string)), nil })
}

func ofTwo(do func(s, other string) (any, error)) builtin {
	return takes("- -", func(a []any) (any, error) {
		other, err := textOf(a[1])
		if err != nil {
			return nil, err
		}
		return do(a[0].(string), other)
	})
}

// affixed is startswith or endswith.
func affixed(has func(s, affix string) bool) builtin {
	return takes("- -", func(a []any) (any, error) {
		affixes := []any{a[1]}
		if several, is := a[1].(*sequence); is && several.kind == "tuple" {
			affixes = several.items
		}
		for _, each := range affixes {
			affix, err := textOf(each)
			if err != nil || has(a[0].(string), affix) {
				return err == nil, err
			}
		}
		return false, nil
	})
}

// stripping is strip, lstrip or rstrip.
func stripping(strip func(s string, drop func(rune) bool) string) builtin {
	return takes("- -?", func(a []any) (any, error) {
		chars := or(a[1], nil)
		if chars == nil {
			return strip(a[0].(string), isBlank), nil
		}
		these, err := textOf(chars)
		return strip(a[0].(string), func(r rune) bool { return strings.ContainsRune(these, r) }), err
	})
}

// split is str.split, or rsplit from the right. Without a separator it splits at white space, of which it trims the
// ends.
func split(s string, by, maxsplit any, right bool) (any, error) {
	most, err := whole(maxsplit)
	if err != nil {
		return nil, err
	}
	find := func() (int, int) {
		at := strings.IndexFunc(s, isBlank)
		if right {
			at = strings.LastIndexFunc(s, isBlank)
		}
		_, width := utf8.DecodeRuneInString(s[max(at, 0):])
		return at, at + width
	}
	if by != nil {
		separator, err := textOf(by)
		if err == nil && separator == "" {
			err = errors.New("empty separator")
		}
		if err != nil {
			return nil, err
		}
		find = func() (int, int) {
			at := strings.Index(s, separator)
			if right {
				at = strings.LastIndex(s, separator)
			}
			return at, at + len(separator)
		}
	}
	var parts []any
	for {
		if by == nil && right {
			s = strings.TrimRightFunc(s, isBlank)
		} else if by == nil {
			s = strings.TrimLeftFunc(s, isBlank)
		}
		if by == nil && s == "" {
			break
		}
		from, to := find()
		if from < 0 || len(parts) == most {
			parts = append(parts, s)
			break
		}
		if right {
			parts, s = append(parts, s[to:]), s[:from]
		} else {
			parts, s = append(parts, s[:from]), s[to:]
		}
	}
	if right {
		slices.Reverse(parts)
	}
	return newList(parts), nil
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
func join(all []any, separator string) (any, error) {
	var b strings.Builder
	for i, each := range all {
		if i > 0 {
			b.WriteString(separator)
		}
		written, err := str(each)
		if err == nil && b.Len()+len(written) > maxText {
			err = errTooMuch
		}
		if err != nil {
			return nil, err
		}
		b.WriteString(written)
	}
	return b.String(), nil
}

// format is str.format for {} and {name} without conversions.
func format(s string, args []any, named *dict) (any, error) {
	var b strings.Builder
	for s != "" {
		at := strings.IndexAny(s, "{}")
		if at < 0 {
			break
		}
		b.WriteString(s[:at])
		if s = s[at:]; len(s) > 1 && s[1] == s[0] {
			b.WriteByte(s[0])
			s = s[2:]
			continue
		}
		field, rest, found := strings.Cut(s[1:], "}")
		if s[0] == '}' || !found {
			return nil, errors.New("a single brace in a format")
		}
		value, found := named.get(field)
		if field == "" && len(args) > 0 {
			value, found, args = args[0], true, args[1:]
		}
		if !found {
			return nil, errors.New("the field {" + field + "} of a format is not given, or not supported")
		}
		written, err := str(value)
		if err != nil {
			return nil, err
		}
		b.WriteString(written)
		s = rest
	}
	return b.String() + s, nil
}
