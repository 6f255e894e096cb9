package spec

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/mark/grade"
)

// namesFile says whether a reference means a file rather than something built in.
func namesFile(ref string) bool {
	if strings.ContainsAny(ref, `./\`) {
		return true
	}
	info, err := os.Stat(ref)
	return err == nil && info.Mode().IsRegular()
}

// System is the system text: a text, or @FILE; empty for the style's own.
type System struct{ setting.Source }

func (s *System) Set(text string) error {
	content, isFile, err := setting.BehindAt(text, "a system prompt; write a text without @")
	switch s.Source = (setting.Source{Given: text}); {
	case err != nil:
		return err
	case !isFile && strings.TrimSpace(text) == "":
		return errors.New("give a text, or @FILE; leave the flag out to say nothing")
	case !isFile:
		return nil
	}
	if s.Text = strings.TrimRight(content, "\r\n"); !isText(s.Text) {
		return errors.New("not a text in UTF-8, or an empty one: write the system prompt")
	}
	return nil
}

// String is the system text.
func (s System) String() string { return s.Content() }

// A Style is the name of a built-in style, or a file; empty for a task's own.
type Style struct {
	setting.Source
	Theirs string   // another harness's template file that the built-in style reproduces
	Pinned []string // the resumed run's styles: they keep their versions
}

func (s *Style) Set(ref string) error {
	*s = Style{Source: setting.Source{Given: ref}}
	_, unknown := prompts.LookupStyle(ref)
	if unknown == nil || !namesFile(ref) {
		return unknown
	}
	text, err := setting.ReadText(ref)
	if err != nil {
		return fmt.Errorf("%w: `proctor style list` has the built-in ones", err)
	}
	switch own, err := prompts.StyleOfPythonTemplate(text); {
	case err != nil:
		return fmt.Errorf("%s: %w", ref, err)
	case own != "":
		s.Given, s.Theirs = own, ref
		return nil
	}
	s.Text = text
	style, err := prompts.ParseStyle(ref, text)
	if err != nil {
		return err
	}
	if _, err := grade.Lookup(style.Rules); err != nil {
		return fmt.Errorf("%s:%d: %w", ref, style.RulesLine(), err)
	}
	return nil
}

// Rules name a built-in rule set, or are a file; empty for the style's.
type Rules struct{ setting.Source }

func (r *Rules) Set(ref string) error {
	r.Source = setting.Source{Given: ref}
	_, unknown := grade.Lookup(ref)
	if unknown == nil || !namesFile(ref) {
		return unknown
	}
	text, err := setting.ReadText(ref)
	if err != nil {
		return fmt.Errorf("%w: the built-in rule sets are %s", err, grade.Names(grade.Sets()))
	}
	r.Text = text
	_, err = grade.Parse(ref, text)
	return err
}

// String is the argument for [grade.Lookup]: the name, or the file's content.
func (r Rules) String() string { return r.Content() }

// A Template is the name of one of llama.cpp's built-in chat templates, or @FILE with one in Jinja; empty for the model's own.
type Template struct{ setting.Source }

func (t *Template) Set(name string) error {
	text, isFile, err := setting.BehindAt(name, "a template in Jinja")
	if t.Source = (setting.Source{Given: name}); err != nil || !isFile {
		return err
	}
	if t.Text = text; !isText(text) {
		return errors.New("not a text in UTF-8, or an empty one: give a template in Jinja")
	}
	return nil
}

// Builtin is the name of a built-in template; empty for none.
func (t Template) Builtin() string {
	if t.Text != "" {
		return ""
	}
	return t.Given
}

// Name is the file's, for messages.
func (t Template) Name() string { return strings.TrimPrefix(t.Given, "@") }

// IDs choose questions: a list of their ids, or of items', or @FILE.
type IDs struct {
	Given  string
	Chosen []string
}

func (i *IDs) Set(text string) error {
	list, _, err := setting.BehindAt(text, "ids")
	if err != nil {
		return err
	}
	i.Given = text
	i.Chosen, err = dataset.ReadIDs(itemID.ReplaceAllString(list, "$1"))
	return err
}

// itemID matches an item's id, as in mmlu_pro_binary/70/C, in which the question's is 70.
var itemID = regexp.MustCompile(`\bmmlu_pro\w*/(\d+)(/\w+)?(#\d+)?\b`)

// Texts returns the flag's text.
func (i *IDs) Texts() []string { return one(i.Given) }

// File is the content of the file that the flag names.
func (i *IDs) File() string {
	if !strings.HasPrefix(i.Given, "@") {
		return ""
	}
	return i.Content()
}

// Keep sets the flag's text, and the content that the file had.
func (i *IDs) Keep(given, text string) error {
	err := i.Set(text)
	i.Given = given
	return err
}

func (i *IDs) Content() string { return strings.Join(i.Chosen, ",") }

// A Map assigns columns of the questions' files to fields; the zero Map recognises them.
type Map struct {
	dataset.Mapping
	setting.Source
}

func (m *Map) Set(text string) error {
	content, _, err := setting.BehindAt(text, "a mapping")
	if err != nil {
		return err
	}
	m.Source = setting.Source{Given: text, Text: content}
	m.Mapping, err = dataset.ReadMapping(content)
	return err
}

// Keep sets the flag's text, and the content that the file had.
func (m *Map) Keep(given, text string) error {
	err := m.Set(text)
	m.Given = given
	return err
}

// isText says whether a text is not empty and is valid text.
func isText(text string) bool {
	return strings.TrimSpace(text) != "" && strings.ToValidUTF8(text, "") == text
}
