package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/backends/open"
	"proctor/runner"
)

// auto is what flags call the choice that depends on the model.
const auto = "auto"

// promptFlags say in which form a model gets its prompts.
func promptFlags(form *runner.Form) []cli.Flag {
	const category = "EVAL"
	form.Write = open.BuiltinTemplate
	return []cli.Flag{
		&cli.StringFlag{
			Name: "prompt", Value: runner.PromptRaw, Destination: &form.Mode, Category: category,
			Usage: "`MODE` raw (the model continues the text), chat (through its chat template, in one user turn), " +
				"turns (each shot in turns of its own) or auto (chat where the model has a template, else raw)",
		},
		&cli.StringFlag{
			Name: "chat-template", Destination: &form.Builtin, Category: category,
			Usage: "take llama.cpp's built-in chat template `NAME`, such as chatml, instead of the model's own",
		},
		&cli.StringFlag{
			Name: "think", Value: auto, Category: category,
			Usage: "`MODE` on, off, or auto for the model's default: thinking, where its chat template knows it",
			Action: func(_ *cli.Context, think string) error {
				on := think == "on"
				switch think {
				case "on", "off":
					form.Think = &on
				case auto:
				default:
					return fmt.Errorf("--think %s: there are on, off and %s", think, auto)
				}
				return nil
			},
		},
	}
}
