package options

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/words"
	"proctor/prompts/chat"
	"proctor/runner/ask/form"
)

// chatTemplateFlag takes another chat template than the model's own.
func chatTemplateFlag(to *form.Form) cli.Flag {
	return words.Shared.Read("chat-template", func(name string) error {
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
		if _, err := chat.ParseFile(path, text); err != nil {
			return fmt.Errorf("--chat-template: %w", err)
		}
		to.File, to.FileName = text, path
		return nil
	})
}

// templateArgFlag gives the chat template variables.
func templateArgFlag(to *chat.Arguments) cli.Flag {
	var given flags.Texts
	return words.Shared.Generic("template-arg", &given, func(c *cli.Context) (err error) {
		if *to, err = chat.ParseArguments(given); err != nil {
			return fmt.Errorf("--template-arg %w", err)
		}
		if _, both := (*to)["enable_thinking"]; both && c.IsSet("think") {
			return fmt.Errorf("--think sets enable_thinking too: give it or --template-arg enable_thinking=%v", (*to)["enable_thinking"])
		}
		return nil
	})
}
