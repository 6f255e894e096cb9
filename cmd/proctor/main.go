// Proctor runs MMLU-Pro on local models (GGUF in-process, Ollama, OpenAI-compatible servers) and reports accuracy with
// confidence intervals, and speed. The manual is `proctor help` and the help of each command.
//
// This package is wiring only, a file cmd_NAME.go a command: flags fill the command's options (flags, eval, model), one call does the work,
// a format writes the result. Nothing here decides about a backend, a task or a format. What makes the package long is the
// manual: the help of all commands and their flags.
package main

import (
	"os"
	"time"

	"golang.org/x/term"

	"proctor/runner/ask/progress/screen"
	"proctor/runner/report/page"
)

// version is set by the linker.
var version = "devel"

func main() {
	p := &program{
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
		now:      time.Now,
		args:     os.Args,
		exit:     os.Exit,
	}
	if p.terminal {
		p.screen = screen.On(os.Stderr)
		p.stderr = p.screen
	}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		p.onScreen(os.Stdout, os.Getenv)
	} else {
		p.stdout, p.exact = page.Screen(os.Stdout), os.Stdout // who reads it next may be a terminal
	}
	os.Exit(p.main())
}
