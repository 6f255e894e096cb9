package page

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible is a text in which no character makes a terminal do anything: control characters other than line feeds and tabs, and
// characters that change how others are laid out, such as those that turn the direction of writing, are written out as JSON
// does, \u001b. In a JSON document, which has them inside strings only, that changes nothing.
func Visible(text string) string {
	if strings.IndexFunc(text, obeyed) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text { // a byte that is no UTF-8 is U+FFFD here
		if !obeyed(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// obeyed says whether a terminal or an editor obeys the character instead of showing it.
func obeyed(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x7f: // most of all
		return r < ' '
	case r == '\u200c' || r == '\u200d': // they join and part letters, as several scripts need
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Screen is a writer to a terminal that gets [Visible] text only.
func Screen(to io.Writer) io.Writer { return &screen{to: to} }

type screen struct {
	to   io.Writer
	held []byte // the beginning of a character whose rest is to come
}

func (s *screen) Write(p []byte) (int, error) {
	text := append(s.held, p...)
	end := len(text)
	for i := max(0, end-utf8.UTFMax+1); i < len(text); i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			end = i
			break
		}
	}
	_, err := io.WriteString(s.to, Visible(string(text[:end])))
	s.held = append([]byte(nil), text[end:]...)
	return len(p), err
}
