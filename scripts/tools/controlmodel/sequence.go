//go:build cgo

package main

import (
	"proctor/scripts/tools/questions"
)

// How much a token's prediction counts. Of the prompt's tokens only some are predicted at all, which is cheaper.
const (
	promptShare  = 0.2
	promptWeight = 0.2
	plainWeight  = 1.0
	resultWeight = 2.0
	letterWeight = 4.0
)

// script builds a training sequence from pieces of text. Pieces meet where the tokenizer would split anyway, so the
// tokens are those of the whole text.
type script struct {
	questions.Source
	vocabulary *Vocabulary
	tokens     []int32
	weights    []float32 // of predicting tokens[i]
	joints     []int     // where positions may jump
}

func (s *script) add(ids []int32, weight float32) {
	s.tokens = append(s.tokens, ids...)
	for range ids {
		s.weights = append(s.weights, weight)
	}
}

// prompt adds text that is given to the model.
func (s *script) prompt(text string) []int32 {
	ids := s.vocabulary.Encode(text)
	s.tokens = append(s.tokens, ids...)
	for range ids {
		weight := float32(0)
		if s.Float64() < promptShare {
			weight = promptWeight
		}
		s.weights = append(s.weights, weight)
	}
	return ids
}

// say adds text that the model is to write itself.
func (s *script) say(text string, weight float32) { s.add(s.vocabulary.Encode(text), weight) }

func (s *script) special(name string, weight float32) {
	s.add([]int32{s.vocabulary.Special(name)}, weight)
}

// opens begins a chat turn of a role.
func (s *script) opens(role string) {
	s.special(role, 0)
	s.prompt("\n")
}

// reply closes the user's turn and opens the assistant's.
func (s *script) reply() {
	s.opens(turnToken)
	s.opens(assistantToken)
}

func (s *script) joint() { s.joints = append(s.joints, len(s.tokens)) }

// sequence sets positions: they follow each other, except that half of the sequences jump ahead between shots, so that
// a short sequence shows distances up to reach.
func (s *script) sequence() Sequence {
	n := len(s.tokens) - 1
	q := Sequence{Tokens: s.tokens[:n], Positions: make([]int32, n)}
	jumps := make([]int32, n+1)
	if slack := reach - n; slack > 0 && len(s.joints) > 0 && s.IntN(2) == 0 {
		slack = s.IntN(slack)
		for range 3 {
			part := s.IntN(slack + 1)
			jumps[s.joints[s.IntN(len(s.joints))]] += int32(part)
			slack -= part
		}
	}
	position := int32(0)
	for i := range n {
		position += jumps[i]
		q.Positions[i] = position
		position++
		if weight := s.weights[i+1]; weight > 0 {
			q.Rows = append(q.Rows, int32(i))
			q.Targets = append(q.Targets, s.tokens[i+1])
			q.Weights = append(q.Weights, weight)
		}
	}
	return q
}
