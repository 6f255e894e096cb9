//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
)

// A terminal is a pseudo-terminal with the program on it, and the text on its screen.
type terminal struct {
	*os.File
	t      *testing.T
	screen vt10x.Terminal
	mu     sync.Mutex
	raw    bytes.Buffer
	ended  chan struct{} // all output is read
	cmd    *exec.Cmd
}

// onTerminal runs the program on a terminal.
func onTerminal(t *testing.T, columns, rows int, args ...string) *terminal {
	t.Helper()
	program, err := exec.LookPath("proctor") // which testscript put there
	assert.NilError(t, err)
	cmd := exec.Command(program, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "PROCTOR_DATA="+filepath.Join(cmd.Dir, "data"))
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	assert.NilError(t, err)
	term := &terminal{File: file, t: t, screen: vt10x.New(vt10x.WithSize(columns, rows)), ended: make(chan struct{}), cmd: cmd}
	go func() {
		defer close(term.ended)
		buffer := make([]byte, 4096)
		for {
			n, err := file.Read(buffer)
			term.mu.Lock()
			term.raw.Write(buffer[:n])
			term.screen.Write(buffer[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { cmd.Process.Kill(); file.Close() })
	return term
}

func (term *terminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.screen.String()
}

// wait waits until the screen shows a pattern.
func (term *terminal) wait(pattern string) {
	term.t.Helper()
	shows := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(2 * time.Minute); !shows.MatchString(term.text()); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			term.t.Fatalf("the screen never shows %s:\n%s", pattern, term.text())
		}
	}
}

// resize changes the terminal's size, as a window does.
func (term *terminal) resize(columns, rows int) {
	term.t.Helper()
	term.mu.Lock()
	term.screen.Resize(columns, rows)
	term.mu.Unlock()
	if err := pty.Setsize(term.File, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)}); err != nil {
		term.t.Fatal(err)
	}
}

// exits waits for the program's end, returns its code, and checks that the terminal's settings were restored.
func (term *terminal) exits() int {
	term.t.Helper()
	term.cmd.Wait()
	<-term.ended
	if !term.screen.CursorVisible() {
		term.t.Error("the cursor stays hidden")
	}
	for _, mode := range []string{"\x1b[?1049h", "\x1b[?1000h", "\x1b[?1003h"} {
		if bytes.Contains(term.raw.Bytes(), []byte(mode)) {
			term.t.Errorf("the terminal was switched to %q", mode)
		}
	}
	return term.cmd.ProcessState.ExitCode()
}

// escapes are those that move the cursor, erase or colour.
var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// The first screens of commands fit a terminal of 80 columns and 24 lines, with what is said before them; nothing is wrapped by the terminal.
func TestFirstScreensFitASmallTerminal(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	run := []string{"run", "--limit", "28", "--max-tokens", "64", "--threads", "1", "--shots", "1", "--keep-logprobs", "--out"}
	for _, test := range []struct {
		args  []string
		first string // line, which has not left the screen
		last  string
	}{
		{append(run, a), `16 slots of |Not a valid score`, `saved in `},
		{append(run, b, "--seed", "1"), `16 slots of |Not a valid score`, `saved in `},
		{[]string{"report", a}, `Not a valid score|Bundled sample · `, `everything: proctor report `},
		{[]string{"compare", a, a}, `Not a valid score|Comparison of 2 runs · `, `everything: `},
		{[]string{"plan", "--half-width", "2pp"}, `Plan · Bundled sample`, `run --dry-run says`},
		{[]string{"score", "embedded", "--against", a, "--quiet"}, `Score against `, `everything: `},
	} {
		term := onTerminal(t, 80, 24, test.args...)
		code := term.exits()
		assert.Check(t, code == 0, "%q: exit %d", test.args, code)
		for _, want := range []string{test.first, test.last} {
			assert.Check(t, regexp.MustCompile(want).MatchString(term.text()), "%q: no %s in\n%s", test.args, want, term.text())
		}
		for line := range strings.Lines(escapes.ReplaceAllString(term.raw.String(), "")) {
			line = line[strings.LastIndex(strings.TrimRight(line, "\r\n"), "\r")+1:]
			line = strings.TrimRight(line, "\r\n")
			if strings.Contains(line, "tokens/s") { // what was drawn over
				continue
			}
			copied := strings.HasPrefix(line, "  everything: ") || strings.HasPrefix(line, "saved in ") || strings.HasPrefix(line, "Score against ")
			assert.Check(t, copied || utf8.RuneCountInString(line) <= 80, "%q: %d columns: %s", test.args, utf8.RuneCountInString(line), line)
		}
	}
}

