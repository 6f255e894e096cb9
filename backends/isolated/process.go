package isolated

import (
	"cmp"
	"errors"
	"fmt"
	"net/rpc"
	"os"
	"os/exec"
	"sync"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp"
)

// process is an engine's process, with the pipes to it.
type process struct {
	command *exec.Cmd
	calls   *rpc.Client
	said    *head
	gone    chan struct{} // closed when nothing of it can come any more

	work   work
	kills  int64 // of processes, for want of memory, until it was started; see oomKills
	parent *parent

	mu     sync.Mutex
	killed string // why this package ended it; empty where it did not

	dead sync.Once
	died *Death // once it is dead
}

// parent is the service that the parent offers to its engine's process.
type parent struct {
	options *llamacpp.Options
	process *process
	inLoop  chan func() // what is to be done in the goroutine of Generate, or of RunTest
	step    func(warm bool)

	mu         sync.Mutex
	generation *generation // nil while there is none
	reason     string      // why the engine gave up, in its own words
}

// pipeCount is how many pipes a process has from its parent: to read from and to write to, for each direction of calls.
const pipeCount = 4

func start(options *Options) (*process, error) {
	if os.Getenv(Variable) != "" {
		return nil, errors.New("an engine's process starts no other")
	}
	var files []*os.File // those of the child
	var kept []*os.File
	closeAll := func(all []*os.File) {
		for _, f := range all {
			f.Close()
		}
	}
	for i := range pipeCount {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(append(files, kept...))
			return nil, err
		}
		if i%2 == 0 {
			files, kept = append(files, r), append(kept, w)
		} else {
			files, kept = append(files, w), append(kept, r)
		}
	}
	// The child reads calls from its first and writes results to its second; of its own calls it reads results from the third.
	p := &process{gone: make(chan struct{}), said: &head{}, kills: oomKills()}
	p.command = &exec.Cmd{Path: options.Program, Args: options.Args}
	p.command.Env = append(os.Environ(), Variable+"=1", "GOTRACEBACK=none")
	p.command.Stderr = p.said
	apart(p.command)
	err := passPipes(p.command, files)
	if err == nil {
		err = p.command.Start()
	}
	closeAll(files)
	if err != nil {
		closeAll(kept)
		return nil, fmt.Errorf("the engine's process: %w", err)
	}
	p.calls = rpc.NewClient(joined(kept[1], kept[0]))
	p.parent = &parent{options: &options.Engine, process: p, inLoop: make(chan func())}
	server := rpc.NewServer()
	if err := server.RegisterName(parentService, p.parent); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.gone)
		server.ServeConn(joined(kept[3], kept[2]))
	}()
	return p, nil
}

// kill ends the process, for this reason.
func (p *process) kill(why string) {
	p.mu.Lock()
	p.killed = cmp.Or(p.killed, why)
	p.mu.Unlock()
	_ = p.command.Process.Kill() // it may have ended
}

// grace is how long a process may take to end, once it should or its pipes are closed.
const grace = 2 * time.Second

// end waits for the end of the process, whose pipes are closed, or are being closed now.
func (p *process) end() error {
	p.calls.Close()
	late := time.AfterFunc(grace, func() { _ = p.command.Process.Kill() })
	defer late.Stop()
	return p.command.Wait()
}

// Beat gets the amount of work done. A beat alone is no sign of life: a process that hangs sends it, too.
func (s *parent) Beat(beat Beat, _ *None) error {
	s.process.work.batches.Store(beat.Batches)
	s.process.work.done.Store(beat.Done)
	return nil
}

// Aborted gets the reason why the engine gave up; its process ends next.
func (s *parent) Aborted(reason string, _ *None) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reason = reason
	return nil
}

// Progress gets the share of the model that was read.
func (s *parent) Progress(share float64, _ *None) error {
	s.process.work.progress.Add(1)
	if s.options.Progress != nil {
		s.options.Progress(share)
	}
	return nil
}

// Warn gets a warning for people.
func (s *parent) Warn(text string, _ *None) error {
	if s.options.Warn != nil {
		s.options.Warn(text)
	}
	return nil
}

// wait runs f in the goroutine of Generate or RunTest.
func (s *parent) wait(f func()) {
	done := make(chan struct{})
	s.inLoop <- func() {
		defer close(done)
		f()
	}
	<-done
}

// do runs f with the current generation.
func (s *parent) do(f func(*generation)) error {
	s.mu.Lock()
	g := s.generation
	s.mu.Unlock()
	if g == nil {
		return errors.New("nothing is being generated")
	}
	s.wait(func() { f(g) })
	return nil
}

// Next takes the next request.
func (s *parent) Next(_ None, next *Next) error {
	return s.do(func(g *generation) { *next = g.next() })
}

// Completed receives the result of a request.
func (s *parent) Completed(c backends.Completion, _ *None) (err error) {
	reporting := s.do(func(g *generation) { err = g.completed(c) })
	return cmp.Or(reporting, err)
}

// Partings is [backends.Request.Partings].
func (s *parent) Partings(id string, at *[]int) error {
	return s.do(func(g *generation) {
		if f := g.flights[id]; f != nil {
			*at = f.request.Partings()
		}
	})
}
