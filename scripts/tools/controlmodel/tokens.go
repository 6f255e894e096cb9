//go:build cgo

package main

import (
	"strings"

	"proctor/scripts/tools/questions"
)

// Special tokens. <|end|> closes a chat turn, <|endoftext|> a raw completion.
const (
	beginToken     = "<|begin|>"
	endToken       = "<|endoftext|>"
	systemToken    = "<|system|>"
	userToken      = "<|user|>"
	assistantToken = "<|assistant|>"
	turnToken      = "<|end|>"
	padToken       = "<|pad|>"
	spareToken     = "<|spare|>"
)

var specials = []string{beginToken, endToken, systemToken, userToken, assistantToken, turnToken, padToken, spareToken}

// newVocabulary trains the tokenizer on text of the kind that the model is trained on, letters A to J first, each with
// and without the space, so that the letter of an option is always one token.
func newVocabulary(seed uint64, size, count int) *Vocabulary {
	var keep []string
	for i := range 10 {
		keep = append(keep, " "+questions.Letter(i))
	}
	return learn(specials, corpus(seed, count), size, keep...)
}

// corpus is count examples and prose; the tokens of the examples are bytes here.
func corpus(seed uint64, count int) string {
	s := questions.NewSource(seed, streamVocabulary)
	letters := vocabularyOf(specials, nil)
	e := newExamples(recipe{Seed: seed}, letters)
	var b strings.Builder
	for i := range uint64(count) {
		x := e.example(corpusExamples+i, 1500, false)
		x.write()
		b.WriteString(letters.Decode(x.tokens))
		b.WriteString("\n" + s.Paragraph(8) + "\n\n")
	}
	return b.String()
}
