//go:build cgo

package main

import (
	"strings"

	"proctor/scripts/tools/questions"
)

// style is a prompt layout, as package prompts renders it.
type style int

const (
	styleTiger style = iota
	styleLMEval
	styleEvalscope
	styleBinary
)

const (
	letterRule = `Think step by step and then finish your answer with "the answer is (X)" where X is the correct letter choice.`
	labelRule  = `Think step by step and then finish your answer with 'ANSWER: [LETTER]' (without quotes) ` +
		`where [LETTER] is the correct letter choice.`
	answerCue = "Answer: Let's think step by step."
)

var layouts = [...]struct {
	rule string // ends what opens a prompt of several shots
	cue  string // opens a chain of thought
	mark string // between an option's letter and its text
}{
	styleTiger:     {letterRule + "\n\n\n\n", answerCue, ". "},
	styleLMEval:    {letterRule + "\n", answerCue, ". "},
	styleEvalscope: {labelRule + "\n\n", "A: Let's think step by step.", " "},
	styleBinary:    {letterRule + "\n\n\n\n", answerCue, ". "},
}

// preamble opens a prompt of several shots.
func (s style) preamble(subject string) string {
	return "The following are multiple choice questions (with answers) about " + subject + ". " + layouts[s].rule
}

// instruction stands before evalscope's last question, which has count options.
func instruction(count int) string {
	letters := strings.Split("ABCDEFGHIJ", "")[:count]
	return "Answer the following multiple choice question. The last line of your response should be of the following format: " +
		"'ANSWER: [LETTER]' (without quotes) where [LETTER] is one of " + strings.Join(letters, ",") +
		". Think step by step before answering.\n\n"
}

// verdict ends a completion: what stands before the letter, and the letter with what closes it. lead is as in
// [example.complete].
func (s style) verdict(index int, lead string) (before, last string) {
	letter := questions.Letter(index)
	switch {
	case s != styleEvalscope:
		return " The answer is (", letter + ")."
	case lead == "":
		return "\nANSWER:", " " + letter
	}
	return " ANSWER:", " " + letter + "."
}
