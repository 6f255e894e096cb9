package servers

import "proctor/backends"

// What an answer may have at most, for each of its tokens and beside them. The longest tokens are some hundred spaces; a piece of
// a stream has a frame around it, and the likeliest tokens where they are asked for.
const (
	tokenBytes   = 1 << 10
	frameBytes   = 2 << 10
	likelyBytes  = 512 // each of the likeliest tokens
	tokenPieces  = 16  // servers may send a token letter by letter
	answerBytes  = 1 << 20
	answerPieces = 64
)

// MostBytes is how many bytes the answer to a request may have on its way.
func MostBytes(r *backends.Request) int64 {
	return answerBytes + int64(max(0, r.MaxTokens))*int64(tokenBytes+tokenPieces*frameBytes+likelyBytes*r.Logprobs)
}

// size counts what came of an answer, and knows when that is more than its tokens can be.
type size struct{ pieces, bytes int }

// add counts a piece; the error is [TooLong].
func (s *size) add(piece string, maxTokens int) error {
	s.pieces++
	s.bytes += len(piece)
	if s.pieces > answerPieces+tokenPieces*maxTokens || s.bytes > tokenBytes*(answerPieces+maxTokens) {
		return TooLong()
	}
	return nil
}
