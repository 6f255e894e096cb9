package prompts

import (
	"cmp"
	"strings"
	"text/template"

	"proctor/prompts/dataset"
)

// A scope says which fields a template can use: each scope has the fields of those before it too.
type scope int

const (
	ofSubject  scope = iota // a subject, whose items share what is rendered
	ofQuestion              // a question of an item
	ofShot                  // a question that is shown with its answer
)

// values are what a template's fields are made of.
type values struct {
	question dataset.Question // its Subject is the prompt's
	option   string           // that a true-or-false item asks about
	shots    int
}

// An option is one of a question's, within range.
type option struct {
	Letter, Text string
	Number       int
}

// fields are those that a template of the scope can name.
func (v *values) fields(of scope) map[string]any {
	q := v.question
	all := map[string]any{"Subject": q.Subject, "Shots": v.shots}
	if of == ofSubject {
		return all
	}
	options, letters := make([]option, len(q.Options)), make([]string, len(q.Options))
	var lines strings.Builder
	for i, text := range q.Options {
		letters[i] = dataset.Letter(i)
		options[i] = option{letters[i], text, i + 1}
		lines.WriteString(letters[i] + ". " + text + "\n")
	}
	all["Question"], all["Option"] = q.Text, v.option
	all["Options"], all["OptionLines"], all["Letters"] = options, lines.String(), letters
	if of == ofShot {
		all["Answer"], all["AnswerText"] = q.Answer, q.Options[q.Gold()]
		all["Reasoning"], all["CoT"], all["Rationale"] = reasoning(q), cmp.Or(q.CoT, reasoning(q)), rationale(q)
	}
	return all
}

// functions are those that templates can call besides text/template's own.
var functions = template.FuncMap{
	"lower":    strings.ToLower,
	"upper":    strings.ToUpper,
	"trim":     strings.TrimSpace,
	"restate":  restate,
	"conclude": conclude,
	"join":     func(separator string, letters []string) string { return strings.Join(letters, separator) },
	"replace":  func(old, with, text string) string { return strings.ReplaceAll(text, old, with) },
}
