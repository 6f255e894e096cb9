package flags

import (
	"errors"
	"io"
	"testing"

	"github.com/urfave/cli/v2"
)

const refusedWords = `command

-- refused --
first without limit: goes with --limit N
speed with limit run: is said by --run:
   give one of them
`

func TestFlagsThatDoNotGoTogetherAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"nothing":                     {nil, ""},
		"a flag with what it needs":   {[]string{"--first", "--limit", "3"}, ""},
		"a flag without it":           {[]string{"--first"}, "--first goes with --limit N"},
		"two that exclude another":    {[]string{"--speed", "1", "--run", "r"}, "--speed is said by --run: give one of them"},
		"an alias counts as the flag": {[]string{"-s", "1", "--run", "r"}, "--speed is said by --run: give one of them"},
		"one of them":                 {[]string{"--run", "r"}, ""},
		"a value that is refused":     {[]string{"--limit", "0"}, "--limit 0: ask at least 1"},
		"an argument":                 {[]string{"r"}, "command takes flags only, not \"r\": `proctor command --help` lists them"},
	} {
		t.Run(name, func(t *testing.T) {
			ran := false
			app := &cli.App{Writer: io.Discard, ExitErrHandler: func(*cli.Context, error) {}, Commands: []*cli.Command{{
				Name: "command",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "first"}, &cli.StringFlag{Name: "run"}, &cli.StringFlag{Name: "speed", Aliases: []string{"s"}},
					&cli.IntFlag{Name: "limit",
						Action: action("limit", []Act[int]{Valid(func(n int) bool { return n > 0 }, "ask at least 1")})},
				},
				Before: ParseWords(refusedWords, &Words{}).Refusing(),
				Action: Only(func(*cli.Context) error { ran = true; return nil }),
			}}}
			err := app.Run(append([]string{"proctor", "command"}, test.args...))
			if test.want == "" && err != nil || test.want != "" && (err == nil || err.Error() != test.want) || ran != (err == nil) {
				t.Errorf("error %v, want %q; ran: %t", err, test.want, ran)
			}
		})
	}
}

func TestAFlagThatIsNotGivenStaysNil(t *testing.T) {
	for _, args := range [][]string{nil, {"--bound", "0"}} {
		var bound *float64
		app := &cli.App{
			Writer: io.Discard, Flags: []cli.Flag{&cli.Float64Flag{Name: "bound", Value: 3, Action: action("bound", []Act[float64]{Given(&bound)})}},
			Action: func(*cli.Context) error {
				if (bound != nil) != (args != nil) || bound != nil && *bound != 0 {
					return errors.New("the bound is not as given")
				}
				return nil
			},
		}
		if err := app.Run(append([]string{"proctor"}, args...)); err != nil {
			t.Errorf("%q: %v, it is %v", args, err, bound)
		}
	}
}
