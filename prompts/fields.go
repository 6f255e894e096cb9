package prompts

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"proctor/prompts/dataset"
)

// A scope is what a template can name: each has the fields of those before it too.
type scope int

const (
	ofSubject  scope = iota // a subject, whose items share what is rendered
	ofQuestion              // a question that is asked
	ofShot                  // a question that is shown with its answer
)

// values are what a template is rendered with.
type values struct {
	question dataset.Question // its Subject is that of the prompt
	shots    int
	option   int // within range: the one at hand
}

// A field is one that templates can name.
type field struct {
	scope scope
	doc   string
	expr
}

// fields are those of a prompt, by name.
var fields = map[string]field{
	"Subject":  {ofSubject, "the subject's name", text(func(v *values) string { return v.question.Subject })},
	"Shots":    {ofSubject, "how many shots the prompt has, a number", number(func(v *values) int { return v.shots })},
	"Question": {ofQuestion, "the question's text", text(func(v *values) string { return v.question.Text })},
	"Options":  {ofQuestion, "the options, for range", expr{options: func(v *values) []string { return v.question.Options }}},
	"OptionLines": {ofQuestion, `the options, each on a line as "A. text"`, text(func(v *values) string {
		var b strings.Builder
		for i, option := range v.question.Options {
			b.WriteString(dataset.Letter(i) + ". " + option + "\n")
		}
		return b.String()
	})},
	"Letters": {ofQuestion, "the options' letters, for join", expr{texts: func(v *values) []string {
		letters := make([]string, len(v.question.Options))
		for i := range letters {
			letters[i] = dataset.Letter(i)
		}
		return letters
	}}},
	"Answer":     {ofShot, "the gold letter", text(func(v *values) string { return v.question.Answer })},
	"AnswerText": {ofShot, "the gold option", text(func(v *values) string { return v.question.Options[v.question.Gold()] })},
	"Reasoning": {ofShot, `the worked reasoning, which ends in "The answer is (X)."`,
		text(func(v *values) string { return reasoning(v.question) })},
	"CoT":       {ofShot, "the reasoning as the set has it", text(func(v *values) string { return cmp.Or(v.question.CoT, reasoning(v.question)) })},
	"Rationale": {ofShot, "the reasoning without that end; may be empty", text(func(v *values) string { return rationale(v.question) })},
}

// optionFields are those of an option, within range.
var optionFields = map[string]field{
	"Letter": {ofQuestion, "its letter", text(func(v *values) string { return dataset.Letter(v.option) })},
	"Text":   {ofQuestion, "its text", text(func(v *values) string { return v.question.Options[v.option] })},
	"Number": {ofQuestion, "its number, 1 for the first", number(func(v *values) int { return v.option + 1 })},
}

// A function is one that templates can call.
type function struct {
	usage, doc string
	args       []kind
	call       func(args []expr) expr
}

// functions are those that templates can call, by name.
var functions = map[string]function{
	"lower": {"lower TEXT", "in small letters", []kind{aText}, ofText(strings.ToLower)},
	"upper": {"upper TEXT", "in capitals", []kind{aText}, ofText(strings.ToUpper)},
	"trim":  {"trim TEXT", "without the white space around it", []kind{aText}, ofText(strings.TrimSpace)},
	"join": {"join SEPARATOR LETTERS", "as one text", []kind{aText, someTexts}, func(args []expr) expr {
		return text(func(v *values) string { return strings.Join(args[1].texts(v), args[0].text(v)) })
	}},
	"restate": {"restate PHRASE TEXT", `"The answer is (X)" as PHRASE and X without its brackets`, []kind{aText, aText},
		func(args []expr) expr {
			return text(func(v *values) string { return restate(args[0].text(v), args[1].text(v)) })
		}},
	"conclude": {"conclude PHRASE TEXT", `"The answer is (X)." as PHRASE and X without its brackets, and nothing else`, []kind{aText, aText},
		func(args []expr) expr {
			return text(func(v *values) string { return conclude(args[0].text(v), args[1].text(v)) })
		}},
	"replace": {"replace OLD NEW TEXT", "with NEW for each OLD", []kind{aText, aText, aText}, func(args []expr) expr {
		return text(func(v *values) string { return strings.ReplaceAll(args[2].text(v), args[0].text(v), args[1].text(v)) })
	}},
	"not": {"not VALUE", "whether it is empty, or 0", []kind{anything}, func(args []expr) expr {
		return truth(func(v *values) bool { return !args[0].holds(v) })
	}},
	"eq": {"eq TEXT TEXT", "whether they are the same", []kind{aText, aText}, func(args []expr) expr {
		return truth(func(v *values) bool { return args[0].text(v) == args[1].text(v) })
	}},
}

func ofText(change func(string) string) func([]expr) expr {
	return func(args []expr) expr { return text(func(v *values) string { return change(args[0].text(v)) }) }
}

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
	return slices.SortedFunc(maps.Keys(table), func(a, b string) int { return cmp.Compare(a, b) })
}
