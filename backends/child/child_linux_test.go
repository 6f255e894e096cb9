package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"gotest.tools/v3/assert"
)

// deed is what the child of these tests is asked to do; it answers with the length of Text.
type deed struct {
	Name string
	Text string
}

var deeds = map[string]func() error{
	"answers": func() error { return nil },
	"refuses": func() error { return errors.New("no such\nthing") },
	"prints": func() error { // as a C library does, more than a pipe holds
		for _, descriptor := range []int{1, 2} {
			for range 100 {
				if _, err := syscall.Write(descriptor, bytes.Repeat([]byte("\x1a\xff not an answer\n"), 1000)); err != nil {
					return err
				}
			}
		}
		fmt.Println("nor is this")
		return nil
	},
	"starts another": func() error {
		_, err := Start("deed")
		return err
	},
	"leaves one behind": func() error { // which holds its output open
		command := exec.Command("sleep", "30")
		command.Stdout, command.Stderr = kept(), os.Stderr
		if err := command.Start(); err != nil {
			return err
		}
		os.Exit(3)
		return nil
	},
	"answers in part": func() error {
		_, err := kept().Write([]byte("\x1a\xff\x81\x03\x01"))
		if err == nil {
			os.Exit(3)
		}
		return err
	},
	"ends":         func() error { os.Exit(0); return nil },
	"says why":     func() error { fmt.Fprintln(os.Stderr, "\n  no memory for it\nat 0x1"); os.Exit(3); return nil },
	"says nothing": func() error { os.Exit(3); return nil },
	"panics":       func() error { panic("out of range") },
	"overflows": func() error {
		debug.SetMaxStack(1 << 20)
		var deeper func(n int) int
		deeper = func(n int) int { return deeper(n+1) + 1 }
		deeper(0)
		return nil
	},
	"takes all memory": func() error {
		limit := unix.Rlimit{Cur: 1 << 29, Max: 1 << 29}
		if err := unix.Setrlimit(unix.RLIMIT_AS, &limit); err != nil {
			return err
		}
		held := ""
		for {
			held += strings.Repeat("x", 8<<20)
		}
	},
	"kills itself":                     func() error { return dies(syscall.SIGKILL) },
	"faults":                           func() error { return dies(syscall.SIGSEGV) },
	"computes with what the CPU lacks": func() error { return dies(syscall.SIGILL) },
	"hangs":                            func() error { select {} },
	"stops":                            func() error { return dies(syscall.SIGSTOP) },
}

// kept is the pipe that a child's answers go through.
func kept() *os.File {
	for descriptor := uintptr(3); ; descriptor++ {
		if to, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", descriptor)); err == nil && strings.HasPrefix(to, "pipe:") {
			return os.NewFile(descriptor, to)
		}
	}
}

func dies(of syscall.Signal) error {
	if err := syscall.Kill(os.Getpid(), of); err != nil {
		return err
	}
	select {}
}

func TestMain(m *testing.M) {
	Main(
		Answering("deed", func(d deed, progress func(string)) (int, error) {
			progress("begun")
			return len(d.Text), deeds[d.Name]()
		}),
		Task{"deaf", func(*Conn) { time.Sleep(time.Minute) }},
	)
	os.Exit(m.Run())
}

func ask(ctx context.Context, limit time.Duration, d deed) (answer int, heard []string, err error) {
	answer, err = Ask[int](ctx, "deed", limit, d, func(text string) { heard = append(heard, text) })
	return answer, heard, err
}

func TestAnAnswerIsTheTasksOwn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20) // more than a pipe holds
	for name, want := range map[string]string{
		"answers": "", "prints": "", "refuses": "no such\nthing",
		"starts another": "a process that this program has started starts no other",
	} {
		answer, heard, err := ask(t.Context(), time.Minute, deed{name, long})
		assert.Check(t, len(heard) == 1 && heard[0] == "begun", "%s: heard %q", name, heard)
		if want == "" {
			assert.Check(t, err == nil && answer == len(long), "%s: %d, %v", name, answer, err)
			continue
		}
		died := (*Death)(nil)
		assert.Check(t, err != nil && err.Error() == want && !errors.As(err, &died), "%s: %v", name, err)
	}
}

func TestWhyAChildDiedIsALine(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ends": "it ended before it had answered", "says why": "no memory for it", "says nothing": "exit status 3",
		"panics":    "panic: out of range",
		"overflows": "runtime: goroutine stack exceeds ", "takes all memory": "out of memory",
		"kills itself": "killed by SIGKILL",
		"faults":       "SIGSEGV: ", "computes with what the CPU lacks": "SIGILL: illegal instruction",
		"leaves one behind": "exit status 3",
		"answers in part":   "exit status 3",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := ask(t.Context(), time.Minute, deed{Name: name})
			died := (*Death)(nil)
			assert.Check(t, errors.As(err, &died) && strings.Contains(died.By, want) &&
				!strings.Contains(died.By, "\n") && !died.Memory, "%v", err)
		})
	}
}

func TestAChildThatTakesTooLongIsKilled(t *testing.T) {
	t.Parallel()
	for _, task := range []string{"hangs", "stops", "deaf"} {
		t.Run(task, func(t *testing.T) {
			t.Parallel()
			name := "deed"
			if task == "deaf" {
				name = task
			}
			_, err := Ask[int](t.Context(), name, time.Second, deed{task, strings.Repeat("x", 1<<20)}, nil)
			assert.ErrorContains(t, err, "no answer after 1s")
		})
	}
}

func TestAChildEndsWithTheRun(t *testing.T) {
	t.Parallel()
	cause := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := Ask[int](ctx, "deed", time.Minute, deed{Name: "hangs"}, func(string) { cancel(cause) })
	assert.ErrorIs(t, err, cause)
}

func TestNobodyElseStartsAChild(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	assert.NilError(t, err)
	out, err := exec.Command(program, verb, "deed").CombinedOutput()
	const says = "proctor: proctor runs this command itself: it is not a command for people\n"
	assert.Check(t, err != nil && string(out) == says, "%s, %v", out, err)
}
