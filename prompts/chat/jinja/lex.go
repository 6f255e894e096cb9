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
	text      kind = iota // outside tags
	open                  // "{{" or "{%"
	closing               // "}}" or "%}"
	name                  // an identifier or a keyword
	quoted                // a text in quotes, decoded
	integer               //
	real                  //
	operator              //
	endOfFile             //
)

type token struct {
	kind kind
	text string
	line int
}

var (
	lineEnds  = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	rawBegin  = regexp.MustCompile(`^\{%[-+]?` + blank + `*raw` + blank + `*(?:-%\}` + blank + `*|%\})`)
	rawEnd    = regexp.MustCompile(`\{%([-+]?)` + blank + `*endraw` + blank + `*(?:\+%\}|-%\}` + blank + `*|%\}\n?)`)
	realForm  = regexp.MustCompile(`^(?i)(?:(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+))`)
	intForm   = regexp.MustCompile(`^(?i)(?:0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*)`)
	nameForm  = regexp.MustCompile(`^[\pL\pN_]+`)
	textForm  = regexp.MustCompile(`^(?s)(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")`)
	operators = []string{"//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}",
		">", "<", "=", ".", ":", "|", ",", ";"}
)

// blank is Python's white space, as a class of characters.
const blank = `[\t-\r\x1c-\x1f \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`

// lex cuts a source into tokens. It trims the text beside tags: "-" trims all white space; trim_blocks the line end
// behind a statement or a comment; lstrip_blocks the blanks before one that begins its line, unless it begins with "+".
func lex(source string) ([]token, error) {
	source = strings.TrimSuffix(lineEnds.Replace(source), "\n")
	var tokens []token
	lineOf := func(at int) int { return 1 + strings.Count(source[:at], "\n") }
	// before adds the text between two tags, without what the second one trims of it.
	before := func(from, to int, sign string, isExpression bool) {
		between := source[from:to]
		switch {
		case sign == "-":
			between = strings.TrimRightFunc(between, isBlank)
		case sign != "+" && !isExpression:
			line := strings.LastIndexByte(between, '\n') + 1
			starts := line > 0 || from == 0 || source[from-1] == '\n'
			if starts && strings.TrimFunc(between[line:], isBlank) == "" {
				between = between[:line]
			}
		}
		if between != "" {
			tokens = append(tokens, token{text, between, lineOf(from)})
		}
	}
	skipBlanks := func(at int) int { return len(source) - len(strings.TrimLeftFunc(source[at:], isBlank)) }
	for at := 0; ; {
		start := at
		for start < len(source) && !(source[start] == '{' && start+1 < len(source) &&
			strings.IndexByte("{%#", source[start+1]) >= 0) {
			start++
		}
		if start == len(source) {
			if start > at {
				tokens = append(tokens, token{text, source[at:], lineOf(at)})
			}
			return append(tokens, token{endOfFile, "the end of the template", lineOf(len(source))}), nil
		}
		inside, sign := start+2, ""
		if inside < len(source) && (source[inside] == '-' || source[inside] == '+') {
			sign = source[inside : inside+1]
			inside++
		}
		tag := source[start : start+2]
		before(at, start, sign, tag == "{{")
		switch raw := rawBegin.FindString(source[start:]); {
		case raw != "":
			from := start + len(raw)
			end := rawEnd.FindStringSubmatchIndex(source[from:])
			if end == nil {
				return nil, fmt.Errorf("line %d: raw has no endraw", lineOf(start))
			}
			before(from, from+end[0], source[from+end[2]:from+end[3]], false)
			at = from + end[1]
		case tag == "{#":
			end := strings.Index(source[inside:], "#}")
			if end < 0 {
				return nil, fmt.Errorf("line %d: a comment has no end", lineOf(start))
			}
			at = inside + end + 2
			switch {
			case end > 0 && source[at-3] == '-':
				at = skipBlanks(at)
			case end > 0 && source[at-3] == '+':
			case strings.HasPrefix(source[at:], "\n"):
				at++
			}
		default:
			tokens = append(tokens, token{open, tag, lineOf(start)})
			inner, end, err := lexTag(source, inside, tag)
			if err != nil {
				return nil, err
			}
			tokens = append(tokens, inner...)
			at = end
			switch last := inner[len(inner)-1].text; {
			case last[0] == '-':
				at = skipBlanks(at)
			case last == "%}" && strings.HasPrefix(source[at:], "\n"):
				at++
			}
		}
	}
}

