package flags

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
	"gotest.tools/v3/assert"
)

func TestHelpShowsTheShortFlagsOrAll(t *testing.T) {
	command := &cli.Command{
		Name: "ask", HelpName: "proctor ask", Usage: "ask",
		Description: "Asks.\n\n   proctor ask --limit 3" + strings.Repeat("0", 60) + "   three hundred and some\n" + More +
			"   proctor ask --rare\n\nExit codes: 0 ok",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "limit", Usage: "ask `N` " + strings.Repeat("questions ", 20), Category: "QUESTIONS"},
			&cli.BoolFlag{Name: "rare", Usage: "ask rarely"},
		},
	}
	for name, c := range map[string]struct {
		short  string
		all    bool
		want   []string
		absent []string
	}{
		"short": {
			"limit", false, []string{"--limit N", "Exit codes", "ask --help-all explains all flags"}, []string{"--rare"},
		},
		"all": {
			"limit", true, []string{"--limit N", "--rare", "proctor ask --rare", "Exit codes"}, []string{"--help-all"},
		},
		"a command without a list": {
			"", false, []string{"--limit N", "--rare", "ask --help-all explains more"}, []string{"proctor ask --rare"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			command.CustomHelpTemplate = c.short
			HelpPrinter(c.all)(&out, "", command)
			for _, part := range c.want {
				assert.Check(t, strings.Contains(out.String(), part), "it lacks %q:\n%s", part, &out)
			}
			for _, part := range append(c.absent, More) {
				assert.Check(t, !strings.Contains(out.String(), part), "it has %q:\n%s", part, &out)
			}
			for line := range strings.Lines(out.String()) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > helpWidth {
					t.Errorf("%d columns: %s", n, line)
				}
			}
		})
	}
}

func TestHelpAllStandsForHelp(t *testing.T) {
	for text, want := range map[string]bool{"proctor run --help-all": true, "proctor run --help": false} {
		args, all := HelpAll(strings.Fields(text))
		assert.Check(t, all == want && slices.Equal(args, []string{"proctor", "run", "--help"}), "%s: %q, %v", text, args, all)
	}
}