func TestProgressIsDrawnOverOnATerminalOfAnySize(t *testing.T) {
	t.Parallel()
	term := onTerminal(t, 100, 30, "run", "--subjects", "law,math", "--max-tokens", "64", "--threads", "1", "--slots", "2", "--out", "run")
	term.wait(`mmlu_pro [1-9]\d*/24  ETA .*accuracy`)
	term.resize(30, 20)
	term.wait(`mmlu_pro \d+/24`)
	term.resize(120, 60)
	code := term.exits()
	assert.Assert(t, code == 0, "exit %d:\n%s", code, term.text())
	text := term.text()
	assert.Check(t, strings.Count(text, "mmlu_pro 24/24") == 1 && strings.Count(text, "24/24") == 1,
		"the last state does not stand there once:\n%s", text)
	at, after := strings.Index(text, "mmlu_pro 24/24"), strings.Index(text, "Bundled sample, 2 of 14 subjects ")
	assert.Check(t, at >= 0 && after >= at, "the report does not follow the progress:\n%s", text)
}

func TestCtrlCLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	for name, interrupt := range map[string]func(term *terminal){
		"once": func(term *terminal) { term.Write([]byte{3}) }, // the terminal turns it into a signal
		"two at once": func(term *terminal) {
			// Stopped, so that both signals are pending when it continues.
			for _, s := range []os.Signal{syscall.SIGSTOP, os.Interrupt, syscall.SIGTERM, syscall.SIGCONT} {
				term.cmd.Process.Signal(s)
			}
		},
	} {
		term := onTerminal(t, 90, 30, "run", "--threads", "1", "--slots", "2", "--out", "run")
		term.wait(`mmlu_pro [1-9]\d*/168`)
		interrupt(term)
		code := term.exits()
		assert.Assert(t, code == console.ExitInterrupted, "%s: exit %d:\n%s", name, code, term.text())
		assert.Check(t, strings.Contains(term.raw.String(), "proctor: stopping. Interrupt again") &&
			strings.Contains(term.text(), "to resume: "), "%s: %s", name, term.text())
	}
}

// TestWhatIsPipedIsObeyedByNoTerminal checks the output into a pipe, which may lead to a pager; only a prompt stays as it is.
func TestWhatIsPipedIsObeyedByNoTerminal(t *testing.T) {
	t.Parallel()
	at, id := hostileFolder(t)
	set := at("set.jsonl")
	for _, args := range [][]string{
		{"data", "show", "--data", set, "1"}, {"data", "show", "--data", set, "--json", "1"}, {"data", "check", "--data", set},
		{"data", "stats", "--data", set}, {"data", "check", "--data", at("bad.jsonl")}, {"inspect", at("model.gguf")},
		{"inspect", at("model.gguf"), "--json"}, {"report", at("a")}, {"report", at("a"), "--format", "markdown"},
		{"report", at("a"), "--format", "json"}, {"report", at("a"), "--format", "csv"}, {"report", at("a"), "--format", "html"},
		{"report", at("a"), "--items", "--with-text", "--format", "csv"}, {"show", at("a"), id}, {"report", at("runs")},
		{"compare", at("a"), at("b"), "--format", "json"}, {"bundle", "check", at("bundle.tar")}, {"models", at("")},
	} {
		out, _ := exec.Command("proctor", args...).CombinedOutput()
		i := bytes.IndexFunc(out, obeyed)
		assert.Check(t, i < 0 && len(out) != 0, "%q prints %d bytes, with %q", args, len(out), out[max(0, i):min(len(out), i+20)])
	}
	prompt := run(t, "render", "--data", set, "--shots", "0", "--question", "1")
	assert.Check(t, strings.Contains(string(prompt), hostile), "the prompt is changed: %q", prompt)
}
