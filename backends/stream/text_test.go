package stream

import (
	"strings"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestTheFirstStopStringEndsTheText(t *testing.T) {
	for _, test := range []struct {
		name  string
		stops []string
		text  string
		want  string
	}{
		{"no stop strings", nil, "some text", "some text"},
		{"an empty one is none", []string{""}, "some text", "some text"},
		{"one that comes", []string{"Question:"}, "B.\n\nQuestion: what", "B.\n\n"},
		{"one at the beginning", []string{"Q"}, "Question", ""},
		{"one at the end", []string{"on"}, "Question", "Questi"},
		{"one that only begins", []string{"Question:"}, "a Quest", "a Quest"},
		{"one that begins twice", []string{"QQA"}, "aQQQA", "aQ"},
		{"the earlier of two", []string{"later", "soon"}, "soon and later", ""},
		{"one of several bytes a letter", []string{"漢字"}, "π 漢漢字 x", "π 漢"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for size := 1; size <= len(test.text); size++ {
				text, stopped := NewText(test.stops), false
				for at := 0; at < len(test.text) && !stopped; at += size {
					stopped = text.Add([]byte(test.text[at:min(at+size, len(test.text))]))
				}
				assert.Check(t, text.String() == test.want, "in pieces of %d: got %q, want %q", size, text.String(), test.want)
				assert.Check(t, !stopped || text.Add([]byte("more")) && text.String() == test.want,
					"in pieces of %d: it goes on behind its end: %q", size, text.String())
				stop := text.Stop()
				assert.Check(t, stopped == (stop != "") && strings.HasPrefix(test.text[len(test.want):], stop),
					"in pieces of %d: stopped %v by %q", size, stopped, stop)
			}
		})
	}
}

func TestNoCharacterIsCutInHalf(t *testing.T) {
	for _, test := range []struct{ name, bytes, want string }{
		{"plain letters", "abc", "abc"},
		{"a whole character", "漢", "漢"},
		{"a character without its last byte", "a\xe6\xbc", "a"},
		{"a character's first byte", "a\xf0", "a"},
		{"three bytes of four", "a\xf0\x9f\x98", "a"},
		{"a byte that begins nothing", "a\xff", "a\uFFFD"},
		{"a byte that begins nothing in the middle", "a\x80b", "a\uFFFDb"},
		{"a beginning that does not go on", "\xe6b", "\uFFFDb"},
		{"only bytes that go on", "\x80\x80\x80\x80", "\uFFFD"},
		{"nothing", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := NewText(nil)
			for _, b := range []byte(test.bytes) {
				text.Add([]byte{b})
				assert.Check(t, utf8.ValidString(text.String()), "%q is not UTF-8", text.String())
			}
			assert.Check(t, is.Equal(text.String(), test.want))
		})
	}
}

func FuzzText(f *testing.F) {
	f.Add("a text with a stop in it", "stop", "in", uint8(3))
	f.Add("漢字\xe6", "字", "", uint8(1))
	f.Fuzz(func(t *testing.T, whole, one, two string, size uint8) {
		if !utf8.ValidString(one) || !utf8.ValidString(two) {
			t.Skip("stop strings are text")
		}
		step := int(size%7) + 1
		text := NewText([]string{one, two})
		before := ""
		for at := 0; at < len(whole); at += step {
			stopped := text.Add([]byte(whole[at:min(at+step, len(whole))]))
			got := text.String()
			assert.Assert(t, utf8.ValidString(got), "%q is not UTF-8", got)
			assert.Assert(t, stopped || strings.HasPrefix(got, before), "%q does not go on %q", got, before)
			before = got
		}
		for _, stop := range []string{one, two} {
			if stop != "" && !strings.ContainsRune(stop, utf8.RuneError) && strings.Contains(text.String(), stop) {
				t.Fatalf("%q holds the stop string %q", text.String(), stop)
			}
		}
	})
}
