package prompts

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

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
	system, instruction, shot, shotAnswer, question, leadIn *template.Template
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
	if style, ok := proxStyle(name); ok {
		return style, nil
	}
	names = append(names, "mmlu-prox-LANGUAGE ("+strings.Join(ProxLanguages(), ", ")+")")
	return Style{}, fmt.Errorf("unknown style %q; there are %s, or give a file", name, strings.Join(names, ", "))
}

// LaysOut says whether the style has a prompt for the items of a task.
func (s Style) LaysOut(t task.Task) bool {
	if t.Variants == task.EachOption {
		return s.items != questions && s.asksOption
	}
	return s.items != verdicts
}

// saysOption says whether a section's text depends on the option of a true-or-false item.
func saysOption(section *template.Template) bool {
	v := &values{question: dataset.Question{Options: []string{"True", "False"}}, option: "1"}
	one := render(section, v)
	v.option = "2"
	return one != render(section, v)
}

// ShowsShots says whether the style has a place for shots.
func (s Style) ShowsShots() bool { return s.shotAnswer != nil }

// prepare gives a question the options that the style shows.
func (s Style) prepare(q dataset.Question) dataset.Question {
	if s.keepsFiller {
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
	turns := &Turns{System: render(s.system, v), Instruction: render(s.instruction, v)}
	for _, shown := range shots {
		v.question, v.option = shown.question, shown.option
		shot := Shot{Answer: render(s.shotAnswer, v)}
		if s.shot != nil {
			shot.Ask = render(s.shot, v)
		} else {
			shot.Ask = s.ask(v)
		}
		turns.Shots = append(turns.Shots, shot)
	}
	return turns, nil
}

// ask renders an item's own part.
func (s Style) ask(v *values) string { return render(s.question, v) + render(s.leadIn, v) }

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
