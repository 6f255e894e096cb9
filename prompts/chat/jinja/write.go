package jinja

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
)

// str is the text that a value is written as.
func str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case *undefined:
		return ""
	}
	w := writer{between: ", ", colon: ": "}
	w.write(v, 1)
	return w.String()
}

// toJSON is the filter tojson of Hugging Face, which escapes nothing for HTML.
func toJSON(a []any) any {
	w := writer{isJSON: true, between: ", ", colon: ": ", isASCII: isTrue(a[1])}
	if by := or(a[2], nil); by != nil {
		w.indent, w.isIndented, w.between = indentation(by), true, ","
	}
	if given := or(a[3], nil); given != nil {
		two := items(given)
		if len(two) != 2 {
			panic(faultf("separators are two texts"))
		}
		w.between, w.colon = textOf(two[0]), textOf(two[1])
	}
	w.write(a[0], 1)
	return w.String()
}

// writer writes values as Python's repr does, or its json.dumps.
type writer struct {
	strings.Builder
	isJSON                 bool
	isASCII, isIndented    bool // in JSON
	between, colon, indent string
}

func (w *writer) write(v any, depth int) {
	if depth > maxNest || w.Len() > maxText {
		panic(tooMuch)
	}
	switch v := v.(type) {
	case nil, bool:
		words := map[any]string{nil: "None", false: "False", true: "True"}
		if w.isJSON {
			words = map[any]string{nil: "null", false: "false", true: "true"}
		}
		w.WriteString(words[v])
	case int:
		w.WriteString(strconv.Itoa(v))
	case float64:
		w.float(v)
	case string:
		w.quote(v)
	case *sequence:
		opening, end := w.brackets(v)
		w.group(opening, end, len(v.items), depth, func(i int) { w.write(v.items[i], depth+1) })
	case *dict:
		w.group("{", "}", len(v.keys), depth, func(i int) {
			if w.isJSON && typeOf(v.keys[i]) != "str" {
				panic(faultf("a key in JSON that is no text is not supported"))
			}
			w.write(v.keys[i], depth+1)
			w.WriteString(w.colon)
			w.write(v.values[i], depth+1)
		})
	case *undefined:
		if w.isJSON {
			panic(faultf("Object of type Undefined is not JSON serializable"))
		}
		w.WriteString("Undefined")
	default:
		panic(faultf("a %s within a text is not supported", typeOf(v)))
	}
}

// brackets are those around a sequence's items.
func (w *writer) brackets(s *sequence) (opening, end string) {
	switch {
	case s.kind == "list" || w.isJSON && s.kind == "tuple":
		return "[", "]"
	case s.kind == "tuple" && len(s.items) == 1:
		return "(", ",)"
	case s.kind == "tuple":
		return "(", ")"
	case s.kind == "range" || s.kind == "generator" || w.isJSON:
		panic(faultf("a %s that is written out is not supported: make it a list", s.kind))
	}
	return s.kind + "([", "])"
}

// group writes n parts within brackets.
func (w *writer) group(opening, end string, n, depth int, part func(i int)) {
	line := func(depth int) {
		if w.isIndented && n > 0 {
			w.WriteString("\n" + strings.Repeat(w.indent, depth))
		}
	}
	w.WriteString(opening)
	for i := range n {
		if i > 0 {
			w.WriteString(w.between)
		}
		line(depth)
		part(i)
	}
	line(depth - 1)
	w.WriteString(end)
}

func (w *writer) quote(s string) {
	quote, escaped := '\'', "\n\r\t"
	switch {
	case w.isJSON:
		quote, escaped = '"', "\n\r\t\b\f"
	case strings.Contains(s, "'") && !strings.Contains(s, `"`):
		quote = '"'
	}
	w.WriteRune(quote)
	for _, r := range s {
		printed := strconv.IsPrint(r)
		if w.isJSON {
			printed = r >= ' ' && (r < 0x7f || !w.isASCII)
		}
		switch at := strings.IndexRune(escaped, r); {
		case r == quote || r == '\\':
			w.WriteString(`\` + string(r))
		case at >= 0:
			w.WriteString(`\` + "nrtbf"[at:at+1])
		case printed:
			w.WriteRune(r)
		case r < 0x100 && !w.isJSON:
			fmt.Fprintf(w, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(w, `\u%04x`, r)
		case w.isJSON:
			first, second := utf16.EncodeRune(r)
			fmt.Fprintf(w, `\u%04x\u%04x`, first, second)
		default:
			fmt.Fprintf(w, `\U%08x`, r)
		}
	}
	w.WriteRune(quote)
}

func (w *writer) float(f float64) {
	format := byte('f')
	switch size := math.Abs(f); {
	case !(size <= math.MaxFloat64):
		panic(faultf("a number without an end is not supported"))
	case size != 0 && (size < 1e-4 || size >= 1e16):
		format = 'e'
	}
	text := strconv.FormatFloat(f, format, -1, 64)
	w.WriteString(text)
	if !strings.ContainsAny(text, ".e") {
		w.WriteString(".0")
	}
}
