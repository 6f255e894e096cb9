// Package stream turns the pieces that an engine generates into the text of a completion.
//
// An engine gives bytes, token by token: a character may be spread over several tokens, and so may a stop string.
// [Text] gathers them, finds the first stop string as soon as it is whole, and never gives half a
// character. Neighbours: the backends that generate token by token.
package stream

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Text gathers one completion.
type Text struct {
	stops   []string
	longest int // bytes of the longest stop string
	buf     []byte
	stop    string // of stops, that was found; empty for none
}

// NewText returns an empty text that ends before the first of stops. Empty stop strings are left out.
func NewText(stops []string) *Text {
	t := &Text{}
	for _, s := range stops {
		if s == "" {
			continue
		}
		t.stops = append(t.stops, s)
		t.longest = max(t.longest, len(s))
	}
	return t
}

// Add appends a piece and says whether the text is complete because a stop string was found. The stop string and what follows it are cut
// off; later pieces are ignored. Where several stop strings are found at once, the one that begins first counts.
func (t *Text) Add(piece []byte) (stopped bool) {
	if t.stop != "" || len(piece) == 0 {
		return t.stop != ""
	}
	from := max(0, len(t.buf)-t.longest+1) // a stop string that is whole only now begins here at the earliest
	t.buf = append(t.buf, piece...)
	cut := -1
	for _, s := range t.stops {
		if at := bytes.Index(t.buf[from:], []byte(s)); at >= 0 && (cut < 0 || from+at < cut) {
			cut, t.stop = from+at, s
		}
	}
	if cut >= 0 {
		t.buf = t.buf[:cut]
	}
	return cut >= 0
}

// Stop is the stop string that ended the text; empty where none has.
func (t *Text) Stop() string { return t.stop }

// String returns the text so far as valid UTF-8: a character whose last bytes have not come yet is left out, and
// bytes that belong to no character become U+FFFD.
func (t *Text) String() string {
	return strings.ToValidUTF8(string(t.buf[:len(t.buf)-unfinished(t.buf)]), "\uFFFD")
}

// unfinished returns how many bytes at the end of b are the beginning of a character that is not whole.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
