package samplesize

import (
	"cmp"
	"fmt"
	"math"

	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/budget"
)

// A Plan is a possible run: its number of questions, and its cost for one model.
type Plan struct {
	Task       string  `json:"task"`
	Data       string  `json:"data"`
	Published  bool    `json:"published,omitempty"` // its questions are the published ones
	Confidence float64 `json:"confidence"`
	Repeats    int     `json:"repeats,omitempty"` // how often every item is asked; 0 for once
	Size
	Items  int    `json:"items"` // repeats included
	Tokens Tokens `json:"tokens"`
	Time   *Time  `json:"time,omitempty"` // where a speed is known

	dependent bool // items of a question depend on each other, and the headline counts items
}

// Tokens are the numbers that a run reads and writes.
type Tokens struct {
	Prompt       int    `json:"prompt"`          // every prompt in full
	Shared       int    `json:"shared"`          // every subject's preamble once, and the items' own parts
	Output       int    `json:"output"`          // expected
	OutputEach   int    `json:"output_per_item"` // expected
	OutputSource string `json:"output_source"`   // where the number of output tokens comes from
	CountedBy    string `json:"counted_by"`      // the tokenizer for the prompts
	Estimated    bool   `json:"estimated"`       // no tokenizer counted them
}

// Time is how long a run takes.
type Time struct {
	ask.Takes
	Prefill float64 `json:"prefill_tokens_per_second"`
	Decode  float64 `json:"decode_tokens_per_second"` // all slots together
	Source  string  `json:"source"`
	Rough   bool    `json:"estimated,omitempty"` // by a second's measurement
}

// A Pace is a model's speed and the length of its completions.
type Pace struct {
	Output          budget.Length // zero for [budget.Assumed]
	CharsPerToken   float64       // of prompts; 0 for [ask.CharsPerToken]
	Prefill, Decode float64       // tokens a second; 0 where unknown
	Efficiency      float64       // work at that speed, as a share of the wall time; 0 for all of it
	Source          string        // of the speed
	Rough           bool          // it was measured in a second
}

// Prompts are the size of a plan's prompts, and who counted it.
type Prompts struct {
	ask.Cost
	CountedBy string // empty for an estimate from characters
}

// New makes a plan.
func New(name, data string, aim Aim, size Size, repeats int, prompts Prompts, pace Pace) Plan {
	kind, _ := task.Lookup(name)
	switch {
	case kind.Direct:
		pace.Output = budget.Length{Source: "direct: nothing is generated"}
	case pace.Output.Tokens == 0:
		pace.Output = budget.Assumed(math.MaxInt)
	}
	output := pace.Output
	p := Plan{
		Task: name, Data: data, Confidence: aim.Confidence, Size: size, Items: prompts.Items,
		Tokens: Tokens{
			Prompt: prompts.PromptTokens, Shared: prompts.SharedTokens,
			Output: output.Tokens * prompts.Items, OutputEach: output.Tokens, OutputSource: output.Source, CountedBy: prompts.CountedBy,
		},
		dependent: prompts.Items > prompts.Questions && kind.Headline != task.Perf,
	}
	if repeats > 1 {
		p.Repeats = repeats
	}
	if p.Tokens.CountedBy == "" {
		p.Tokens.CountedBy, p.Tokens.Estimated = fmt.Sprintf("%g characters a token", ask.CharsPerToken), true
		if pace.CharsPerToken > 0 {
			p.Tokens.CountedBy = fmt.Sprintf("%.3g characters a token, as in %s", pace.CharsPerToken, pace.Source)
		}
	}
	if pace.Prefill > 0 && (pace.Decode > 0 || p.Tokens.Output == 0) {
		writing := 0.0
		if p.Tokens.Output > 0 {
			writing = float64(p.Tokens.Output) / pace.Decode
		}
		takes := ask.TakesOf(float64(p.Tokens.Shared)/pace.Prefill, writing, output, ask.Pace{Rough: pace.Rough})
		p.Time = &Time{takes.Times(1 / cmp.Or(pace.Efficiency, 1)), pace.Prefill, pace.Decode, pace.Source, pace.Rough}
	}
	return p
}
