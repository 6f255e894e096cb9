package prompts

import (
	"fmt"
	"regexp"
	"strings"
	"text/template"
)

// A section of a style's file is a template with the fields of its scope.
type section struct {
	file     string
	scope    scope
	template *template.Template
}

// parseSection parses a section's text, which begins on the given line of a file. Errors name file and line.
func parseSection(file string, line int, text string, of scope) (*section, error) {
	// A comment keeps the file's lines, and leaves nothing behind.
	source := "{{/*" + strings.Repeat("\n", line-1) + "*/}}" + text
	parsed, err := template.New(sectionName).Funcs(functions).Option("missingkey=error").Parse(source)
	if err != nil {
		return nil, templateError(file, line, err)
	}
	return &section{file, of, parsed}, nil
}

// render writes a section down. nil renders nothing.
func (s *section) render(v *values) (string, error) {
	if s == nil {
		return "", nil
	}
	var b strings.Builder
	b.Grow(256 + len(v.question.Text)) // about a prompt's size
	if err := s.template.Execute(&b, v.fields(s.scope)); err != nil {
		return "", templateError(s.file, 1, err)
	}
	return b.String(), nil
}

const sectionName = "section"

var (
	placeOf = regexp.MustCompile(`^template: ` + sectionName + `:(\d+)(?::\d+)?: (?:executing "` + sectionName +
		`" at )?`)
	noSuchKey = regexp.MustCompile(`<[^>]*>: map has no entry for key "(.*)"$`)
)

// templateError names the file and the line of a template's error; where it has no line, the given one.
func templateError(file string, line int, err error) error {
	text := strings.ReplaceAll(strings.ReplaceAll(err.Error(), "\r", " "), "\n", " ")
	place := fmt.Sprint(line)
	if match := placeOf.FindStringSubmatch(text); match != nil {
		place, text = match[1], strings.TrimPrefix(text, match[0])
	}
	text = noSuchKey.ReplaceAllString(text, "there is no field .$1 here")
	return fmt.Errorf("%s:%s: %s; `proctor help style` lists what a template can hold", file, place, text)
}
