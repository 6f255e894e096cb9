package task

import (
	"regexp"
	"strings"
)

// An About is the subject of a true-or-false item: whether an option is the right answer to a question.
type About struct{ Option, Question string }

// asks stands between option and question in the sentence of MMLU-Pro Binary.
const asks = " the correct answer to the question: "

// String is the sentence as the README's example of MMLU-Pro Binary has it.
func (a About) String() string { return "Is " + a.Option + asks + "'" + a.Question + "'" }

// StyleOfMax is the style that asks as MMLU-Pro-Max does, without its version; promptOfMax matches its prompt.
const StyleOfMax = "binary-nvidia"

var promptOfMax = regexp.MustCompile(`(?s)^(?:.*?Question: )?(.*)\nAnswer: (.*)\nLet’s think step by step`)

// ReadAbout finds the sentence that a text ends with, or the prompt of MMLU-Pro-Max, and says which built-in style asks so, without its
// version; empty for none.
func ReadAbout(text string) (a About, style string) {
	head, question, found := strings.Cut(text, asks)
	_, option, prefixed := strings.Cut(head, "Is ")
	if option = strings.TrimSpace(option); found && prefixed && option != "" {
		return About{option, unquoted(strings.TrimSpace(question))}, "binary"
	}
	if m := promptOfMax.FindStringSubmatch(text); m != nil {
		return About{m[2], m[1]}, StyleOfMax
	}
	return About{}, ""
}

// unquoted is the question that a sentence ends with: in quotes, with a mark behind them or without one, or with a mark and no quotes,
// as the README describes it.
func unquoted(question string) string {
	text := strings.TrimSuffix(question, "?")
	if inner, opened := strings.CutPrefix(text, "'"); opened && strings.HasSuffix(inner, "'") {
		return inner[:len(inner)-1]
	}
	return text
}
