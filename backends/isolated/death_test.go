//go:build unix

package isolated

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/scripts/tests/errortest"
)

// TestARunOutlivesItsEngine has an engine die, or hang, in the middle of its work: everything is answered, once, with the texts that
// it has otherwise.
func TestARunOutlivesItsEngine(t *testing.T) {
	t.Parallel()
	path := write(t)
	requests := questions(12)
	undisturbed := options(path)
	undisturbed.Slots = 4
	want := answers(t, open(t, undisturbed), requests, nil)
	for signal, says := range map[syscall.Signal]string{
		syscall.SIGKILL: "killed by SIGKILL", syscall.SIGSEGV: "SIGSEGV", syscall.SIGABRT: "SIGABRT",
		syscall.SIGSTOP: "it hung: no sign of life for ",
	} {
		t.Run(says, func(t *testing.T) {
			o := undisturbed
			patience := defaultPatience
			if signal == syscall.SIGSTOP {
				patience = little
			}
			var warned []string
			o.Warn = func(text string) { warned = append(warned, text) }
			m := ready(t, &Model{options: o, patience: patience})
			plan(t, m, backends.Workload{Requests: len(requests), PromptTokens: 100, MaxTokens: 28})
			before, err := m.Info(t.Context())
			assert.NilError(t, err)
			got := answers(t, m, requests, backendtest.After(3, func() {
				assert.Check(t, syscall.Kill(m.process.PID, signal))
			}))
			again := 0
			for id, c := range got {
				if c.Tries == 2 {
					again++
				}
				c.Tries = 0
				assert.Check(t, reflect.DeepEqual(c, want[id]), "%s: %+v, without a death %+v", id, c, want[id])
			}
			assert.Check(t, again != 0 && again <= 4, "%d were asked again, of 4 in flight", again)
			after, err := m.Info(t.Context())
			before.Engine.Multiplying, after.Engine.Multiplying = "", "" // measured by each process
			assert.Check(t, err == nil && reflect.DeepEqual(before, after), "it goes on as %+v, %v; was %+v", after, err, before)
			assert.Assert(t, len(warned) == 1, "told as %q", warned)
			errortest.Says(t, errors.New(warned[0]), says, "retried, one at a time")
		})
	}
}

// TestWhoMakesRequestsIsAnsweredBesideADeath has the vocabulary asked for a request right after the engine died of one before.
func TestWhoMakesRequestsIsAnsweredBesideADeath(t *testing.T) {
	t.Parallel()
	o := options(write(t))
	o.Slots = 3
	m := open(t, o)
	all := questions(9)
	want, err := m.Tokenize(all[3].Prompt)
	assert.NilError(t, err)
	piece := m.Piece(40)
	id, _ := m.TokenOf(piece)
	requests := func(yield func(backends.Request) bool) {
		for i, request := range all {
			if i == 3 {
				assert.Check(t, syscall.Kill(m.process.PID, syscall.SIGKILL))
				<-m.process.gone
				tokens, err := m.Tokenize(request.Prompt)
				assert.Check(t, err == nil && slices.Equal(tokens, want), "%v tokens, %v", tokens, err)
				got, found := m.TokenOf(piece)
				assert.Check(t, got == id && found, "%q is the token %d, %v", piece, got, found)
			}
			if !yield(request) {
				return
			}
		}
	}
	got := map[string]bool{}
	err = m.Generate(t.Context(), requests, func(c backends.Completion) error {
		assert.Check(t, !got[c.ID] && c.Finish != backends.FinishError, "%+v", c)
		got[c.ID] = true
		return nil
	})
	assert.Check(t, err == nil && len(got) == len(all) && m.deaths == 1, "%v: %d of %d, %d deaths", err, len(got), len(all), m.deaths)
}

// TestAnEngineThatDiesWhileItIsIdleIsReplaced kills one that nothing is asked of.
func TestAnEngineThatDiesWhileItIsIdleIsReplaced(t *testing.T) {
	t.Parallel()
	m := open(t, options(write(t)))
	answers(t, m, questions(2), nil)
	assert.NilError(t, syscall.Kill(m.process.PID, syscall.SIGKILL))
	<-m.process.gone
	answers(t, m, questions(2), nil)
}

// orphanVariable has a test's process leave an engine alone with the model that it names.
const orphanVariable = "PROCTOR_TEST_ORPHAN"

func leaveAnOrphan(path string) {
	m, err := Open(context.Background(), options(path))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(m.process.PID)
	time.Sleep(time.Minute)
	os.Exit(1)
}

// TestAnEngineDiesWithItsParent kills parents, of an engine that runs and of one that is stopped.
func TestAnEngineDiesWithItsParent(t *testing.T) {
	t.Parallel()
	path := write(t)
	for _, signal := range []syscall.Signal{0, syscall.SIGSTOP} {
		program, err := os.Executable()
		assert.NilError(t, err)
		command := exec.Command(program)
		command.Env = append(os.Environ(), orphanVariable+"="+path)
		out, err := command.StdoutPipe()
		if err == nil {
			err = command.Start()
		}
		assert.NilError(t, err)
		line, _ := bufio.NewReader(out).ReadString('\n')
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		assert.Assert(t, err == nil, "it said %q", line)
		assert.NilError(t, syscall.Kill(pid, signal))
		command.Process.Kill()
		command.Wait()
		for deadline := time.Now().Add(2 * time.Minute); lives(pid) && time.Now().Before(deadline); {
			time.Sleep(50 * time.Millisecond)
		}
		if lives(pid) {
			t.Errorf("the engine, which got signal %d, outlives its parent", signal)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// lives says whether a process is there that is no zombie.
func lives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}
