package console

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/task"
	"proctor/runner/ask/form"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

// maxText is the most that a file of prompts or rules may have.
const maxText = 64 << 10

// readText reads a small file.
func readText(path string) (string, error) {
	file, err := journal.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxText+1))
	if err == nil && len(content) > maxText {
		err = fmt.Errorf("%s: more than %d bytes: is this the right file?", path, maxText)
	}
	return string(content), err
}

// namesFile says whether people mean a file, rather than something built in.
func namesFile(ref string) bool {
	if strings.ContainsAny(ref, `./\`) {
		return true
	}
	info, err := os.Stat(ref)
	return err == nil && info.Mode().IsRegular()
}

// styleOf is the style that a task is asked in. In the place of a file that is not there stands the text that the run to go
// on with has kept.
func (o Eval) styleOf(t task.Task) (prompts.Style, error) {
	kept := o.Begun.StyleFile
	if o.style == "" && kept == nil {
		return prompts.LookupStyle(t.Style)
	}
	if kept != nil && (o.style == "" || o.style == o.Begun.Style) {
		return prompts.ParseStyle("the journal's style", kept.Text)
	}
	style, unknown := prompts.LookupStyle(o.style)
	if unknown == nil || !namesFile(o.style) {
		return style, unknown
	}
	text, err := readText(o.style)
	if errors.Is(err, fs.ErrNotExist) && kept != nil {
		return prompts.ParseStyle("the journal's style", kept.Text)
	}
	if err != nil {
		return style, fmt.Errorf("--style: %w: `proctor style list` has the built-in ones", err)
	}
	if style, err = prompts.ParseStyle(o.style, text); err != nil {
		return style, err
	}
	if _, err := grade.Lookup(style.Rules); err != nil {
		return style, fmt.Errorf("%s:%d: %w", o.style, style.RulesLine(), err)
	}
	return style, nil
}

// systemText is what the model is told first.
func (o Eval) systemText() (string, error) {
	path, isFile := strings.CutPrefix(o.system, "@")
	switch {
	case o.system == "":
		return o.Begun.System, nil
	case !isFile:
		return o.system, nil
	}
	text, err := readText(path)
	if errors.Is(err, fs.ErrNotExist) && o.Begun.System != "" {
		return o.Begun.System, nil
	}
	if err != nil {
		return "", fmt.Errorf("--system: %w: @ begins a file name; write a text without @", err)
	}
	text = strings.TrimRight(text, "\r\n")
	if !isText(text) {
		return "", fmt.Errorf("--system: %s: not a text in UTF-8, or an empty one: write the system prompt", path)
	}
	return text, nil
}

// chatTemplateFlag takes another chat template than the model's own.
func chatTemplateFlag(to *form.Form) cli.Flag {
	return SharedWords.Read("chat-template", func(name string) error {
		path, isFile := strings.CutPrefix(name, "@")
		if !isFile {
			to.Builtin = name
			return nil
		}
		text, err := readText(path)
		if err != nil {
			return fmt.Errorf("--chat-template: %w: what follows @ is a file with a template in Jinja", err)
		}
		if !isText(text) {
			return fmt.Errorf("--chat-template: %s: not a text in UTF-8, or an empty one: give a template in Jinja", path)
		}
		if _, err := chat.Parse(path, text, to.Render); err != nil {
			return fmt.Errorf("--chat-template: %w", err)
		}
		to.File, to.FileName = text, path
		return nil
	})
}

// templateArgFlag gives the chat template variables.
func templateArgFlag(to *chat.Arguments) cli.Flag {
	var given flags.Texts
	return SharedWords.Generic("template-arg", &given, func(c *cli.Context) (err error) {
		if *to, err = chat.ParseArguments(given); err != nil {
			return fmt.Errorf("--template-arg %w", err)
		}
		if _, both := (*to)["enable_thinking"]; both && c.IsSet("think") {
			return fmt.Errorf("--think sets enable_thinking too: give it or --template-arg enable_thinking=%v", (*to)["enable_thinking"])
		}
		return nil
	})
}

// RuleSet is what --rules names: a built-in rule set's name, or the text of a file.
func RuleSet(ref string) (string, error) {
	_, unknown := grade.Lookup(ref)
	if unknown == nil || !namesFile(ref) {
		return ref, unknown
	}
	text, err := readText(ref)
	if err != nil {
		return "", fmt.Errorf("--rules: %w: the built-in rule sets are %s", err, grade.Names(grade.Sets()))
	}
	_, err = grade.Parse(ref, text)
	return text, err
}

func RulesFlag(w *flags.Words, to *string) cli.Flag {
	flag := w.Text("rules", to)
	flag.Action = func(c *cli.Context, ref string) (err error) {
		if *to, err = RuleSet(ref); errors.Is(err, fs.ErrNotExist) && c.Bool("resume") {
			return nil // a run that goes on has its rules in its journal
		}
		return err
	}
	return flag
}
