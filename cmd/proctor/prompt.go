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
func promptFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "prompt", Value: runner.PromptRaw, Usage: "`MODE` raw (the model continues the text), chat (through its chat template, in one user turn), turns (each shot in turns of its own) or auto (chat where the model has a template, else raw)", Category: "EXAM"},
		&cli.StringFlag{Name: "chat-template", Usage: "take llama.cpp's built-in chat template `NAME`, such as chatml, instead of the model's own", Category: "EXAM"},
		&cli.StringFlag{Name: "think", Value: auto, Usage: "`MODE` on, off, or auto for the model's default: thinking, where its chat template knows it", Category: "EXAM"},
	}
}

// formOf reads in which form the prompts are to be.
func formOf(c *cli.Context) (runner.Form, error) {
	form := runner.Form{Mode: c.String("prompt"), Builtin: c.String("chat-template"), Write: open.BuiltinTemplate}
	switch think := c.String("think"); think {
	case "on", "off":
		on := think == "on"
		form.Think = &on
	case auto:
	default:
		return form, fmt.Errorf("--think %s: there are on, off and %s", think, auto)
	}
	return form, nil
}