// lexTag cuts a tag from at on, up to and with its end, whose text has its sign.
func lexTag(source string, at int, tag string) (tokens []token, end int, err error) {
	ends := []string{"-}}", "}}"}
	if tag == "{%" {
		ends = []string{"+%}", "-%}", "%}"}
	}
	var brackets []byte
	for line := 1 + strings.Count(source[:at], "\n"); at < len(source); {
		rest := source[at:]
		if len(brackets) == 0 {
			for _, each := range ends {
				if strings.HasPrefix(rest, each) {
					return append(tokens, token{closing, each, line}), at + len(each), nil
				}
			}
		}
		r, width := utf8.DecodeRuneInString(rest)
		if isBlank(r) {
			if r == '\n' {
				line++
			}
			at += width
			continue
		}
		next := token{line: line}
		matched := ""
		for _, form := range []struct {
			kind kind
			*regexp.Regexp
		}{{real, realForm}, {integer, intForm}, {name, nameForm}, {quoted, textForm}} {
			if form.kind == real && at > 0 && source[at-1] == '.' {
				continue
			}
			if matched = form.FindString(rest); matched != "" {
				next.kind = form.kind
				break
			}
		}
		for i := 0; matched == "" && i < len(operators); i++ {
			if strings.HasPrefix(rest, operators[i]) {
				matched, next.kind = operators[i], operator
			}
		}
		if matched == "" {
			return nil, 0, fmt.Errorf("line %d: %q has no meaning there", line, r)
		}
		next.text = matched
		switch {
		case next.kind == quoted:
			line += strings.Count(matched, "\n")
			if next.text, err = unquote(matched[1 : len(matched)-1]); err != nil {
				return nil, 0, fmt.Errorf("line %d: %w", line, err)
			}
		case next.kind == operator && strings.Contains("{([", matched):
			brackets = append(brackets, "})]"[strings.Index("{([", matched)])
		case next.kind == operator && strings.Contains("})]", matched):
			if len(brackets) == 0 || brackets[len(brackets)-1] != matched[0] {
				return nil, 0, fmt.Errorf("line %d: %q closes nothing", line, matched)
			}
			brackets = brackets[:len(brackets)-1]
		}
		tokens = append(tokens, next)
		at += len(matched)
	}
	return append(tokens, token{endOfFile, "the end of the template", 1 + strings.Count(source, "\n")}), at, nil
}

// unquote decodes a text's escapes as Python does: an escape that it doesn't know stays as it is.
func unquote(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte(`nrtabfv\'"`, s[i]); at >= 0 {
			b.WriteByte("\n\r\t\a\b\f\v\\'\""[at])
			continue
		}
		digits, base := 0, 16
		switch s[i] {
		case '\n':
			continue
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		case 'N':
			return "", fmt.Errorf(`\N{…} in a text is not supported`)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			for base = 8; digits < 3 && i+digits < len(s) && s[i+digits] >= '0' && s[i+digits] <= '7'; digits++ {
			}
			i--
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
			continue
		}
		if i+digits >= len(s) {
			return "", fmt.Errorf("an escape in a text lacks digits")
		}
		code, err := strconv.ParseUint(s[i+1:i+1+digits], base, 32)
		if err != nil || !utf8.ValidRune(rune(code)) {
			return "", fmt.Errorf("an escape in a text is no character")
		}
		b.WriteRune(rune(code))
		i += digits
	}
	return b.String(), nil
}
