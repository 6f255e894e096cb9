// Proctor runs MMLU-Pro on local models (GGUF in-process, Ollama, OpenAI-compatible servers) and reports accuracy with
// confidence intervals, and speed. The manual is `proctor help` and the help of each command.
//
// The packages below it are wiring only, a file cmd_NAME.go a command: flags fill the command's options, one call does the work, a
// format writes the result. Nothing in them decides about a backend, a task or a format.
//
//	flags → console → options → running | benching | reading | questions | machine → main
package main

import (
	"os"
	"time"

	"golang.org/x/term"

	"proctor/cmd/proctor/console"
	"proctor/runner/ask/progress/screen"
	"proctor/runner/report/page"
)

// version is set by the linker.
var version = "devel"

func main() {
	p := &console.Program{
		Stdout:   os.Stdout,
		Stderr:   os.Stderr,
		Terminal: term.IsTerminal(int(os.Stderr.Fd())),
		Now:      time.Now,
		Args:     os.Args,
		Version:  version,
		Exit:     os.Exit,
	}
	if p.Terminal {
		p.Screen = screen.On(os.Stderr)
		p.Stderr = p.Screen
	}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		p.OnScreen(os.Stdout, os.Getenv)
		p.Columns, _, _ = term.GetSize(int(os.Stdout.Fd())) // 0 where it does not say
	} else {
		p.Stdout, p.Exact = page.Screen(os.Stdout), os.Stdout // who reads it next may be a terminal
	}
	os.Exit(execute(p))
}
