package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
)

// A run's own file may be somebody else's work. It decides how the run goes on, but not where anything is sent or written, nor whose
// code is loaded: of these flags, what each decides. Whoever goes on with a run gives them again.
var confirmed = map[string]string{
	"servers":       "where questions and keys are sent",
	"ollama-hosts":  "where questions are sent",
	"ggml-backends": "whose code is loaded",
	"engine":        "whose code is loaded",
	"cache":         "where models are written",
}

// places are the flags that name what is read; map and system do where they begin with @. What a file says of them is shown.
var places = []string{"model", "data", "shots-file", "style", "rules", "until-decided", "vocabulary", "imatrix", "lora"}

// A replay gives a command the flags that a file says its run was begun with.
type replay struct {
	file  string              // with the flags
	flags map[string][]string // see [flagsGiven]
	leave []string            // names of flags that are not taken
	args  []string            // the command line

	models []string // of a sweep, which are no flag's
}

// onto sets the flags that the command line does not give, and says in a line what of the file names places; empty where nothing does.
func (r replay) onto(c *cli.Context) (taken string, err error) {
	shown, again := slices.Clone(r.models), []string(nil)
	for _, name := range slices.Sorted(maps.Keys(r.flags)) {
		given := c.IsSet(name) || name == "engine" && os.Getenv(registry.EngineVariable) != ""
		if given || slices.Contains(r.leave, name) || slices.Contains(ofOneCall, name) {
			continue
		}
		values := r.flags[name]
		flag := []string{"--" + name, strings.Join(values, "")}
		if confirmed[name] != "" {
			again = append(again, flag...)
			continue
		}
		if slices.Contains(places, name) || strings.HasPrefix(flag[1], "@") {
			shown = append(shown, flag...)
		}
		for _, value := range values {
			if err := c.Set(name, value); err != nil {
				return "", fmt.Errorf("%s: its flag --%s %s: %w", r.file, name, value, err)
			}
		}
	}
	if len(again) > 0 {
		return "", fmt.Errorf("%s alone says %s, and a file does not decide %s; if that is right: %s", r.file,
			shellescape.QuoteCommand(again), confirmed[strings.TrimPrefix(again[0], "--")],
			shellescape.QuoteCommand(append(slices.Clone(r.args), again...)))
	}
	if len(shown) > 0 {
		taken = r.file + " says: " + shellescape.QuoteCommand(shown)
	}
	return taken, nil
}

// goOn is the command line that goes on with what is in a folder, and was given these flags.
func (p program) goOn(verb, folder string, flags map[string][]string) string {
	args := []string{p.args[0], verb, "--resume", folder}
	for _, name := range slices.Sorted(maps.Keys(confirmed)) {
		if values := flags[name]; len(values) > 0 {
			args = append(args, "--"+name, strings.Join(values, ""))
		}
	}
	return shellescape.QuoteCommand(args)
}
