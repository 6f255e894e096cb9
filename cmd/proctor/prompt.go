package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"proctor/backends/open"
	"proctor/prompts"
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

// dialogueOf reads in which form the prompts are to be; nil for raw ones. Templates that print the date print that of the
// given time.
func dialogueOf(c *cli.Context, model any, now time.Time) (*prompts.Dialogue, error) {
	form := runner.Form{Mode: c.String("prompt"), Now: now, Builtin: c.String("chat-template"), Write: open.BuiltinTemplate}
	switch think := cmp.Or(c.String("think"), auto); think {
	case "on", "off":
		on := think == "on"
		form.Think = &on
	case auto:
	default:
		return nil, fmt.Errorf("--think %s: there are on, off and %s", think, auto)
	}
	return form.Dialogue(c.Context, model)
}
