// Package parity finds the prompts that a model's file splits into other tokens than another tokenizer does, such as the tokenizer of the model
// that the file was converted from. A wrong vocabulary, pre-tokenizer or BOS costs points, and shows nowhere else.
//
// The other tokens come from a file of JSON Lines, which `proctor render --all --model` writes of a GGUF file, and the script in
// docs/quants.md of a tokenizer.json: tokenizers of other formats are not computed here.
package parity

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// A Model is the tokenizer to compare; isolated.Vocabulary is one.
type Model interface {
	Tokenize(prompt string) ([]int32, error)
	Piece(token int32) string
}

// A prompt is a line of the file.
type prompt struct {
	ID     string           `json:"id"`
	Text   string           `json:"prompt"`
	Tokens []int32          `json:"tokens"`
	Pieces map[int32]string `json:"pieces"` // texts of tokens, each with the first prompt that has it; none where the file has no texts
}

// A Result counts prompts. No prompt counts twice.
type Result struct {
	Prompts int         `json:"prompts"`
	Differ  int         `json:"differ"`          // with other tokens of the text
	Around  int         `json:"differ_around"`   // with the same ones, and one more before or behind, such as BOS
	First   *Difference `json:"first,omitempty"` // the first that differs, or where none does, the first that differs around its text
}

// Same says whether all prompts have the same tokens.
func (r Result) Same() bool { return r.Differ+r.Around == 0 }

// A Difference is the first of a prompt.
type Difference struct {
	ID     string  `json:"id"`
	At     int     `json:"at"`     // how many tokens are the same before it
	Behind string  `json:"behind"` // what the last of those say
	Model  []Token `json:"model"`  // the next ones
	Other  []Token `json:"other"`
}

// A Token has its text where that is known.
type Token struct {
	ID    int32  `json:"id"`
	Piece string `json:"piece,omitempty"`
}

// A difference shows shownBefore tokens before it, and shown tokens from either side.
const (
	shownBefore = 8
	shown       = 4
)

// ErrNotTokens is the error of a file without prompts and their tokens, such as a tokenizer's own file.
var ErrNotTokens = errors.New("not a line with a prompt and its tokens")

// Compare tokenizes each prompt of a file with a model.
func Compare(file io.Reader, model Model) (r Result, err error) {
	pieces := map[int32]string{}
	for lines := json.NewDecoder(file); ; {
		var p prompt
		err := lines.Decode(&p)
		switch {
		case errors.Is(err, io.EOF) && r.Prompts > 0:
			return r, nil
		case err != nil || p.Text == "" || len(p.Tokens) == 0:
			return r, fmt.Errorf("prompt %d: %w", r.Prompts+1, ErrNotTokens)
		}
		maps.Copy(pieces, p.Pieces)
		own, err := model.Tokenize(p.Text)
		if err != nil {
			return r, fmt.Errorf("prompt %s: %w", p.ID, err)
		}
		r.add(p, own, model.Piece, pieces)
	}
}

// add counts a prompt that the model splits into its own tokens.
func (r *Result) add(p prompt, own []int32, piece func(int32) string, pieces map[int32]string) {
	r.Prompts++
	if slices.Equal(own, p.Tokens) {
		return
	}
	around := sameText(own, p.Tokens) || sameText(p.Tokens, own)
	if r.First == nil || !around && r.Differ == 0 {
		r.First = p.difference(own, piece, pieces)
	}
	if around {
		r.Around++
	} else {
		r.Differ++
	}
}

// sameText says whether some tokens are others with one more before them, behind them, or both.
func sameText(more, tokens []int32) bool {
	n := len(tokens)
	switch len(more) - n {
	case 1:
		return slices.Equal(more[1:], tokens) || slices.Equal(more[:n], tokens)
	case 2:
		return slices.Equal(more[1:1+n], tokens)
	}
	return false
}

// difference is the first one between the prompt's tokens and a model's own.
func (p prompt) difference(own []int32, piece func(int32) string, pieces map[int32]string) *Difference {
	other, at := p.Tokens, 0
	for at < min(len(own), len(other)) && own[at] == other[at] {
		at++
	}
	d := &Difference{ID: p.ID, At: at, Model: []Token{}, Other: []Token{}}
	for _, token := range own[max(0, at-shownBefore):at] {
		d.Behind += piece(token)
	}
	for _, token := range own[at:min(len(own), at+shown)] {
		d.Model = append(d.Model, Token{token, piece(token)})
	}
	for _, token := range other[at:min(len(other), at+shown)] {
		d.Other = append(d.Other, Token{token, pieces[token]})
	}
	return d
}
