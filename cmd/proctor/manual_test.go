package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
)

func TestTheManPageHasEveryCommandAndFlag(t *testing.T) {
	t.Parallel()
	page := run(t, "man")
	if !bytes.HasPrefix(page, []byte(".nh\n.TH proctor 1")) {
		t.Errorf("it begins with %.40q", page)
	}
	plain := strings.NewReplacer(`\-`, "-", `\fB`, "", `\fI`, "", `\fP`, "", `\fR`, "").Replace(string(page))
	p := &console.Program{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}
	var each func(of string, commands []*cli.Command)
	each = func(of string, commands []*cli.Command) {
		for _, command := range commands {
			name := of + " " + command.Name
			if there := strings.Contains(plain, ".SH "+name) || strings.Contains(plain, ".SS "+name); there == command.Hidden {
				t.Errorf("%s is in the page: %v", name, there)
			}
			for _, flag := range command.Flags {
				if !strings.Contains(plain, "\n"+flags.Dashed(flag.Names()[0])) {
					t.Errorf("%s lacks %s", name, flag.Names()[0])
				}
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
		if !strings.Contains(plain, part) {
			t.Errorf("it lacks %q", part)
		}
	}
	if _, err := exec.LookPath("man"); err != nil {
		return
	}
	file := filepath.Join(t.TempDir(), "proctor.1")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	var warnings bytes.Buffer
	laid := exec.Command("man", "--warnings", "-E", "UTF-8", "-l", file)
	laid.Env = append(os.Environ(), "MANWIDTH=140", "LC_ALL=C.UTF-8")
	laid.Stderr = &warnings
	if out, err := laid.Output(); err != nil || warnings.Len() > 0 || !bytes.Contains(out, []byte("proctor compare A B")) {
		t.Errorf("man: %v, warnings %s", err, &warnings)
	}
}
