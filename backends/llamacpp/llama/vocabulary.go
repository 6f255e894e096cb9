package llama

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
)

// Tokenize returns the tokens of a prompt, with the BOS token at its beginning exactly once where the model wants one, also
// when the text brings it along; names of control tokens in the text become those tokens. It may be called from several
// goroutines at a time.
func (m *Model) Tokenize(prompt string) ([]int32, error) {
	if len(prompt) > math.MaxInt32/2 {
		return nil, fmt.Errorf("a prompt of %d bytes is more than llama.cpp can take", len(prompt))
	}
	text := cString(prompt)
	tokens := make([]int32, len(prompt)+8)
	tokenize := func() int32 {
		return m.lib.LlamaTokenize(m.vocab, text, int32(len(prompt)), &tokens[0], int32(len(tokens)), true, true)
	}
	n := tokenize()
	if n < 0 && n != math.MinInt32 { // more tokens than bytes: -n are needed
		tokens = make([]int32, -n)
		n = tokenize()
	}
	if n < 0 {
		return nil, errors.New("llama.cpp cannot tokenise the prompt")
	}
	tokens = tokens[:n]
	if bos, adds := m.BOS(); adds && len(tokens) > 1 && tokens[0] == bos && tokens[1] == bos {
		tokens = tokens[1:]
	}
	// Where the tokenizer ends every text with an end token, a prompt must not have it.
	if last := len(tokens) - 1; m.lib.LlamaVocabGetAddEos(m.vocab) && last >= 0 && m.IsEnd(tokens[last]) {
		tokens = tokens[:last]
	}
	return tokens, nil
}

// Tokens returns how many tokens there are.
func (m *Model) Tokens() int32 { return m.lib.LlamaVocabNTokens(m.vocab) }

// BOS returns the token that texts begin with, and whether the model wants it before a prompt.
func (m *Model) BOS() (token int32, adds bool) {
	return m.lib.LlamaVocabBos(m.vocab), m.lib.LlamaVocabGetAddBos(m.vocab)
}

// IsEnd says whether a token is an end of generation.
func (m *Model) IsEnd(token int32) bool { return m.lib.LlamaVocabIsEog(m.vocab, token) }

// Piece appends the bytes of a token to buf. Control tokens, such as marks of thinking and of turns, have those of
// their names; those that begin a text or end what is generated have none.
func (m *Model) Piece(buf []byte, token int32) []byte {
	room := make([]byte, 64)
	n := m.piece(room, token)
	if n < 0 {
		room = make([]byte, -n)
		n = m.piece(room, token)
	}
	return append(buf, room[:max(n, 0)]...)
}

// isSpoken says whether a token is a control token that has a text.
func (m *Model) isSpoken(token int32) bool {
	isControl := m.lib.LlamaVocabGetAttr(m.vocab, token)&attrControl != 0
	return isControl && !m.IsEnd(token) && token != m.lib.LlamaVocabBos(m.vocab)
}

const attrControl = 1 << 3 // LLAMA_TOKEN_ATTR_CONTROL

func (m *Model) piece(room []byte, token int32) int {
	return int(m.lib.LlamaTokenToPiece(m.vocab, token, &room[0], int32(len(room)), 0, m.isSpoken(token)))
}

// Marks returns the tokens that begin and end a text as the vocabulary writes them, "" for none.
func (m *Model) Marks() (bos, eos string) {
	return m.text(m.lib.LlamaVocabBos(m.vocab)), m.text(m.lib.LlamaVocabEos(m.vocab))
}

func (m *Model) text(token int32) string {
	if token == tokenNull {
		return ""
	}
	return m.lib.LlamaVocabGetText(m.vocab, token)
}

// tokenNull is LLAMA_TOKEN_NULL, the one that there is not.
const tokenNull = -1

// VocabularySHA256 is a digest of all tokens, their kinds, what texts begin and end with, and the name of the way in
// which texts are split before they become tokens, in hexadecimal.
func (m *Model) VocabularySHA256(splitting string) string {
	hash := sha256.New()
	l := m.lib
	fmt.Fprintln(hash, splitting, l.LlamaVocabType(m.vocab), l.LlamaVocabBos(m.vocab), l.LlamaVocabEos(m.vocab),
		l.LlamaVocabGetAddBos(m.vocab), l.LlamaVocabGetAddEos(m.vocab))
	for token := range m.Tokens() {
		fmt.Fprintf(hash, "%d %q\n", l.LlamaVocabGetAttr(m.vocab, token), m.text(token))
	}
	return hex.EncodeToString(hash.Sum(nil))
}
