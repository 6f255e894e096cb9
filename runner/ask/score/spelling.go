package score

import "strings"

// A spelling is what tokens spell, piece by piece, beside a text: that of a prompt and its completion.
type spelling struct {
	pieces []string
	text   string
	begin  int  // where the first piece begins in the text
	ends   bool // the last piece ends where the text does; else the pieces may go on behind it
}

// spelt lays the tokens that were drawn behind a prompt beside the text. A stop string may have cut the text.
func spelt(model scorer, tokens []int32, prompt, completion string) spelling {
	s := spelling{text: prompt + completion, begin: len(prompt)}
	for _, token := range tokens {
		s.pieces = append(s.pieces, model.Piece(token))
	}
	return s
}

// speltAtEnd lays the last tokens of the text beside it. They may begin inside the prompt, where tokens merge. A tokenizer may add a
// space behind the prompt, or leave one out, so the end says where they stand.
func speltAtEnd(model scorer, tokens []int32, prompt, completion string) spelling {
	s := spelt(model, tokens, prompt, completion)
	s.begin, s.ends = len(s.text)-len(strings.Join(s.pieces, "")), true
	return s
}

// find returns the piece that has a place of the text, and the place inside it. at is -1 where no piece has it, or where the pieces
// spell another text.
func (s spelling) find(place int) (at, inside int) {
	from := s.begin
	for i, piece := range s.pieces {
		if inside := place - from; inside >= 0 && inside < len(piece) {
			if !s.agrees(i, from) {
				break
			}
			return i, inside
		}
		from += len(piece)
	}
	return -1, 0
}

// agrees says whether the pieces are the text's own, between the end that they were laid at and piece i, which begins at from.
func (s spelling) agrees(i, from int) bool {
	if s.ends {
		return from >= 0 && s.text[from:] == strings.Join(s.pieces[i:], "")
	}
	return strings.HasPrefix(s.text[s.begin:], strings.Join(s.pieces[:i+1], ""))
}
