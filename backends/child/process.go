package child

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Conn carries messages to and from the other process.
type Conn struct {
	sending sync.Mutex
	encoder *gob.Encoder
	decoder *gob.Decoder
}

// Send sends a message; several goroutines may at a time. An error is one of the message: where the other process is
// gone, Receive says so.
func (c *Conn) Send(message any) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	err := c.encoder.Encode(message)
	if gone := (*fs.PathError)(nil); errors.As(err, &gone) {
		return nil
	}
	return err
}

// Receive waits for the next message. Its error means that there is none: the other process has ended, or is about to.
func (c *Conn) Receive(message any) error { return c.decoder.Decode(message) }

// A Process is a child, as its parent sees it.
type Process struct {
	Conn
	PID int

	command  *exec.Cmd
	in, out  *os.File
	said     head
	exited   chan struct{} // closed once the process has ended, as status says
	status   error
	oomKills int64 // at its start

	mu     sync.Mutex
	killed string // why this process killed it; empty where it did not
}

// grace is how long a child may take to end once it should, and what it has started may hold its output open.
const grace = 2 * time.Second

// Start starts a child that does the task of a name, see [Main].
func Start(task string) (*Process, error) {
	if os.Getenv(variable) != "" {
		return nil, errors.New("a process that this program has started starts no other")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	itsIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer itsIn.Close()
	out, itsOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer itsOut.Close()
	p := &Process{in: in, out: out, exited: make(chan struct{}), oomKills: oomKills()}
	p.encoder, p.decoder = gob.NewEncoder(in), gob.NewDecoder(out)
	p.command = &exec.Cmd{
		Path: program, Args: []string{"proctor", verb, task}, Env: append(os.Environ(), variable+"=1", "GOTRACEBACK=none"),
		Stdin: itsIn, Stdout: itsOut, Stderr: &p.said, SysProcAttr: apart, WaitDelay: grace,
	}
	if err := p.command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s cannot start itself: %w", program, err), in.Close(), out.Close())
	}
	p.PID = p.command.Process.Pid
	go func() {
		p.status = p.command.Wait()
		close(p.exited)
		time.AfterFunc(grace, func() { out.Close() })
	}()
	return p, nil
}

// Kill kills the process, for this reason unless it was killed before.
func (p *Process) Kill(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed == "" {
		p.killed = why
	}
	_ = p.command.Process.Kill() // it may have ended
}

// A Death is the end of a child that had not done its task.
type Death struct {
	By     string // what killed it, for people
	Memory bool   // the system did, for want of memory
}

func (d *Death) Error() string { return d.By }

// End waits until the process has ended, which it should: soon it is killed. It returns why it ended.
func (p *Process) End() *Death {
	p.in.Close()
	late := time.AfterFunc(grace, func() { _ = p.command.Process.Kill() })
	defer late.Stop()
	<-p.exited
	p.out.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	var exit *exec.ExitError
	if p.killed != "" {
		return &Death{By: p.killed}
	}
	if !errors.As(p.status, &exit) {
		return &Death{By: "it ended before it had answered"}
	}
	status, _ := exit.Sys().(syscall.WaitStatus)
	if status.Signaled() && status.Signal() == syscall.SIGKILL && oomKills() > p.oomKills {
		return &Death{By: "killed by the system, whose memory was at its end", Memory: true}
	}
	if status.Signaled() {
		return &Death{By: "killed by " + signalName(status.Signal())}
	}
	said, _, _ := strings.Cut(strings.TrimSpace(string(p.said.text)), "\n")
	if said != "" { // Go catches signals, and says which it was
		return &Death{By: strings.TrimSpace(said)}
	}
	return &Death{By: exit.Error()}
}

// oomKills is how many processes the system has ended for want of memory; 0 where it does not say.
func oomKills() int64 {
	content, _ := os.ReadFile("/proc/vmstat")
	_, counted, _ := strings.Cut(string(content), "\noom_kill ")
	count, _, _ := strings.Cut(counted, "\n")
	n, _ := strconv.ParseInt(count, 10, 64)
	return n
}

// most of what a process says at its end is a trace.
const most = 4 << 10

// head keeps the first of what is written to it. It is read when nothing is written any more.
type head struct{ text []byte }

func (h *head) Write(p []byte) (int, error) {
	h.text = append(h.text, p[:min(len(p), most-len(h.text))]...)
	return len(p), nil
}

// said is what a child of [Answering] sends: how far it is, or at its end an answer or an error.
type said[A any] struct {
	Progress string
	Ended    bool
	Answer   A
	Error    string
}

// Ask has a child do a task of [Answering], within a time limit; 0 for none but ctx. Its error is the task's own, a
// [*Death], or the cause for which ctx ended. progress, which may be nil, gets what the task says meanwhile.
func Ask[A any](ctx context.Context, task string, limit time.Duration, request any, progress func(string)) (A, error) {
	var answer A
	p, err := Start(task)
	if err != nil {
		return answer, err
	}
	defer p.End()
	defer context.AfterFunc(ctx, func() { p.Kill("nobody waits for it") })()
	if limit > 0 {
		defer time.AfterFunc(limit, func() { p.Kill(fmt.Sprintf("no answer after %s", limit)) }).Stop()
	}
	if err := p.Send(request); err != nil {
		return answer, err
	}
	for {
		var heard said[A]
		err := p.Receive(&heard)
		if ctx.Err() != nil {
			return answer, context.Cause(ctx)
		}
		if err != nil {
			return answer, p.End()
		}
		if heard.Error != "" {
			return answer, errors.New(heard.Error)
		}
		if heard.Ended {
			return heard.Answer, nil
		}
		if progress != nil {
			progress(heard.Progress)
		}
	}
}
