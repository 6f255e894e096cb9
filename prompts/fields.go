package prompts

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"text/template"

	"proctor/prompts/dataset"
)

// A scope is what a template can name: each has the fields of those before it too.
type scope int

const (
	ofSubject  scope = iota // a subject, whose items share what is rendered
	ofQuestion              // a question that is asked
	ofShot                  // a question that is shown with its answer
)

// A kind is what an expression of a template gives.
type kind string

const (
	aText      kind = "a text"
	aNumber    kind = "a number"
	aTruth     kind = "true or false"
	someTexts  kind = "a list of letters"
	theOptions kind = "the options"
	anything   kind = "any value"
)

// values are what a template is rendered with: its exported methods are the fields of a prompt.
type values struct {
	question dataset.Question // its Subject is that of the prompt
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
	doc   string
}

// fields are those of a prompt, by name.
var fields = map[string]field{
	"Subject":     {ofSubject, aText, "the subject's name"},
	"Shots":       {ofSubject, aNumber, "how many shots the prompt has, a number"},
	"Question":    {ofQuestion, aText, "the question's text"},
	"Options":     {ofQuestion, theOptions, "the options, for range"},
	"OptionLines": {ofQuestion, aText, `the options, each on a line as "A. text"`},
	"Letters":     {ofQuestion, someTexts, "the options' letters, for join"},
	"Answer":      {ofShot, aText, "the gold letter"},
	"AnswerText":  {ofShot, aText, "the gold option"},
	"Reasoning":   {ofShot, aText, `the worked reasoning, which ends in "The answer is (X)."`},
	"CoT":         {ofShot, aText, "the reasoning as the set has it"},
	"Rationale":   {ofShot, aText, "the reasoning without that end; may be empty"},
}

// optionFields are those of an option, within range.
var optionFields = map[string]field{
	"Letter": {ofQuestion, aText, "its letter"},
	"Text":   {ofQuestion, aText, "its text"},
	"Number": {ofQuestion, aNumber, "its number, 1 for the first"},
}

// A function is one that templates can call.
type function struct {
	usage, doc string
	args       []kind
	gives      kind
	call       any
}

// functions are those that templates can call, by name.
var functions = map[string]function{
	"lower": {"lower TEXT", "in small letters", []kind{aText}, aText, strings.ToLower},
	"upper": {"upper TEXT", "in capitals", []kind{aText}, aText, strings.ToUpper},
	"trim":  {"trim TEXT", "without the white space around it", []kind{aText}, aText, strings.TrimSpace},
	"join": {"join SEPARATOR LETTERS", "as one text", []kind{aText, someTexts}, aText,
		func(separator string, letters []string) string { return strings.Join(letters, separator) }},
	"restate": {"restate PHRASE TEXT", `"The answer is (X)" as PHRASE and X without its brackets`, []kind{aText, aText}, aText, restate},
	"conclude": {"conclude PHRASE TEXT", `"The answer is (X)." as PHRASE and X without its brackets, and nothing else`,
		[]kind{aText, aText}, aText, conclude},
	"replace": {"replace OLD NEW TEXT", "with NEW for each OLD", []kind{aText, aText, aText}, aText,
		func(old, with, text string) string { return strings.ReplaceAll(text, old, with) }},
	"not": {"not VALUE", "whether it is empty, or 0", []kind{anything}, aTruth, func(v any) bool {
		truth, _ := template.IsTrue(v)
		return !truth
	}},
	"eq": {"eq TEXT TEXT", "whether they are the same", []kind{aText, aText}, aTruth, func(a, b string) bool { return a == b }},
}

// calls are the functions as text/template takes them.
var calls = func() template.FuncMap {
	all := template.FuncMap{}
	for name, f := range functions {
		all[name] = f.call
	}
	return all
}()

// TemplateHelp lists for people what the templates of a style can name, a line each.
func TemplateHelp() []string {
	lines := []string{"In every section:"}
	heads := map[scope]string{ofQuestion: "In shot, shot-answer, question and lead-in too:", ofShot: "In shot-answer too:"}
	for of := ofSubject; of <= ofShot; of++ {
		if head := heads[of]; head != "" {
			lines = append(lines, head)
		}
		for _, name := range names(fields) {
			if fields[name].scope == of {
				lines = append(lines, "   ."+name+"  "+fields[name].doc)
			}
		}
	}
	lines = append(lines, "Within {{range .Options}}…{{end}}, where $.Subject is the prompt's:")
	for _, name := range names(optionFields) {
		lines = append(lines, "   ."+name+"  "+optionFields[name].doc)
	}
	lines = append(lines, "Functions, beside {{if}}…{{else}}…{{end}}:")
	for _, name := range names(functions) {
		lines = append(lines, "   "+functions[name].usage+"  "+functions[name].doc)
	}
	return lines
}

func names[T any](table map[string]T) []string {
	return slices.Sorted(maps.Keys(table))
}
