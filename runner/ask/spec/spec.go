// Package spec specifies a run: its questions, prompts, model, sampling, when it ends and how it is marked, as one typed value, the
// [Spec]. Each of its fields is declared once, with its flag and its [Nature] in tags:
//
//	MaxTokens int `flag:"max-tokens" is:"identity" from:"1"`
//
// From these come the flags of every command that asks, the journal's flags ([Spec.Flags], [Read]), the rules for resuming ([Of],
// [Resume]), and what a file from elsewhere must not decide ([Claims]). Flags without a field concern one call, such as --quiet.
//
// Neighbours: the command line fills a Spec, package ask runs it, the journal keeps its flags.
package spec

import (
	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/mark/pairs"
)

// A Spec specifies a run. Its zero value is not valid: start with [Default].
type Spec struct {
	Questions
	Repeats int `flag:"repeats" is:"identity" from:"1" to:"1000"` // how often every item is asked
	Prompts
	Ending
	backends.Settings
	Answers
	Rules Rules `flag:"rules" is:"identity"` // that answers are found by; zero for the style's
}

// Data says where questions come from.
type Data struct {
	Ref       string `flag:"data" is:"input"`       // see [dataset.Open]
	Map       Map    `flag:"map" is:"input"`        // assigns columns to fields
	Split     string `flag:"split" is:"input"`      // the split of a folder to ask; empty for test
	ShotsFile string `flag:"shots-file" is:"input"` // of the worked examples; empty for the set's own
}

// Questions say which questions are asked, and in which layout.
type Questions struct {
	Data
	System   System   `flag:"system" is:"identity"`
	Tasks    string   `flag:"tasks" is:"identity"` // a list, see [task.Parse]
	Direct   bool     `flag:"direct" is:"identity"`
	Subjects Subjects `flag:"subjects" is:"identity"`
	IDs      IDs      `flag:"ids" is:"identity"`
	Limit    Limit    `flag:"limit" is:"identity"`
	First    bool     `flag:"first" is:"identity"`
	Seed     uint64   `flag:"seed" is:"identity"` // of the draw, and of sampling
	Shots    Shots    `flag:"shots" is:"identity"`
	Style    Style    `flag:"style" is:"identity"`
	Pattern  string   `flag:"pattern" is:"identity"` // of the orders of the options
}

// Prompts say how a model gets its prompts, and how long it may think.
type Prompts struct {
	Prompt       string    `flag:"prompt" is:"identity" of:"raw,chat,turns,auto"`
	ChatTemplate Template  `flag:"chat-template" is:"identity"`
	TemplateArgs Arguments `flag:"template-arg" is:"identity" times:"many"`
	Effort       string    `flag:"reasoning-effort" is:"identity"`
	Think        string    `flag:"think" is:"identity" of:"auto,on,off"`
	Marks        Marks     `flag:"think-marks" is:"identity"`
	Budgets      Budgets   `flag:"think-budget" is:"identity"`
}

// Ending says how often items are asked, when the run ends, and what is kept.
type Ending struct {
	UntilDecided string  `flag:"until-decided" is:"input"` // the reference run
	Margin       Points  `flag:"margin" is:"identity"`
	Alpha        float64 `is:"identity"` // chance of a wrong decision; 0: that of one decision. A sweep divides it among its candidates
	Shard        Shard   `flag:"shard" is:"identity"`
}

// Answers say how tokens are drawn, and how many.
type Answers struct {
	MaxTokens   int     `flag:"max-tokens" is:"identity" from:"1"` // 0: [DefaultCap]; of the answer alone where thinking has a budget
	Temperature float64 `flag:"temperature" is:"identity" from:"0" to:"100"`
	Sampling    Draw    `flag:"sampling" is:"identity"`
	Loops       string  `flag:"loops" is:"identity" of:"end,go-on"`
	Stop        Stop    `flag:"stop" is:"identity" times:"many"`
}

// DefaultCap is the default cap on a completion's tokens.
const DefaultCap = 2048

// Embedded is the default model.
const Embedded = "embedded"

// Default is a run without any flag.
func Default() Spec {
	var s Spec
	s.Tasks, s.Shots, s.Repeats = task.All[0].Name, AutoShots, 1
	s.Prompt, s.Think, s.Loops = "raw", setting.Auto, "end"
	s.Margin, s.Model, s.KVType, s.Kernels = pairs.DefaultMargin, Embedded, "f16", setting.Auto
	s.Sampling.TopP = 1
	return s
}

// Cap is the cap on a completion's tokens; of the answer alone where thinking has a budget.
func (a Answers) Cap() int {
	if a.MaxTokens > 0 {
		return a.MaxTokens
	}
	return DefaultCap
}

// Drawn is the run's sampling, except where the model's own is used.
func (s *Spec) Drawn() backends.Sampling {
	drawn := s.Sampling.Sampling
	drawn.Temperature, drawn.Seed = s.Temperature, uint32(s.Seed)
	return drawn
}

// Thinks is whether the model is to think; nil leaves it to the model.
func (p Prompts) Thinks() *bool {
	if p.Think == setting.Auto || p.Think == "" {
		return nil
	}
	return new(p.Think == "on")
}
