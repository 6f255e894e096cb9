package flags

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
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

func TestEachFlagThatLeftIsRefusedWithWhatToDoInstead(t *testing.T) {
	for path, left := range gone {
		command, flag, isFlag := strings.Cut(path, " -")
		flag = strings.TrimLeft(flag, "-")
		want := left.name + " left this version: " + left.do
		if !isFlag {
			words := strings.Fields(path)
			within := &cli.Command{Name: words[0]}
			app := &cli.App{Name: "proctor", ExitErrHandler: func(*cli.Context, error) {}, Action: HelpOrRefuse}
			if len(words) > 1 {
				within.Action, within.HideHelpCommand = HelpOrRefuse, true
				app.Commands = []*cli.Command{within}
			}
			errortest.For(t, path, app.Run(append([]string{"proctor"}, words...)), want)
			continue
		}
		assert.Check(t, Instead(&cli.Command{Name: "other"}, "--"+flag) == nil ||
			elsewhere[flag].do != "", "%s: another command lost it too", path)
		errortest.For(t, path, Instead(&cli.Command{Name: command}, "--"+flag), want)
		if command != "run" {
			continue
		}
		file := filepath.Join(t.TempDir(), "flags.yaml")
		assert.NilError(t, os.WriteFile(file, []byte(flag+": 1\n"), 0o600))
		for _, args := range [][]string{{"run", "--" + flag, "1"}, {"run", "--" + flag}, {"run", "--config", file}} {
			errortest.For(t, strings.Join(args, " "), runLacking(args), want)
		}
	}
}

func TestRemediesSayWhatToDo(t *testing.T) {
	for _, table := range []map[string]remedy{gone, elsewhere} {
		for name, r := range table {
			assert.Check(t, r.do != "" && !strings.HasSuffix(r.do, "."), "%s: %q does not say what to do, or ends a sentence", name, r.do)
		}
	}
	names := map[string]bool{}
	for row := range entries(elsewhereRows) {
		for name := range strings.FieldsSeq(row[:max(0, strings.Index(row, ": "))]) {
			assert.Check(t, !names[plainName(name)], "%s has two remedies", name)
			names[plainName(name)] = true
		}
	}
}

// A command's own flag comes first, then a removed one, then another program's, then the nearest.
func TestAFlagOfAnotherProgramIsRefusedWithWhatToDoInstead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "flags.yaml")
	assert.NilError(t, os.WriteFile(file, []byte("few_shot_num: {mmlu_pro: 5}\n"), 0o600))
	for line, want := range map[string]string{
		"run --num_fewshot 5":   "--num_fewshot is lm-eval's: give --shots N",
		"run --num-fewshot=5":   "--num-fewshot is lm-eval's: give --shots N",
		"run -f 5":              "-f is lm-eval's: give --shots N",
		"run --config " + file:  file + ":1: few_shot_num is evalscope's: give --shots N",
		"--num_fewshot 5":       "--num_fewshot is lm-eval's: give --shots N",
		"run --batch_size 5":    "run has no flag --batch_size: `proctor run --help` lists its flags", // not one of the flags that the remedy would name
		"run --log_samples":     "--log_samples is lm-eval's: leave it out; a run keeps every answer, `proctor report RUN --items` lists them",
		"run --shot 5":          "run has no flag --shot: did you mean --shots? `proctor run --help` lists its flags",
		"eval --model m -ngl 9": "eval is evalscope's: `proctor run`",
		"log_samples":           "there is no command \"log_samples\": `proctor --help` lists them",
	} {
		errortest.For(t, line, runLacking(strings.Fields(line)), want)
	}
}

// runLacking runs a program whose only command has one flag and a config file's.
func runLacking(args []string) error {
	config := &Config{}
	shots := 5
	w := ParseWords("run\n\n-- flags --\nconfig: file\nprint-config: print\nshots: examples\n", nil)
	args = append([]string{"proctor"}, args...)
	app := &cli.App{Name: "proctor", ExitErrHandler: func(*cli.Context, error) {}, OnUsageError: UsageError(args), Action: HelpOrRefuse,
		Commands: []*cli.Command{w.Command(&cli.Command{
			Flags: append(config.Flags(w, ""), w.Int("shots", &shots)), OnUsageError: UsageError(args),
			Before: config.First(func(*cli.Context) error { return nil }),
		})}}
	return app.Run(args)
}

