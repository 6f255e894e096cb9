package bpe

import (
	"regexp"
	"unicode"
	"unicode/utf8"
)

const space = `\s\v\x{85}\p{Z}`

// pieces is GPT-2's pattern without its look-ahead, \s+(?!\S), which Split does itself.
var pieces = regexp.MustCompile(`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^` + space + `\p{L}\p{N}]+|[` + space + `]+`)

// Split cuts text into the pieces that byte pairs are merged within: those of llama.cpp's pre-tokenizer "gpt-2". Of white space
// before a word, the last character stands alone or goes to the word.
func Split(text string) []string {
	var list []string
	for len(text) > 0 {
		n := pieces.FindStringIndex(text)[1]
		if last, width := utf8.DecodeLastRuneInString(text[:n]); unicode.IsSpace(last) && n > width && n < len(text) {
			n -= width
		}
		list, text = append(list, text[:n]), text[n:]
	}
	return list
}
