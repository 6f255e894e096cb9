package prefixes

import (
	"slices"
	"unicode/utf8"

	"proctor/backends"
)

// leadBytes is the length of the preamble's end that is tokenised again with every item. The effect of a text's beginning, and of the
// seam between preamble and item, on a tokenizer does not reach as far.
const leadBytes = 64

// A splitter tokenises the prompts of a subject, and their preamble only once.
//
// The first prompt, the example, is tokenised twice: whole, and from the lead on, which is the end of the preamble. From some token on
// both agree, and the tokens before it stand for the preamble. Other prompts are tokenised from the lead on. A prompt whose tokens do
// not begin as the example's do is tokenised whole; so are all prompts where a tokenizer depends on text far before.
type splitter struct {
	preamble string

	example []int32 // the tokens of the first whole prompt
	from    int     // how many of them stand for the preamble
	lead    []int32 // the tokens with which prompts from the lead on begin instead
}

// tokens are the tokens of the prompt that ends in text. All calls must have the same preamble.
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
