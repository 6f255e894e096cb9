package prompts

import (
	"cmp"
	"maps"
	"slices"
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

// A kind is the type of a template expression's value.
type kind string

const (
	aText      kind = "a text"
	aNumber    kind = "a number"
	aTruth     kind = "true or false"
	someTexts  kind = "a list of letters"
	theOptions kind = "the options"
	anything   kind = "any value"
)

// values are the data of a template: its exported methods are the fields of a prompt.
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

func (v *values) Subject() string    { return v.question.Subject }
func (v *values) Shots() int         { return v.shots }
func (v *values) Question() string   { return v.question.Text }
func (v *values) Option() string     { return v.option }
func (v *values) Answer() string     { return v.question.Answer }
func (v *values) AnswerText() string { return v.question.Options[v.question.Gold()] }
func (v *values) Reasoning() string  { return reasoning(v.question) }
func (v *values) CoT() string        { return cmp.Or(v.question.CoT, reasoning(v.question)) }
func (v *values) Rationale() string  { return rationale(v.question) }

func (v *values) Options() []option {
	all := make([]option, len(v.question.Options))
	for i, text := range v.question.Options {
		all[i] = option{dataset.Letter(i), text, i + 1}
	}
	return all
}

func (v *values) OptionLines() string {
	var b strings.Builder
	for _, o := range v.Options() {
		b.WriteString(o.Letter + ". " + o.Text + "\n")
	}
	return b.String()
}

func (v *values) Letters() []string {
	letters := make([]string, len(v.question.Options))
	for i := range letters {
		letters[i] = dataset.Letter(i)
	}
	return letters
}

// A field is one that templates can name.
type field struct {
	scope scope
	kind  kind
}

// fields are those of a prompt, by name.
var fields = map[string]field{
	"Subject":     {ofSubject, aText},
	"Shots":       {ofSubject, aNumber},
	"Question":    {ofQuestion, aText},
	"Option":      {ofQuestion, aText},
	"Options":     {ofQuestion, theOptions},
	"OptionLines": {ofQuestion, aText},
	"Letters":     {ofQuestion, someTexts},
	"Answer":      {ofShot, aText},
	"AnswerText":  {ofShot, aText},
	"Reasoning":   {ofShot, aText},
	"CoT":         {ofShot, aText},
	"Rationale":   {ofShot, aText},
}

// optionFields are those of an option, within range.
var optionFields = map[string]field{
	"Letter": {ofQuestion, aText},
	"Text":   {ofQuestion, aText},
	"Number": {ofQuestion, aNumber},
}

// A function is one that templates can call.
type function struct {
	usage string
	args  []kind
	gives kind
	call  any
}

// functions are those that templates can call, by name.
var functions = map[string]function{
	"lower":    {"lower TEXT", []kind{aText}, aText, strings.ToLower},
	"upper":    {"upper TEXT", []kind{aText}, aText, strings.ToUpper},
	"trim":     {"trim TEXT", []kind{aText}, aText, strings.TrimSpace},
	"restate":  {"restate PHRASE TEXT", []kind{aText, aText}, aText, restate},
	"conclude": {"conclude PHRASE TEXT", []kind{aText, aText}, aText, conclude},
	"eq":       {"eq TEXT TEXT", []kind{aText, aText}, aTruth, func(a, b string) bool { return a == b }},
	"join": {"join SEPARATOR LETTERS", []kind{aText, someTexts}, aText,
		func(separator string, letters []string) string { return strings.Join(letters, separator) }},
	"replace": {"replace OLD NEW TEXT", []kind{aText, aText, aText}, aText,
		func(old, with, text string) string { return strings.ReplaceAll(text, old, with) }},
	"not": {"not VALUE", []kind{anything}, aTruth, func(v any) bool {
		truth, _ := template.IsTrue(v)
		return !truth
	}},
}

// calls are the functions as text/template takes them.
var calls = func() template.FuncMap {
	all := template.FuncMap{}
	for name, f := range functions {
		all[name] = f.call
	}
	return all
}()

func names[T any](table map[string]T) []string {
	return slices.Sorted(maps.Keys(table))
}
