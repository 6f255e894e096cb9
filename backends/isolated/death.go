package isolated

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"proctor/backends"
	"proctor/backends/llamacpp"
)

// A Death is the unexpected end of an engine's process.
type Death struct {
	Model string         // as the user named it
	By    string         // what killed it, for people
	Cause backends.Cause // for the items that did
}

func (d *Death) Error() string {
	return fmt.Sprintf("%s: the engine's process died: %s", d.Model, d.By)
}

// death returns why a process ended.
func (p *process) death() *Death {
	p.dead.Do(func() { p.died = p.autopsy(p.parent.options) })
	return p.died
}

func (p *process) autopsy(o *llamacpp.Options) *Death {
	ended := p.end()
	d := &Death{Model: o.Ref, Cause: backends.CauseCrash}
	p.mu.Lock()
	killed := p.killed
	p.mu.Unlock()
	var exit *exec.ExitError
	p.parent.mu.Lock()
	defer p.parent.mu.Unlock()
	switch {
	case killed != "":
		d.By = killed
	case p.parent.reason != "":
		d.By = strings.TrimPrefix(p.parent.reason, o.Path+": ")
	case !errors.As(ended, &exit):
		d.By = "it closed its pipes"
	default:
		status, _ := exit.Sys().(syscall.WaitStatus)
		switch said := p.said.first(); {
		case status.Signaled() && status.Signal() == syscall.SIGKILL && oomKills() > p.kills:
			d.By, d.Cause = "killed by the system, whose memory was at its end", backends.CauseMemory
		case status.Signaled():
			d.By = "killed by " + signalName(status.Signal())
		case said != "": // Go catches signals, and says which it was
			d.By = said
		default:
			d.By = exit.Error()
		}
	}
	return d
}

// oomKills is how many processes the system has ended for want of memory; 0 where it does not say.
func oomKills() int64 {
	content, err := os.ReadFile("/proc/vmstat")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(content) {
		if count, found := bytes.CutPrefix(line, []byte("oom_kill ")); found {
			n, _ := strconv.ParseInt(string(bytes.TrimSpace(count)), 10, 64)
			return n
		}
	}
	return 0
}

// most of what a process says at its end is a trace.
const most = 4 << 10

// head keeps the first of what is written to it. It is read when nothing is written any more.
type head struct{ text []byte }

func (h *head) Write(p []byte) (int, error) {
	h.text = append(h.text, p[:min(len(p), most-len(h.text))]...)
	return len(p), nil
}

// first is the first line that says something.
func (h *head) first() string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(h.text)), "\n")
	return strings.TrimSpace(line)
}
