package child

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// verb is the command by which this program is a child. The task's name follows.
const verb = "child"

// variable is set for children.
const variable = "PROCTOR_CHILD"

// A Task is one of the things that children do.
type Task struct {
	Name string
	Do   func(parent *Conn) // it ends with its parent: where Receive fails, what is computed still is for nobody
}

// Main does the task that the command line names, and ends the process, where that is a child's. Whatever starts
// children calls it first.
func Main(tasks ...Task) {
	if len(os.Args) != 3 || os.Args[1] != verb {
		return
	}
	at := slices.IndexFunc(tasks, func(t Task) bool { return t.Name == os.Args[2] })
	if at < 0 || os.Getenv(variable) == "" {
		fail(errors.New("proctor runs this command itself: it is not a command for people"))
	}
	// They are for the parent to obey, which ends this process where it does.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	// Where memory ends it is this one that should go. It may not be allowed to.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	out, err := keepOutput()
	if err != nil {
		fail(err)
	}
	tasks[at].Do(&Conn{encoder: gob.NewEncoder(out), decoder: gob.NewDecoder(os.Stdin)})
	os.Exit(0)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "proctor: "+err.Error())
	os.Exit(2)
}

// Answering is a task that answers one request; see [Ask]. It may say how far it is.
func Answering[Q, A any](name string, do func(q Q, progress func(string)) (A, error)) Task {
	return Task{name, func(parent *Conn) {
		var q Q
		err := parent.Receive(&q)
		go func() {
			_ = parent.Receive(&struct{}{}) // nothing comes but the parent's end
			os.Exit(0)
		}()
		last := said[A]{Ended: true}
		if err == nil {
			last.Answer, err = do(q, func(text string) { _ = parent.Send(said[A]{Progress: text}) })
		}
		if err != nil {
			last.Error = err.Error()
		}
		if err := parent.Send(last); err != nil {
			fail(err)
		}
	}}
}
