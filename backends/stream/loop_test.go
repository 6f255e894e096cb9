package stream

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// endsAt is how many bytes a completion has where a loop ends it, if its cap is behind its last token; -1 where nothing ends it.
func endsAt(tokens []string) int {
	loop, at := Loop{}, 0
	for i, token := range tokens {
		at += len(token)
		if left := len(tokens) - i - 1; left > 0 && loop.Add([]byte(token), left) {
			return at
		}
	}
	return -1
}

// inBytes cuts a text into tokens of n bytes, so that most end within a word, and drops a shorter rest. words cuts it behind each space.
func inBytes(text string, n int) (tokens []string) {
	for len(text) >= n {
		tokens, text = append(tokens, text[:n]), text[n:]
	}
	return tokens
}

func words(text string) []string {
	tokens := strings.SplitAfter(text, " ")
	return tokens[:len(tokens)-1]
}

func numbered(n int, line string) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, line, i)
	}
	return all.String()
}

func TestALoopEndsWhereItsLastWordsAreThoseOfTheCap(t *testing.T) {
	const sentence = "So the answer is (C), as it was before. " // 40 bytes
	long := numbered(30, "Option %d is not it. ")
	for _, test := range []struct {
		name string
		text string
		most int // bytes of the text where it is ended; 0: it is not
	}{
		{"one sentence", "First. " + strings.Repeat(sentence, 100), 7 + 400 + 64 + 40},
		{"a cap within a sentence", "First. " + strings.Repeat(sentence, 100) + "So the answer ", 7 + 400 + 64 + 40},
		{"long parts", strings.Repeat(long, 12), 4*len(long) + 64 + len(long)},
		{"a single letter", strings.Repeat("x ", 2000), 400 + 64 + 2},
		{"a sentence that is not repeated often enough", "First. " + strings.Repeat(sentence, 9), 0},
		{"long parts, three times", strings.Repeat(long, 3), 0},
		{"a counter", numbered(300, "Step %d is as the one before it. "), 0},
		{"parts beyond the window", strings.Repeat(numbered(150, "Option %d is not it. "), 6), 0},
		{"nothing", "", 0},
	} {
		for name, tokens := range map[string][]string{
			"words": words(test.text), "single bytes": inBytes(test.text, 1), "4 bytes": inBytes(test.text, 4), "3 bytes": inBytes(test.text, 3),
		} {
			text, at := strings.Join(tokens, ""), endsAt(tokens)
			if slack := 3 * test.most / 4; (at >= 0) != (test.most > 0) || at > test.most+slack {
				t.Errorf("%s in %s: ended at %d of %d bytes, want at most %d", test.name, name, at, len(text), test.most)
			}
			if at > 0 && text[at-300:at] != text[len(text)-300:] {
				t.Errorf("%s in %s: its last words are %q, at the cap %q", test.name, name, text[at-300:at], text[len(text)-300:])
			}
		}
	}
}

func TestATextThatLeavesItsLoopContinues(t *testing.T) {
	text := strings.Repeat("It is not so. ", 20) + "The answer is (B)." // 280 bytes of a loop
	at := endsAt(words(text))
	assert.Check(t, at < 0 && !Repeats(text), "ended at %d of %d bytes", at, len(text))
	assert.Check(t, Repeats(strings.Repeat("It is not so. ", 30)), "a text of one sentence does not repeat itself")
}

func TestALongTextIsWatchedInLittleMemory(t *testing.T) {
	loop := Loop{}
	for i := range 40_000 {
		loop.Add(fmt.Appendf(nil, "%d, ", i), 1)
	}
	assert.Check(t, len(loop.buf) <= 2*loopWindow+16 && len(loop.pieces) <= 2*loopWindow+1,
		"%d bytes and %d tokens are kept", len(loop.buf), len(loop.pieces))
}
