package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/backends/open"
)

// engineCommand is the hidden command by which this program is a model's engine in a process of its own.
const engineCommand = "engine"

func (p program) engine() *cli.Command {
	return &cli.Command{
		Name: engineCommand, Hidden: true,
		Action: flagsOnly(func(*cli.Context) error { return open.ServeEngine() }),
	}
}

func (p program) isolateFlag(o *open.Options) cli.Flag {
	o.EngineArgs = []string{"proctor", engineCommand}
	o.Isolate = open.IsolateAuto
	return &cli.StringFlag{
		Name: "isolate", Value: open.IsolateAuto, Destination: &o.Isolate, Category: "MODEL",
		Usage: "compute in a process of its own (on) or in this one (off): what kills that process, or hangs, costs a run the item " +
			"that does so twice; auto is on until the file has finished a run on this machine",
		Action: func(_ *cli.Context, word string) error {
			if err := open.CheckIsolate(word); err != nil {
				return fmt.Errorf("--isolate %s: %w", word, err)
			}
			return nil
		},
	}
}
