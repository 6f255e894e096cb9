package page

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible writes out characters that control a terminal as JSON does, \u001b: control characters except line feeds and tabs, and those that
// change how others are laid out, such as the ones that turn the direction of writing. It keeps the meaning of JSON, which has such
// characters inside strings only.
func Visible(text string) string {
	if strings.IndexFunc(text, obeyed) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text { // bytes that are not UTF-8 become U+FFFD here
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
	case r == '\u200c' || r == '\u200d': // they join and separate letters, as several scripts need
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Screen is a writer to a terminal that writes only [Visible] text.
func Screen(to io.Writer) io.Writer { return &screen{to: to} }

type screen struct {
	to   io.Writer
	held []byte // the beginning of a character, until its rest is written
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
