package jinja

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// print writes a value to the output.
func (r *run) print(v Value) { r.append(r.out, r.str(v)) }

// str is Python's str(), which is how a template prints a value. The undefined prints as nothing.
func (r *run) str(v Value) string {
	if s, isText := text(v); isText {
		return s
	}
	if isUndefined(v) {
		return ""
	}
	p := printer{run: r, comma: ", ", colon: ": "}
	p.value(v)
	return p.out.String()
}

// toJSON is Hugging Face's tojson: Python's json.dumps with ensure_ascii off.
func toJSON(r *run, v Value, a arguments) Value {
	p := printer{run: r, json: true, ascii: a.flag(0), sortKeys: a.flag(3), comma: ", ", colon: ": "}
	if indent := a.values[1]; indent != nil {
		s, isText := text(indent)
		width, isInt := integer(indent)
		require(isText || isInt && width <= 64, Unsupported, "tojson with an indent of type %s", typeName(indent))
		p.pretty, p.indent, p.comma = true, s+strings.Repeat(" ", max(int(width), 0)), ","
	}
	if separators := a.values[2]; separators != nil {
		pair := sequenceOf(separators)
		require(len(pair) == 2 && typeName(pair[0]) == "str" && typeName(pair[1]) == "str",
			TypeError, "tojson(): 'separators' must be two strings")
		p.comma, p.colon = r.str(pair[0]), r.str(pair[1])
	}
	p.value(v)
	return p.out.String()
}

// printer writes a value down, as Python's repr() or as JSON.
type printer struct {
	*run
	out          strings.Builder
	json         bool
	ascii        bool // JSON in ASCII alone
	sortKeys     bool
	pretty       bool // every entry gets a line of its own, also with an empty indent
	indent       string
	comma, colon string
	level        int // how deep the current line stands
}

func (p *printer) write(s string) { p.append(&p.out, s) }

// value refuses what JSON has not, and what Python would print as an address or the like.
func (p *printer) value(v Value) {
	p.enter()
	kind := typeName(v)
	s, isText := text(v)
	scalar, isScalar := p.scalar(v)
	dict, isDict := v.(*Dict)
	switch items := sequenceOf(v); {
	case isText && (p.json || kind == "str"):
		p.write(p.quote(s))
	case isScalar:
		p.write(scalar)
	case isDict:
		p.dict(dict)
	case kind == "list" || kind == "tuple" && p.json:
		p.items("[", items, "]")
	case kind == "tuple":
		p.items("(", items, map[bool]string{true: ",)", false: ")"}[len(items) == 1])
	case p.json:
		fail(TypeError, "Object of type %s is not JSON serializable", kind)
	case strings.HasPrefix(kind, "dict_"):
		p.items(kind+"([", items, "])")
	case kind == "Undefined":
		p.write(kind)
	default:
		fail(Unsupported, "printing a %s", kind)
	}
	p.leave()
}

// jsonWords is what JSON writes otherwise than Python.
var jsonWords = map[string]string{
	"None": "null", "True": "true", "False": "false", "inf": "Infinity", "-inf": "-Infinity", "nan": "NaN",
}

// scalar prints none, booleans and numbers.
func (p *printer) scalar(v Value) (s string, isScalar bool) {
	switch v := v.(type) {
	case nil:
		s = "None"
	case bool:
		s = map[bool]string{true: "True", false: "False"}[v]
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		s = printFloat(v)
	default:
		return "", false
	}
	if word := jsonWords[s]; p.json && word != "" {
		s = word
	}
	return s, true
}

// printFloat is Python's repr of a float: the shortest digits that give the number back, with an exponent only
// outside 1e-4 … 1e16.
func printFloat(f float64) string {
	format := byte('f')
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		format = 'e'
	}
	s := strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, format, -1, 64)), "+")
	if !strings.ContainsAny(s, ".en") {
		s += ".0"
	}
	return s
}

func (p *printer) items(open string, items []Value, end string) {
	p.entries(open, len(items), end, func(i int) { p.value(items[i]) })
}

func (p *printer) dict(v *Dict) {
	keys := v.keys
	if p.sortKeys {
		p.list(len(keys))
		keys = slices.Clone(keys)
		slices.SortStableFunc(keys, func(a, b Value) int { return strings.Compare(p.key(a), p.key(b)) })
	}
	p.entries("{", len(keys), "}", func(i int) {
		if p.json {
			p.write(p.quote(p.key(keys[i])))
		} else {
			p.value(keys[i])
		}
		p.write(p.colon)
		value, _ := v.get(keys[i])
		p.value(value)
	})
}

// key is the name that JSON gives a key.
func (p *printer) key(v Value) string {
	s, isKey := text(v)
	if !isKey {
		s, isKey = p.scalar(v)
	}
	require(isKey, TypeError, "keys must be str, int, float, bool or None, not %s", typeName(v))
	return s
}

// entries writes n entries between brackets.
func (p *printer) entries(open string, n int, end string, entry func(i int)) {
	p.write(open)
	p.level++
	for i := range n {
		if i > 0 {
			p.write(p.comma)
		}
		p.newline()
		entry(i)
	}
	p.level--
	if n > 0 {
		p.newline()
	}
	p.write(end)
}

func (p *printer) newline() {
	if p.pretty {
		p.allocate(len(p.indent) * p.level)
		p.out.WriteString("\n" + strings.Repeat(p.indent, p.level))
	}
}

var (
	jsonEscapes   = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}
	pythonEscapes = map[rune]string{'\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
)

// quote writes a text as JSON does, or as Python: in single quotes, unless it holds such and no double ones.
func (p *printer) quote(s string) string {
	mark, escapes := '"', jsonEscapes
	if !p.json {
		escapes = pythonEscapes
		if !strings.ContainsRune(s, '\'') || strings.ContainsRune(s, '"') {
			mark = '\''
		}
	}
	var b strings.Builder
	b.WriteRune(mark)
	for _, c := range s {
		escape, escaped := escapes[c]
		switch {
		case escaped:
			b.WriteString(escape)
		case c == mark:
			b.WriteString(`\` + string(c))
		case p.json && c >= 0x20 && (!p.ascii || c < 0x7f) || !p.json && unicode.IsPrint(c):
			b.WriteRune(c)
		case !p.json && c < 0x100:
			fmt.Fprintf(&b, `\x%02x`, c)
		case c < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, c)
		case p.json:
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(c-0x10000)>>10, 0xdc00+(c-0x10000)&0x3ff)
		default:
			fmt.Fprintf(&b, `\U%08x`, c)
		}
	}
	b.WriteRune(mark)
	return b.String()
}
