package prefixes

import (
	"slices"
	"unicode/utf8"

	"proctor/backends"
)

// leadBytes is how much of the preamble is tokenised again with every item: what a tokenizer makes of a text's beginning
// and of the place where preamble and item meet reaches less far.
const leadBytes = 64

// A splitter tokenises the prompts of a subject and does its preamble once only.
//
// The first prompt, the example, is tokenised twice: as a whole, and from the lead on, which is the end of the preamble.
// From some token on both agree, and the rest of the lead's tokens stands for the preamble. Other prompts are tokenised
// from the lead on; one whose tokens do not begin as the example's do, or a tokenizer that splits a text differently
// depending on what is far before it, needs the whole prompt.
type splitter struct {
	preamble string

	example []int32 // the tokens of the first whole prompt
	from    int     // how many of them stand for the preamble
	lead    []int32 // the tokens with which prompts from the lead on begin instead
}

// tokens are those of the prompt that ends in text. The splitter must not have been given another preamble.
func (s *splitter) tokens(by backends.Tokenizer, text string) (*tokens, error) {
	if s.example == nil {
		return s.begin(by, text)
	}
	part, err := by.Tokenize(s.preamble[s.leadAt():] + text)
	if err != nil {
		return nil, err
	}
	if n := len(s.lead); len(part) >= n && slices.Equal(part[:n], s.lead) {
		t := tokensOf(s.example[s.from:], part[n:])
		return &tokens{s.example, s.from + t.shared, t.own}, nil
	}
	ids, err := by.Tokenize(s.preamble + text)
	if err != nil {
		return nil, err
	}
	t := tokensOf(s.example, ids)
	return &t, nil
}

// begin makes the example of the first prompt.
func (s *splitter) begin(by backends.Tokenizer, text string) (*tokens, error) {
	ids, err := by.Tokenize(s.preamble + text)
	if err != nil {
		return nil, err
	}
	part, err := by.Tokenize(s.preamble[s.leadAt():] + text)
	if err != nil {
		return nil, err
	}
	same := 0
	for same < min(len(ids), len(part)) && ids[len(ids)-1-same] == part[len(part)-1-same] {
		same++
	}
	s.example, s.from, s.lead = ids, len(ids)-same, part[:len(part)-same]
	return &tokens{example: ids, shared: len(ids)}, nil
}

// leadAt is where the lead begins in the preamble, between characters.
func (s *splitter) leadAt() int {
	at := max(0, len(s.preamble)-leadBytes)
	for at < len(s.preamble) && !utf8.RuneStart(s.preamble[at]) {
		at++
	}
	return at
}
