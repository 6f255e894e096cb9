//go:build cgo

package main

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

const sample = `The following are multiple choice questions (with answers) about law. The answer is (C).

Question:
It's 47 + 38 = 85, isn't it? They'll say $\frac{1}{2}$; naïve café  —  “quoted”   text…
`

func TestSplitFollowsGPT2(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"words take the space before them", "a few words", []string{"a", " few", " words"}},
		{"digits stand together, letters apart", "x47 38kg", []string{"x", "47", " 38", "kg"}},
		{"marks stand together", `say: "(B)."`, []string{"say", ":", ` "(`, "B", `)."`}},
		{"contractions", "it's they'll don't 'tis", []string{"it", "'s", " they", "'ll", " don", "'t", " '", "tis"}},
		{"the last space belongs to the word", "a   b", []string{"a", "  ", " b"}},
		{"a line break before a word stands alone", "a\n\nB", []string{"a", "\n", "\n", "B"}},
		{"trailing space is one piece", "a \n\n", []string{"a", " \n\n"}},
		{"letters of any script", "naïve größe Ωmega", []string{"naïve", " größe", " Ωmega"}},
		{"nothing", "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := split(test.text)
			assert.Check(t, slices.Equal(got, test.want), "got %q, want %q", got, test.want)
		})
	}
}

func TestTrainedVocabularyComesBackToTheSameText(t *testing.T) {
	v := learn([]string{"<|begin|>"}, strings.Repeat(sample, 3), 400, " A", " B", " C")
	for _, text := range []string{sample, "", "\x00\xff broken utf-8 \xc3", "日本語 text", " A B C D"} {
		if got := v.Decode(v.Encode(text)); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
	}
	again := vocabularyOf(v.Specials, v.Merges)
	assert.Check(t, slices.Equal(again.Encode(sample), v.Encode(sample)), "a vocabulary rebuilt from its merges encodes differently")
	if got := len(v.Encode(sample)); got > len(sample)/2 {
		t.Errorf("%d tokens for %d bytes: merges are not used", got, len(sample))
	}
}

func TestDigitsStaySingleAndKeptWordsAreOneToken(t *testing.T) {
	v := learn(nil, strings.Repeat("12 12 12 1212 A1 ", 50), 300, " A")
	if got := len(v.Encode("1212")); got != 4 {
		t.Errorf("1212 is %d tokens, want 4", got)
	}
	if got := len(v.Encode(" A")); got != 1 {
		t.Errorf("a kept word is %d tokens, want 1", got)
	}
}

func TestPiecesArePrintableAndDistinct(t *testing.T) {
	v := learn([]string{"<|begin|>"}, sample, 350)
	seen := map[string]bool{}
	for _, piece := range v.Pieces() {
		assert.Check(t, !seen[piece] && !strings.ContainsAny(piece, " \n"), "piece %q is repeated or holds white space", piece)
		seen[piece] = true
	}
	for _, line := range v.MergeLines() {
		left, right, ok := strings.Cut(line, " ")
		assert.Check(t, ok && seen[left] && seen[right] && seen[left+right], "merge %q does not join two pieces to a third", line)
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add(sample)
	f.Add("\xff\xfe'll  \n x")
	v := learn(nil, sample, 320)
	f.Fuzz(func(t *testing.T, text string) {
		got := v.Decode(v.Encode(text))
		assert.Check(t, got == text, "%q came back as %q", text, got)
	})
}
