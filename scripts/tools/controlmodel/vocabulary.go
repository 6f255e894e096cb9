//go:build cgo

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Vocabulary is a byte-level byte-pair tokenizer in GPT-2's manner, which llama.cpp reads as tokenizer model "gpt2" with
// pre-tokenizer "gpt-2": same split, same merges, same ids. First come the special tokens, which never come out of Encode, then the
// 256 bytes, then one token per merge.
// Not safe for concurrent use: it remembers words.
type Vocabulary struct {
	Specials []string
	Merges   []Pair // Merges[i] makes token len(Specials)+256+i
	rank     map[Pair]int
	bytes    []string // the bytes each token stands for; "" for specials
	cache    map[string][]int32
}

// Pair is two neighbouring tokens.
type Pair struct{ Left, Right int32 }

// vocabularyOf builds a vocabulary from its merges.
func vocabularyOf(specials []string, merges []Pair) *Vocabulary {
	v := &Vocabulary{Specials: specials, rank: map[Pair]int{}, cache: map[string][]int32{}}
	v.bytes = make([]string, len(specials), len(specials)+256+len(merges))
	for b := range 256 {
		v.bytes = append(v.bytes, string([]byte{byte(b)}))
	}
	for _, m := range merges {
		v.add(m)
	}
	return v
}

func (v *Vocabulary) add(m Pair) {
	v.rank[m] = len(v.Merges)
	v.Merges = append(v.Merges, m)
	v.bytes = append(v.bytes, v.bytes[m.Left]+v.bytes[m.Right])
}

// Len is the number of tokens.
func (v *Vocabulary) Len() int { return len(v.bytes) }

// Special is the id of a special token; it panics on a name that is none.
func (v *Vocabulary) Special(name string) int32 {
	i := slices.Index(v.Specials, name)
	if i < 0 {
		panic(fmt.Sprintf("bpe: no special token %q", name))
	}
	return int32(i)
}

// Encode turns text into ids.
func (v *Vocabulary) Encode(text string) []int32 {
	var ids []int32
	for _, piece := range split(text) {
		ids = append(ids, v.piece(piece)...)
	}
	return ids
}

func (v *Vocabulary) piece(text string) []int32 {
	if ids, ok := v.cache[text]; ok {
		return ids
	}
	ids := make([]int32, len(text))
	for i := range ids {
		ids[i] = int32(len(v.Specials)) + int32(text[i])
	}
	for {
		at, best := -1, len(v.Merges)
		for i := 0; i+1 < len(ids); i++ {
			if r, ok := v.rank[Pair{ids[i], ids[i+1]}]; ok && r < best {
				at, best = i, r
			}
		}
		if at < 0 {
			break
		}
		ids = merge(ids, v.Merges[best], int32(len(v.Specials)+256+best))
	}
	if len(v.cache) > 1<<16 {
		clear(v.cache)
	}
	v.cache[text] = ids
	return ids
}

func merge(ids []int32, m Pair, into int32) []int32 {
	out := ids[:0]
	for i := 0; i < len(ids); i++ {
		if i+1 < len(ids) && ids[i] == m.Left && ids[i+1] == m.Right {
			out = append(out, into)
			i++
			continue
		}
		out = append(out, ids[i])
	}
	return out
}

// Text is the bytes of one token, "" for a special one.
func (v *Vocabulary) Text(id int32) string { return v.bytes[id] }

// Decode turns ids back into text; special tokens vanish.
func (v *Vocabulary) Decode(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(v.bytes[id])
	}
	return b.String()
}

// Pieces lists all tokens as GGUF's tokenizer.ggml.tokens wants them: bytes in GPT-2's printable alphabet.
func (v *Vocabulary) Pieces() []string {
	pieces := slices.Clone(v.Specials)
	for _, b := range v.bytes[len(v.Specials):] {
		pieces = append(pieces, printable(b))
	}
	return pieces
}

// MergeLines lists the merges as tokenizer.ggml.merges wants them, "left right".
func (v *Vocabulary) MergeLines() []string {
	lines := make([]string, len(v.Merges))
	for i, m := range v.Merges {
		lines[i] = printable(v.bytes[m.Left]) + " " + printable(v.bytes[m.Right])
	}
	return lines
}

var alphabet = func() (table [256]rune) {
	next := rune(256)
	for b := range table {
		table[b] = rune(b)
		if b < '!' || b > '~' && b < 0xA1 || b == 0xAD {
			table[b] = next
			next++
		}
	}
	return table
}()

func printable(bytes string) string {
	var b strings.Builder
	for i := range len(bytes) {
		b.WriteRune(alphabet[bytes[i]])
	}
	return b.String()
}

const space = `\s\v\x{85}\p{Z}`

// pieces is GPT-2's pattern without its look-ahead, \s+(?!\S), which split does itself.
var pieces = regexp.MustCompile(`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^` + space + `\p{L}\p{N}]+|[` + space + `]+`)

// split cuts text into the pieces that byte pairs are merged within: those of llama.cpp's pre-tokenizer "gpt-2". Of white space
// before a word, the last character stands alone or goes to the word.
func split(text string) []string {
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
