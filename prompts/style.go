package prompts

import (
	"fmt"
	"strings"

	"proctor/prompts/dataset"
)

// A Style is a named, versioned prompt layout: the same version renders the same bytes for ever.
type Style struct {
	Name    string // "tiger@1"
	Summary string
	Stop    []string // end a completion; the model is about to make up the next question
	Rules   string   // the rule set that the style's own harness marks with

	trueOrFalse bool // lays out true-or-false items, and nothing else
	keepsFiller bool // shows filler options like any other
	shotsOnly   bool // has an instruction only where there are shots

	instruction func(subject string) string
	gap         string // between the instruction and what follows
	shot        func(q dataset.Question) Shot
	ask         func(q dataset.Question) string
}

// A Shot is a worked example in two pieces, for layouts in turns. In a raw prompt Answer follows Ask directly.
type Shot struct {
	Ask    string
	Answer string
}

// betweenShots follows every shot, in all styles.
const betweenShots = "\n\n"

// Styles are all styles there are, the default first. Of several versions the latest comes first.
var Styles = []Style{
	{
		Name:        "tiger@1",
		Summary:     "the MMLU-Pro authors' local script (evaluate_from_local.py)",
		Stop:        []string{"Question:"},
		Rules:       "tiger",
		instruction: instruction,
		gap:         "\n\n\n\n",
		shot:        tigerShot,
		ask:         tigerAsk,
	},
	{
		Name:        "lm-eval@1",
		Summary:     "lm-evaluation-harness, mmlu_pro version 3.1: options trimmed, filler kept",
		Stop:        []string{"Question:"},
		Rules:       "lm-eval",
		keepsFiller: true,
		instruction: instruction,
		gap:         "\n",
		shot:        func(q dataset.Question) Shot { return tigerShot(trimmed(q)) },
		ask:         func(q dataset.Question) string { return tigerAsk(trimmed(q)) },
	},
	{
		Name:        "evalscope@1",
		Summary:     "evalscope's mmlu_pro: answers as ANSWER: X, no stop string",
		Rules:       "evalscope",
		keepsFiller: true,
		shotsOnly:   true,
		instruction: evalscopeInstruction,
		gap:         "\n\n",
		shot:        evalscopeShot,
		ask:         evalscopeAsk,
	},
	{
		Name:        "binary@1",
		Summary:     "tiger@1's layout for true-or-false items",
		Stop:        []string{"Question:"},
		Rules:       "binary",
		trueOrFalse: true,
		instruction: instruction,
		gap:         "\n\n\n\n",
		shot:        tigerShot,
		ask:         tigerAsk,
	},
}

// LookupStyle finds a style by name; without a version it finds the latest.
func LookupStyle(name string) (Style, error) {
	names := make([]string, len(Styles))
	for i, style := range Styles {
		base, _, _ := strings.Cut(style.Name, "@")
		if name == style.Name || name == base {
			return style, nil
		}
		names[i] = style.Name
	}
	return Style{}, fmt.Errorf("prompts: unknown style %q; there are %s", name, strings.Join(names, ", "))
}

// prepare gives a question the options that the style shows.
func (s Style) prepare(q dataset.Question) dataset.Question {
	if s.keepsFiller {
		return q
	}
	return q.WithoutFiller()
}

// turns renders what all items of a subject share, in pieces.
func (s Style) turns(subject string, shots []dataset.Question) *Turns {
	turns := &Turns{}
	if len(shots) > 0 || !s.shotsOnly {
		turns.Instruction = s.instruction(subject)
	}
	for _, q := range shots {
		turns.Shots = append(turns.Shots, s.shot(q))
	}
	return turns
}

// preamble joins the pieces to the text before an item's own.
func (s Style) preamble(turns *Turns) string {
	if turns.Instruction == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(turns.Instruction)
	b.WriteString(s.gap)
	for _, shot := range turns.Shots {
		b.WriteString(shot.Ask)
		b.WriteString(shot.Answer)
		b.WriteString(betweenShots)
	}
	return b.String()
}
