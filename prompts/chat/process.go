package chat

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"

	"proctor/backends/setting"
)

// What one rendering may take. A published template over a long conversation takes milliseconds and a few megabytes.
const (
	maxTime   = 5 * time.Second
	maxMemory = 512 << 20 // of the whole process
	maxStack  = 64 << 20
	maxText   = 16 << 20 // of what it writes
)

// A Process renders templates that strangers wrote, in a process of its own, which the first job starts and the end of this one
// ends. A template that takes more than it may ends that process, and the next job starts another. Any number of goroutines may use it.
type Process struct {
	Args []string // have this program [Serve]

	patience time.Duration // for a job; maxTime where it is 0

	mu    sync.Mutex
	child *child // nil before the first job, and after one that ended it
}

// child is a process that serves.
type child struct {
	command *exec.Cmd
	to      *gob.Encoder
	from    *gob.Decoder
	said    bytes.Buffer // on standard error; complete once command has ended
	source  string       // the template that it has
}

// answer is a child's result for a job.
type answer struct {
	Text    string
	Error   string // empty where it was rendered
	Refused bool   // Error is a refusal's message
}

// Render is a [Renderer].
func (p *Process) Render(job Job) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child == nil {
		c, err := start(p.Args)
		if err != nil {
			return "", fmt.Errorf("the process that renders it: %w", err)
		}
		p.child = c
	}
	a, err := p.child.ask(job, cmp.Or(p.patience, maxTime))
	switch {
	case err != nil:
		p.child = nil
		return "", err
	case a.Refused:
		return "", &Refusal{a.Error}
	case a.Error != "":
		return "", errors.New(a.Error)
	}
	return a.Text, nil
}

func start(args []string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{command: &exec.Cmd{Path: program, Args: args, Env: append(os.Environ(), "GOTRACEBACK=none")}}
	c.command.Stderr = &c.said
	to, err := c.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.to, c.from = gob.NewEncoder(to), gob.NewDecoder(from)
	return c, c.command.Start()
}

// ask has a job done within a time. After an error the child has ended.
func (c *child) ask(job Job, within time.Duration) (a answer, err error) {
	source := job.Source
	if source == c.source {
		job.Source = ""
	}
	var late atomic.Bool
	deadline := time.AfterFunc(within, func() {
		late.Store(true)
		_ = c.command.Process.Kill() // it may have ended
	})
	if err = c.to.Encode(job); err == nil {
		err = c.from.Decode(&a)
	}
	deadline.Stop()
	if err == nil && !late.Load() {
		if c.source = source; a.Error != "" {
			c.source = "" // it may not have parsed it
		}
		return a, nil
	}
	_ = c.command.Process.Kill()
	_ = c.command.Wait()
	const tooMuch = "rendering it takes more than %s: %s does without it"
	raw := setting.Prompt.As("raw")
	switch said := c.said.String(); {
	case late.Load():
		err = fmt.Errorf(tooMuch, within, raw)
	case strings.Contains(said, "memory"): // the runtime says it in many ways
		err = fmt.Errorf(tooMuch, humanize.IBytes(maxMemory)+" of memory", raw)
	case strings.Contains(said, "stack exceeds"):
		err = fmt.Errorf(tooMuch, humanize.IBytes(maxStack)+" of stack", raw)
	default:
		first, _, _ := strings.Cut(said, "\n")
		err = fmt.Errorf("the process that renders it ended: %s: %s", c.command.ProcessState, first)
	}
	return answer{}, err
}

// Serve is the main loop of a [Process]'s child: it answers jobs until the parent closes the pipe, even in the middle of a job.
func Serve(in io.Reader, out io.Writer) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // they are for the parent to obey
	debug.SetMaxStack(maxStack)
	limitMemory()
	jobs := make(chan Job)
	go answerAll(jobs, gob.NewEncoder(out))
	for from := gob.NewDecoder(in); ; {
		var job Job
		if from.Decode(&job) != nil {
			return nil // the parent is gone
		}
		jobs <- job
	}
}

func answerAll(jobs <-chan Job, to *gob.Encoder) {
	var last parsed
	for job := range jobs {
		text, err := last.render(job)
		if err == nil && len(text) > maxText {
			err = fmt.Errorf("it writes %s: more than %s", humanize.IBytes(uint64(len(text))), humanize.IBytes(maxText))
		}
		a := answer{Text: text}
		if err != nil {
			a = answer{Error: err.Error()}
		}
		if refusal, is := errors.AsType[*Refusal](err); is {
			a = answer{Error: refusal.Message, Refused: true}
		}
		_ = to.Encode(a) // or the parent is gone
	}
}
