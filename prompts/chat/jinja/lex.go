package jinja

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind of a token.
type kind byte

const (
	text    kind = iota // outside tags
	open                // "{{" or "{%"
	closing             // "}}" or "%}", with its sign
	name                // an identifier or a keyword
	quoted              // a text in quotes, decoded
	integer
	fraction
	operator
	space // within tags, which is no token
	endOfFile
)

type token struct {
	kind kind
	text string
	line int
}

// blank is Python's white space, as a class of characters.
const blank = `[\t-\r\x1c-\x1f \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`

var (
	lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	tagBegin = regexp.MustCompile(`\{[{%#][-+]?`)
	rawBegin = regexp.MustCompile(`^\{%[-+]?` + blank + `*raw` + blank + `*(?:-%\}` + blank + `*|%\})`)
	rawEnd   = regexp.MustCompile(`\{%([-+]?)` + blank + `*endraw` + blank + `*(?:\+%\}|-%\}` + blank + `*|%\}\n?)`)
	tagEnds  = map[string]*regexp.Regexp{"{{": regexp.MustCompile(`^-?\}\}`), "{%": regexp.MustCompile(`^[-+]?%\}`)}

	// forms are those of the tokens within tags, in the order in which they are tried.
	forms = []struct {
		kind kind
		*regexp.Regexp
	}{
		{space, regexp.MustCompile(`^` + blank + `+`)},
		{fraction, regexp.MustCompile(`^(?i)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)`)},
		{integer, regexp.MustCompile(`^(?i)(?:0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*)`)},
		{name, regexp.MustCompile(`^[\pL\pN_]+`)},
		{quoted, regexp.MustCompile(`^(?s)(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")`)},
		{operator, regexp.MustCompile(`^(?://|\*\*|[=!<>]=|[-+/*%~\[\](){}<>=.:|,;])`)},
	}
)

// lexer cuts a source into tokens.
type lexer struct {
	source string
	at     int
	line   int // of at
	tokens []token
}

// lex returns a source's tokens. It trims the text beside tags: "-" trims all white space; trim_blocks the line end
// behind a statement or a comment; lstrip_blocks the blanks before one that begins its line, unless it begins with "+".
func lex(source string) (tokens []token, err error) {
	defer catch(&err)
	l := &lexer{source: strings.TrimSuffix(lineEnds.Replace(source), "\n"), line: 1}
	for {
		begin := tagBegin.FindStringIndex(l.rest())
		if begin == nil {
			break
		}
		tag, sign := l.rest()[begin[0]:begin[0]+2], l.rest()[begin[0]+2:begin[1]]
		l.text(begin[0], sign, tag == "{{")
		if raw := rawBegin.FindString(l.rest()); raw != "" {
			l.take(len(raw))
			end := rawEnd.FindStringSubmatchIndex(l.rest())
			if end == nil {
				panic(l.faultf("raw has no endraw"))
			}
			l.text(end[0], l.rest()[end[2]:end[3]], false)
			l.take(end[1] - end[0])
			continue
		}
		l.take(len(tag + sign))
		if tag != "{#" {
			l.tag(tag)
			continue
		}
		end := strings.Index(l.rest(), "#}")
		if end < 0 {
			panic(l.faultf("a comment has no end"))
		}
		comment := l.take(end + len("#}"))
		l.trim(comment[max(end-1, 0):])
	}
	l.add(text, len(l.rest()))
	return append(l.tokens, token{endOfFile, "the end of the template", l.line}), nil
}

func (l *lexer) rest() string { return l.source[l.at:] }

func (l *lexer) take(size int) string {
	taken := l.source[l.at : l.at+size]
	l.at += size
	l.line += strings.Count(taken, "\n")
	return taken
}

// add takes a token.
func (l *lexer) add(kind kind, size int) {
	if size > 0 {
		l.tokens = append(l.tokens, token{kind, l.rest()[:size], l.line})
		l.take(size)
	}
}

