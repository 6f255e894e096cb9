package jinja

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenData
	tokenName
	tokenString
	tokenNumber
	tokenOperator // the marks that open and close tags among them
)

// token is one lexeme. text is the data, the name, the operator, the number as written, or the string's value with
// its escapes resolved.
type token struct {
	kind tokenKind
	text string
	line int
}

// String says what a person would call the token.
func (t token) String() string {
	switch t.kind {
	case tokenEnd:
		return "end of template"
	case tokenData:
		return "template data"
	case tokenString:
		return "string"
	}
	return t.text
}

// is tells whether the token is one of the given names and operators.
func (t token) is(texts ...string) bool {
	return (t.kind == tokenName || t.kind == tokenOperator) && slices.Contains(texts, t.text)
}

// lexer cuts a template into tokens, with trim_blocks and lstrip_blocks on: the newline after a tag goes, and so does
// the white space before a tag that starts its line; neither holds for {{ }}.
type lexer struct {
	source    string
	at        int // byte offset of what comes next
	line      int
	lineStart bool   // the previous tag took the end of its line with it
	open      []byte // closing brackets still owed inside the current tag
	tokens    []token
}

const (
	space  = `[\s\v\x1c-\x1f\x{85}\p{Z}]` // what Python's \s matches
	digits = `(?:\d+_)*\d+`
)

// The ends of tags take the white space with them that their sign or trim_blocks says. lexemes has a group for each of
// lexemeKinds; what matches without a group is white space.
var (
	newlines    = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	tagBegin    = regexp.MustCompile(`\{[{%#][-+]?`)
	variableEnd = regexp.MustCompile(`^(?:-\}\}` + space + `*|\}\})`)
	blockEnd    = regexp.MustCompile(`^(?:-%\}` + space + `*|\+%\}|%\}\n?)`)
	rawTag      = regexp.MustCompile(`^` + space + `*raw\b`)
	commentEnd  = regexp.MustCompile(`-#\}` + space + `*|\+#\}|#\}\n?`)

	lexemes = regexp.MustCompile(`^(?:` + space + `+` +
		`|(` + digits + `(?:(?:\.` + digits + `)?[eE][+-]?` + digits + `|\.` + digits + `)` +
		`|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*)` +
		`|([\p{L}\p{Nd}_]+)` +
		`|((?s:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))` +
		`|(//|\*\*|[=!><]=|[-+/*%~\[\](){}><=.:|,;]))`)
	lexemeKinds = []tokenKind{tokenNumber, tokenName, tokenString, tokenOperator}
)

func (l *lexer) lex() []token {
	require(len(l.source) <= maxSource, LimitExceeded, "the template has %d bytes, more than %d", len(l.source), maxSource)
	l.source = strings.TrimSuffix(newlines.Replace(l.source), "\n")
	l.lineStart = true
	for l.at < len(l.source) {
		l.next()
	}
	l.emit(tokenEnd, "")
	return l.tokens
}

func (l *lexer) emit(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind: kind, text: text, line: l.line})
}

// advance moves past n bytes and keeps count of lines.
func (l *lexer) advance(n int) {
	l.line += strings.Count(l.source[l.at:l.at+n], "\n")
	l.at += n
}

func (l *lexer) rest() string { return l.source[l.at:] }

// next lexes the data up to a tag, and that tag.
func (l *lexer) next() {
	place := tagBegin.FindStringIndex(l.rest())
	if place == nil {
		l.emit(tokenData, l.rest())
		l.advance(len(l.rest()))
		return
	}
	begin := l.rest()[place[0]:place[1]]
	tag, sign := begin[:2], begin[2:]
	if text := l.stripped(l.rest()[:place[0]], tag, sign); text != "" {
		l.emit(tokenData, text)
	}
	l.advance(place[1])
	switch tag {
	case "{#":
		end := commentEnd.FindStringIndex(l.rest())
		require(end != nil, SyntaxError, "Missing end of comment tag")
		l.endTag(end[1])
	case "{{":
		l.emit(tokenOperator, tag)
		l.inside(variableEnd, "}}")
	default:
		require(!rawTag.MatchString(l.rest()), Unsupported, "tag 'raw'")
		l.emit(tokenOperator, tag)
		l.inside(blockEnd, "%}")
	}
}