func TestSharesOfFlagsStayWithinTheirBounds(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string // the error
		x    float64
		p    *float64
	}{
		"not given":                {nil, "", 0.05, nil},
		"a share that need not be": {[]string{"--share", "50%"}, "", 0.05, new(0.5)},
		"nothing of it":            {[]string{"--share", "0"}, "", 0.05, new(0.0)},
		"a difference":             {[]string{"--points", "2pp"}, "", 0.02, nil},
		"the least, which is open": {[]string{"--points", "0"}, "--points 0: it must be above 0pp", 0.05, nil},
		"below the most":           {[]string{"--points", "0.49"}, "", 0.49, nil},
		"the most, which is, too":  {[]string{"--points", "50%"}, "--points 50%: it must be below 50pp", 0.05, nil},
		"a share without its unit": {[]string{"--share", "50"}, "--share: 50 is over 1: 50% is meant?", 0.05, nil},
		"a share as a difference": {[]string{"--share", "5pp"},
			"--share: 5pp is a difference of shares, a share is wanted: write 5%", 0.05, nil},
		"a difference without its unit": {[]string{"--points", "1"},
			"--points: 1 is a hundred percentage points: 1pp is meant?", 0.05, nil},
	} {
		t.Run(name, func(t *testing.T) {
			x, p := 0.05, (*float64)(nil)
			words := ParseWords("try\n\n-- flags --\npoints: a difference\nshare: a share\n", nil)
			app := &cli.App{Writer: io.Discard, ErrWriter: io.Discard, ExitErrHandler: func(*cli.Context, error) {}, Flags: []cli.Flag{
				words.Points("points", Share{To: &x, Positive: true, Below: 0.5}),
				words.Share("share", Share{Given: &p}),
			}, Action: func(*cli.Context) error { return nil }}
			err := app.Run(append([]string{"proctor"}, test.args...))
			if test.want == "" && err != nil || test.want != "" && (err == nil || err.Error() != test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if x != test.x || (p == nil) != (test.p == nil) || p != nil && *p != *test.p {
				t.Errorf("%g and %v, want %g and %v", x, p, test.x, test.p)
			}
		})
	}
}

const askWords = `ask [MODEL]
ask a model

Asks it.
-- more --
And asks again.
-- short --
limit
-- QUESTIONS --
limit, l [all, which is a lot]: ask ` + "`N`" + ` questions
   of [all]: there are
-- command list DIR --
list it

All of it.
-- flags --
long: show everything
`

func TestWordsAreThoseOfACommandItsFlagsAndTheCommandsBelow(t *testing.T) {
	w := ParseWords(askWords, ParseWords("shared\n\n-- RESULT --\nquiet, q: say nothing\n", nil))
	command, list := w.Command(&cli.Command{}), w.Below("list").Command(&cli.Command{})
	limit, long, quiet := w.of("limit"), w.Below("list").of("long"), w.Below("list").of("quiet")
	for got, want := range map[string]string{
		strings.Join([]string{command.Name, command.ArgsUsage, command.Usage}, "|"):          "ask|[MODEL]|ask a model",
		command.Description + "|" + command.CustomHelpTemplate:                               "Asks it.\n\fAnd asks again.|limit\n",
		strings.Join([]string{list.Name, list.ArgsUsage, list.Usage, list.Description}, "|"): "list|DIR|list it|All of it.",
		fmt.Sprintf("%q", limit): `{"limit" ["l"] "QUESTIONS" "all, which is a lot" "ask ` + "`N`" + ` questions of [all]: there are"}`,
		fmt.Sprintf("%q", long):  `{"long" [] "" "" "show everything"}`,
		fmt.Sprintf("%q", quiet): `{"quiet" ["q"] "RESULT" "" "say nothing"}`,
	} {
		assert.Check(t, got == want, "got %q, want %q", got, want)
	}
	defer func() {
		assert.Check(t, recover() != nil, "a flag without words is taken")
	}()
	w.of("lost")
}

// Of a flag that is given twice, no value is lost without a word.
func TestAFlagIsGivenOnce(t *testing.T) {
	app := &cli.App{Commands: []*cli.Command{{Name: "command", Flags: []cli.Flag{
		&cli.StringFlag{Name: "servers", Aliases: []string{"s"}}, &cli.BoolFlag{Name: "quiet"},
		&cli.GenericFlag{Name: "group", Value: &Texts{}},
	}}}}
	for line, want := range map[string]string{
		"--servers A --servers B": "--servers is given twice: give it once; where it takes several, separate them " +
			"by commas",
		"--servers=A RUN -s B":           "--servers is given twice",
		"--servers A,B":                  "",
		"--group a --group b":            "",
		"--quiet --quiet -- -s A -s B":   "",
		"--servers --servers --group -s": "",
	} {
		_, err := Interspersed(app, append([]string{"proctor", "command"}, strings.Fields(line)...), nil)
		if want == "" {
			assert.Check(t, err == nil, "%s: %v", line, err)
			continue
		}
		errortest.For(t, line, err, want)
	}
}
