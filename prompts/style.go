package prompts

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

// A Style is a named, versioned prompt layout: the same version renders the same bytes for ever. Each is a file that
// [ParseStyle] reads.
type Style struct {
	Name    string   `json:"name"` // "tiger@1"
	Summary string   `json:"summary,omitempty"`
	Stop    []string `json:"stop,omitempty"` // end a completion; the model is about to make up the next question
	Rules   string   `json:"rules"`          // the rule set that answers in this form are marked with
	Text    string   `json:"text"`           // the file's
	BuiltIn bool     `json:"-"`

	items       items
	asksOption  bool // says the option that a true-or-false item asks about
	keepsFiller bool // shows filler options like any other
	shotsOfSet  bool // shows the set's first shots for every subject, instead of the subject's own

	// The sections; nil where the file has none.
	system, instruction, shot, shotAnswer, question, leadIn *section
}

// items are the kinds of items that a style lays out.
type items string

const (
	anyItems  items = "any"
	questions items = "questions"     // with the set's options
	verdicts  items = "true-or-false" // with True and False
)

// A Shot is a worked example in two pieces, for layouts in turns. In a raw prompt Answer follows Ask directly.
type Shot struct {
	Ask    string
	Answer string
}

//go:embed styles/*.style
var styleFiles embed.FS

// Styles are all built-in styles, the default first. Of several versions the latest comes first.
var Styles = builtIn("tiger@1", "lm-eval@1", "evalscope@1", "agi-evals@1", "binary@2", "binary@1",
	"tiger-direct@1", "lm-eval-direct@1", "evalscope-direct@1", "agi-evals-direct@1", "binary-direct@2", "binary-direct@1")

func builtIn(names ...string) []Style {
	styles := make([]Style, len(names))
	for i, name := range names {
		text, err := styleFiles.ReadFile("styles/" + name + ".style")
		if err != nil {
			panic(err)
		}
		if styles[i], err = parseStyle(name, string(text)); err != nil {
			panic(err)
		}
		styles[i].BuiltIn = true
	}
	return styles
}

// Published are the styles of other harnesses' tasks that ask MMLU-Pro otherwise than [Styles] do, each for itself.
var Published = builtIn("opencompass@1", "lm-eval-llama@1", "leaderboard-direct@1", "binary-nvidia@1")

// LookupStyle finds a built-in style by name; without a version it finds the latest.
func LookupStyle(name string) (Style, error) {
	var names []string
	for _, style := range slices.Concat(Styles, Published) {
		base, _, _ := strings.Cut(style.Name, "@")
		if name == style.Name || name == base {
			return style, nil
		}
		names = append(names, style.Name)
	}
	return Style{}, fmt.Errorf("unknown style %q; there are %s, or give a file", name, strings.Join(names, ", "))
}

// LaysOut says whether the style has a prompt for the items of a task.
func (s Style) LaysOut(t task.Task) bool {
	if t.Variants == task.EachOption {
		return s.items != questions && s.asksOption
	}
	return s.items != verdicts
}

// sample is a question to try a style's templates with.
var sample = dataset.Question{Subject: "math", Text: "Is this so?", Options: []string{"True", "False"}, Answer: "A",
	CoT: cotOpening + " So."}

// try renders the style once, and finds whether its prompts depend on the option that a true-or-false item asks about.
func (s *Style) try() error {
	var asks, shows []string
	for _, option := range []string{"", "1", "2"} {
		v := &values{question: sample, option: option, shots: 1}
		for _, section := range []*section{s.system, s.instruction, s.shotAnswer} {
			if _, err := section.render(v); err != nil {
				return err
			}
		}
		shown, err := s.shot.render(v)
		if err != nil {
			return err
		}
		asked, err := s.ask(v)
		if err != nil {
			return err
		}
		asks, shows = append(asks, asked), append(shows, shown)
	}
	s.asksOption = asks[1] != asks[2] && (s.shot == nil || shows[1] != shows[2])
	return nil
}

// ShowsShots says whether the style has a place for shots.
func (s Style) ShowsShots() bool { return s.shotAnswer != nil }

// prepare gives a question the options that the style shows. Only MMLU-Pro has filler; elsewhere N/A is an option.
func (s Style) prepare(set *dataset.Set, q dataset.Question) dataset.Question {
	if s.keepsFiller || set.Published == "" {
		return q
	}
	return q.WithoutFiller()
}

// turns renders what all items of a subject share, in pieces.
func (s Style) turns(subject string, shots []variant) (*Turns, error) {
	if len(shots) > 0 && s.shotAnswer == nil {
		return nil, fmt.Errorf("style %s has no section shot-answer, so it can show no shots: give %s, or the section",
			s.Name, setting.Shots.As("0"))
	}
	v := &values{shots: len(shots), question: dataset.Question{Subject: subject}}
	turns := &Turns{}
	var err error
	if turns.System, err = s.system.render(v); err != nil {
		return nil, err
	}
	if turns.Instruction, err = s.instruction.render(v); err != nil {
		return nil, err
	}
	for _, shown := range shots {
		v.question, v.option = shown.question, shown.option
		var shot Shot
		if shot.Answer, err = s.shotAnswer.render(v); err != nil {
			return nil, err
		}
		if s.shot != nil {
			shot.Ask, err = s.shot.render(v)
		} else {
			shot.Ask, err = s.ask(v)
		}
		if err != nil {
			return nil, err
		}
		turns.Shots = append(turns.Shots, shot)
	}
	return turns, nil
}

// ask renders an item's own part.
func (s Style) ask(v *values) (string, error) {
	question, err := s.question.render(v)
	if err != nil {
		return "", err
	}
	leadIn, err := s.leadIn.render(v)
	return question + leadIn, err
}

// stylesThatLayOut names the built-in styles for a task.
func stylesThatLayOut(t task.Task) string {
	var names []string
	for _, s := range slices.Concat(Styles, Published) {
		if s.LaysOut(t) {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, ", ")
}
