package items

import (
	"strings"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
)

func TestLongThinkingIsFoldedAndItsMiddleLeftOut(t *testing.T) {
	h := &journal.Header{Strip: true}
	const answer = "The answer is (B)."
	for name, test := range map[string]struct {
		thought string
		folds   bool
		cuts    bool
	}{
		"none":             {"", false, false},
		"short":            {strings.Repeat("hm ", 100), false, false},
		"long":             {strings.Repeat("hm ", 1000), true, false},
		"very long":        {strings.Repeat("hm ", 30000), true, true},
		"of other letters": {strings.Repeat("хм… ", 30001), true, true},
	} {
		text := backends.Tags.Around(test.thought, answer, true)
		w := writtenOf(h, text, strings.Index(text, "B)"))
		switch {
		case !utf8.ValidString(w.text) || !strings.HasSuffix(w.text, answer):
			t.Errorf("%s: %.80q does not end in the answer", name, w.text)
		case test.folds && w.text[w.thinking:] != answer || !test.folds && w.thinking != 0:
			t.Errorf("%s: %d bytes are folded, before %.80q", name, w.thinking, w.text[w.thinking:])
		case test.cuts != (w.left > 0) || len(text)-w.left != len(w.text):
			t.Errorf("%s: %d bytes are left out of %d, and %d stay", name, w.left, len(text), len(w.text))
		case test.cuts && (len(w.text) > mostThinking+200 || !strings.Contains(w.text, "bytes of thinking are left out here")):
			t.Errorf("%s: %d bytes stay", name, len(w.text))
		}
		inside := writtenOf(h, text, 3)
		assert.Check(t, inside.text == text && inside.thinking == 0, "%s: an answer within the thinking is hidden", name)
	}
}
