package flags

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

func TestEachFlagThatLeftIsRefusedWithWhatToDoInstead(t *testing.T) {
	assert.Assert(t, len(gone) != 0, "no flag left")
	for name, instead := range gone {
		assert.Check(t, instead != "" && !strings.HasSuffix(instead, "."),
			"--%s: %q does not say what to do instead, or ends a sentence", name, instead)
		want := "--" + name + " left this version: " + instead
		file := filepath.Join(t.TempDir(), "flags.yaml")
		assert.NilError(t, os.WriteFile(file, []byte(name+": 1\n"), 0o600))
		for _, args := range [][]string{{"--" + name, "1"}, {"--" + name}, {"--config", file}} {
			errortest.For(t, strings.Join(args, " "), runLacking(args), want)
		}
	}
}

// runLacking runs a command that has none of the flags that left.
func runLacking(args []string) error {
	config := &Config{}
	w := ParseWords("run\n\n-- flags --\nconfig: file\nprint-config: print\n", nil)
	args = append([]string{"proctor", "run"}, args...)
	app := &cli.App{Name: "proctor", ExitErrHandler: func(*cli.Context, error) {}, Commands: []*cli.Command{w.Command(&cli.Command{
		Flags: config.Flags(w, ""), OnUsageError: UsageError(args),
		Before: config.First(func(*cli.Context) error { return nil }),
	})}}
	return app.Run(args)
}
