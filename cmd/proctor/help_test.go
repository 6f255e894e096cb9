package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
)

// headings are the headings of a short help's groups.
var headings = regexp.MustCompile(`(?m)^[A-Z ]+:`)

// TestHelpFitsItsReader limits every command's help to 100 columns, and the long ones to 45 lines.
func TestHelpFitsItsReader(t *testing.T) {
	t.Parallel()
	for _, command := range commandLine(&console.Program{}).Commands {
		help := string(run(t, command.Name, "--help"))
		for flag, text := range map[string]string{"--help": help, "--help-all": string(run(t, command.Name, "--help-all"))} {
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
					t.Errorf("%s %s has a line of %d columns: %s", command.Name, flag, n, line)
				}
			}
			lines := strings.Count(text, "\n")
			if flag == "--help" && (lines > 45 || !strings.Contains(text, "Exit codes: 0 ok")) {
				t.Errorf("%s --help has %d lines, more than 45, or lacks the exit codes:\n%s", command.Name, lines, text)
			}
		}
		for name := range strings.FieldsSeq(headings.ReplaceAllString(command.CustomHelpTemplate, "")) {
			assert.Check(t, strings.Contains(help, name), "%s has no flag --%s", command.Name, name)
		}
	}
}

func TestTheManPageHasEveryCommandAndFlag(t *testing.T) {
	t.Parallel()
	page := run(t, "man")
	assert.Check(t, bytes.HasPrefix(page, []byte(".nh\n.TH proctor 1")), "it begins with %.40q", page)
	plain := strings.NewReplacer(`\-`, "-", `\fB`, "", `\fI`, "", `\fP`, "", `\fR`, "").Replace(string(page))
	p := &console.Program{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}
	var each func(of string, commands []*cli.Command)
	each = func(of string, commands []*cli.Command) {
		for _, command := range commands {
			name := of + " " + command.Name
			there := strings.Contains(plain, ".SH "+name) || strings.Contains(plain, ".SS "+name)
			assert.Check(t, there != command.Hidden, "%s is in the page: %v", name, there)
			for _, flag := range command.Flags {
				assert.Check(t, strings.Contains(plain, "\n"+flags.Dashed(flag.Names()[0])), "%s lacks %s", name, flag.Names()[0])
				doc, last := flag.(cli.DocGenerationFlag), flag.Names()[len(flag.Names())-1]
				quoted := strings.SplitN(doc.GetUsage()+"``", "`", 3)[1]
				shown := quoted != "" && strings.Contains(plain, flags.Dashed(last)+" "+quoted+"\n")
				if shown != doc.TakesValue() || shown && quoted[0] >= 'a' {
					t.Errorf("%s shows %s with the value %q", name, last, quoted)
				}
			}
			each(name, command.Subcommands)
		}
	}
	each("proctor", commandLine(p).Commands)
	for _, part := range []string{"proctor run --resume runs/q4 --limit 1400", "--tasks, --task LIST", "Exit codes: 0 ok"} {
		assert.Check(t, strings.Contains(plain, part), "it lacks %q", part)
	}
	if _, err := exec.LookPath("man"); err != nil {
		return
	}
	file := filepath.Join(t.TempDir(), "proctor.1")
	assert.NilError(t, os.WriteFile(file, page, 0o644))
	var warnings bytes.Buffer
	laid := exec.Command("man", "--warnings", "-E", "UTF-8", "-l", file)
	laid.Env = append(os.Environ(), "MANWIDTH=140", "LC_ALL=C.UTF-8")
	laid.Stderr = &warnings
	if out, err := laid.Output(); err != nil || warnings.Len() > 0 || !bytes.Contains(out, []byte("proctor compare A B")) {
		t.Errorf("man: %v, warnings %s", err, &warnings)
	}
}