// stripped is the text before a tag without the white space that the tag takes away: all with a minus, and what stands
// between the line's start and a tag other than {{.
func (l *lexer) stripped(text, tag, sign string) string {
	start := strings.LastIndexByte(text, '\n') + 1
	switch {
	case sign == "-":
		return strings.TrimRightFunc(text, isSpace)
	case sign == "+" || tag == "{{" || start == 0 && !l.lineStart || strings.TrimLeftFunc(text[start:], isSpace) != "":
		return text
	}
	return text[:start]
}

// endTag moves past n bytes that end a tag.
func (l *lexer) endTag(n int) {
	l.advance(n)
	l.lineStart = l.source[l.at-1] == '\n'
}

// inside lexes a tag up to its end, which only counts outside brackets.
func (l *lexer) inside(end *regexp.Regexp, mark string) {
	l.open = l.open[:0]
	for l.at < len(l.source) {
		if len(l.open) == 0 {
			if ending := end.FindString(l.rest()); ending != "" {
				l.emit(tokenOperator, mark)
				l.endTag(len(ending))
				return
			}
		}
		l.lexeme()
	}
}

func (l *lexer) lexeme() {
	groups := lexemes.FindStringSubmatch(l.rest())
	if groups == nil {
		first, _ := utf8.DecodeRuneInString(l.rest())
		if first == '"' || first == '\'' {
			fail(SyntaxError, "string is never closed")
		}
		fail(SyntaxError, "unexpected char %q", first)
	}
	width := len(groups[0])
	for i, text := range groups[1:] {
		if text == "" {
			continue
		}
		switch lexemeKinds[i] {
		case tokenNumber:
			if strings.HasSuffix(l.source[:l.at], ".") { // the digits of x.1.2 are never a float
				text, _, _ = strings.Cut(text, ".")
				width = len(text)
			}
			text = strings.ReplaceAll(text, "_", "")
		case tokenString:
			text = unescape(text[1 : width-1])
		case tokenOperator:
			l.bracket(text)
		}
		l.emit(lexemeKinds[i], text)
	}
	l.advance(width)
}

var closing = map[string]byte{"(": ')', "[": ']', "{": '}'}

func (l *lexer) bracket(text string) {
	if end, opens := closing[text]; opens {
		l.open = append(l.open, end)
	} else if strings.Contains(")]}", text) {
		last := len(l.open) - 1
		require(last >= 0, SyntaxError, "unexpected '%s'", text)
		require(l.open[last] == text[0], SyntaxError, "unexpected '%s', expected '%c'", text, l.open[last])
		l.open = l.open[:last]
	}
}

// isSpace is Python's str.isspace: Unicode's white space and the four information separators.
func isSpace(r rune) bool { return r >= 0x1c && r <= 0x1f || unicode.IsSpace(r) }

// unescape resolves the escapes of a Python string literal's inside. An escape that Python does not know stays as it
// is, backslash and all.
func unescape(s string) string {
	var b strings.Builder
	for {
		before, escape, found := strings.Cut(s, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		s = escape[1:]
		switch c := escape[0]; {
		case c == '\n':
		case strings.IndexByte(`'"\`, c) >= 0:
			b.WriteByte(c)
		case strings.IndexByte("abfnrtvxuU01234567", c) >= 0:
			character, _, rest, err := strconv.UnquoteChar(`\`+escape, 0)
			width := map[byte]int{'x': 3, 'u': 5, 'U': 9}[c]
			require(err == nil, Unsupported, "escape %q in a string: not a character", `\`+escape[:min(max(width, 3), len(escape))])
			b.WriteRune(character)
			s = rest
		case c == 'N' || c >= utf8.RuneSelf:
			fail(Unsupported, "escape %q in a string", `\`+escape[:1])
		default:
			b.WriteString(`\`)
			s = escape
		}
	}
}