func (l *lexer) faultf(format string, values ...any) fault {
	return faultf("line %d: %w", l.line, fmt.Errorf(format, values...))
}

// text takes what stands before a tag, and drops what the tag trims of it.
func (l *lexer) text(size int, sign string, isExpression bool) {
	all := l.rest()[:size]
	kept := all
	switch {
	case sign == "-":
		kept = strings.TrimRightFunc(all, isBlank)
	case sign != "+" && !isExpression:
		line := strings.LastIndexByte(all, '\n') + 1
		starts := line > 0 || l.at == 0 || l.source[l.at-1] == '\n'
		if starts && strings.TrimFunc(all[line:], isBlank) == "" {
			kept = all[:line]
		}
	}
	l.add(text, len(kept))
	l.take(size - len(kept))
}

// trim drops what the end of a tag trims behind it.
func (l *lexer) trim(end string) {
	rest := l.rest()
	switch {
	case end[0] == '-':
		l.take(len(rest) - len(strings.TrimLeftFunc(rest, isBlank)))
	case end[0] != '+' && end != "}}" && strings.HasPrefix(rest, "\n"):
		l.take(1)
	}
}

// tag takes a tag's tokens, up to and with its end.
func (l *lexer) tag(tag string) {
	l.tokens = append(l.tokens, token{open, tag, l.line})
	for brackets := ""; l.rest() != ""; {
		if end := tagEnds[tag].FindString(l.rest()); end != "" && brackets == "" {
			l.add(closing, len(end))
			l.trim(end)
			return
		}
		kind, size := l.form()
		taken := l.rest()[:size]
		switch {
		case kind == space:
			l.take(size)
			continue
		case kind == operator && strings.Contains("([{", taken):
			brackets += taken
		case kind == operator && strings.Contains(")]}", taken):
			opening := map[string]string{")": "(", "]": "[", "}": "{"}[taken]
			if !strings.HasSuffix(brackets, opening) {
				panic(l.faultf("%q closes nothing", taken))
			}
			brackets = strings.TrimSuffix(brackets, opening)
		}
		l.add(kind, size)
		if last := &l.tokens[len(l.tokens)-1]; kind == quoted {
			last.text = l.unquote(taken[1 : size-1])
		}
	}
}

// form is the kind and the size of the token that comes.
func (l *lexer) form() (kind, int) {
	for _, form := range forms {
		if form.kind == fraction && l.source[l.at-1] == '.' { // of two indexes, as in a.0.1
			continue
		}
		if found := form.FindString(l.rest()); found != "" {
			return form.kind, len(found)
		}
	}
	r, _ := utf8.DecodeRuneInString(l.rest())
	panic(l.faultf("%q has no meaning there", r))
}

var escape = regexp.MustCompile(`(?s)\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|.)`)

// unquote decodes a text's escapes as Python does: an escape that it doesn't know stays as it is.
func (l *lexer) unquote(s string) string {
	return escape.ReplaceAllStringFunc(s, func(escaped string) string {
		if at := strings.IndexByte(`nrtabfv\'"`, escaped[1]); at >= 0 {
			return "\n\r\t\a\b\f\v\\'\""[at : at+1]
		}
		digits, base := escaped[2:], 16
		switch sign := escaped[1]; {
		case sign == '\n':
			return ""
		case sign >= '0' && sign <= '7':
			digits, base = escaped[1:], 8
		case sign == 'N' || sign >= utf8.RuneSelf:
			panic(l.faultf("the escape %s in a text is not supported", escaped))
		case strings.IndexByte("xuU", sign) < 0:
			return escaped
		}
		code, err := strconv.ParseUint(digits, base, 32)
		if err != nil || !utf8.ValidRune(rune(code)) {
			panic(l.faultf("the escape %s in a text is no character", escaped))
		}
		return string(rune(code))
	})
}
