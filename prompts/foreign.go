package prompts

import (
	"errors"
	"regexp"
	"strings"
)

// evalscopes is the style with evalscope's prompts: its sections, with Python's fields in the place of ours, are the prompt_template and
// few_shot_prompt_template of evalscope's mmlu_pro, which adds the shots by itself.
const evalscopes = "evalscope@1"

var (
	toPython = strings.NewReplacer("{{if .Shots}}", "", "{{end}}", "{examples}\n", "{{lower .Subject}}", "{subject}",
		`{{join "," .Letters}}`, "{letters}", "{{.Question}}", "{question}", "{{range .Options}}{{.Letter}}) {{.Text}}\n{{end}}", "{choices}")
	pythonField = regexp.MustCompile(`\{(question|query|choices|options|letters|subject|examples|fewshot)\}`)
)

// StyleOfPythonTemplate returns the name of the built-in style whose prompts a Python format string makes, as evalscope's users write one.
// It is empty for a text that is no such template, and an error for a template whose style is not built in.
func StyleOfPythonTemplate(text string) (style string, err error) {
	if !pythonField.MatchString(text) || strings.Contains("\n"+text, "\n-- question --\n") {
		return "", nil
	}
	own, err := LookupStyle(evalscopes)
	if err != nil {
		return "", err
	}
	_, sections, _ := strings.Cut(own.Text, "-- instruction --\n")
	first, _, _ := strings.Cut(sections, "\n-- shot --\n")
	_, question, _ := strings.Cut(sections, "\n-- question --\n")
	asking := strings.TrimSpace(toPython.Replace(question))
	switch strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) {
	case asking, toPython.Replace(first) + asking:
		return evalscopes, nil
	}
	return "", errors.New("a template of Python's that is not evalscope's own: `proctor help style` shows how a style is written")
}
