package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"proctor/prompts"
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/grade"
)

func TestWhatASignalEndsBeforeItBeginsIsInterrupted(t *testing.T) {
	ended := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		return ctx
	}
	loading := fmt.Errorf("loading model.gguf: %w", context.Canceled)
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want int
	}{
		"while a model loads":  {ended(ErrInterrupted), loading, ExitInterrupted},
		"a bad file meanwhile": {ended(ErrInterrupted), errors.New("no such file"), ExitUsage},
		"by something else":    {ended(errors.New("else")), loading, ExitUsage},
		"nothing ended it":     {context.Background(), nil, ExitOK},
	} {
		got := ExitCode(Interruption(c.ctx, c.err))
		assert.Check(t, got == c.want, "%s: exit code %d, want %d", name, got, c.want)
	}
}

// TestOnlyALaterInterruptLeavesAtOnce sends interrupts to the tests' own process.
func TestOnlyALaterInterruptLeavesAtOnce(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	assert.NilError(t, err)
	if err := self.Signal(syscall.Signal(0)); err != nil {
		t.Skip(err) // Windows
	}
	read, left := make(chan time.Time), make(chan int)
	p := &Program{Stderr: new(bytes.Buffer), Now: func() time.Time { return <-read },
		Exit: func(code int) { left <- code }}
	ctx, stop := p.Interruptible()
	defer stop()
	first := time.Unix(1000, 0)
	for _, at := range []time.Duration{0, time.Millisecond, 999 * time.Millisecond, time.Second} {
		assert.NilError(t, self.Signal(os.Interrupt))
		select {
		case read <- first.Add(at):
		case code := <-left:
			t.Fatalf("left with %d before %s", code, at)
		}
	}
	assert.Check(t, errors.Is(context.Cause(ctx), ErrInterrupted) && <-left == ExitInterrupted)
}

func TestALineComesEachMinuteInWhichNothingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, records := journaltest.MCQ(3, func(int, int, string) journaltest.Answer { return journaltest.Answer{Letter: "A"} })
		var told bytes.Buffer
		p := &Program{Stderr: &told, Now: time.Now}
		m := &Monitor{Program: p}
		m.Begin(&h, progress.Counts{Items: 3}, "")
		open := func(r *journal.Record, tokens int) { m.Open(r.ID, tokens) }
		open(&records[0], 0)
		open(&records[1], 0)
		time.Sleep(59 * time.Second)
		synctest.Wait()
		assert.Check(t, told.Len() == 0, "told before a minute passed: %q", told.String())
		open(&records[0], 1300)
		open(&records[1], 400)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		want := "mmlu_pro 0/3  2 answers open, the longest at 1,300 tokens\n"
		assert.Check(t, told.String() == want, "%q, want %q", told.String(), want)
		for i := range records {
			m.Item(&records[i])
		}
		told.Reset()
		time.Sleep(59 * time.Second)
		synctest.Wait()
		assert.Check(t, told.Len() == 0, "told again what is over: %q", told.String())
		m.End()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		assert.Check(t, told.Len() == 0, "told after the end: %q", told.String())
	})
}

// TestEveryStyleNamesARuleSetThatThereIs checks the names in prompts against the rule sets of grade, since neither imports the other.
func TestEveryStyleNamesARuleSetThatThereIs(t *testing.T) {
	for _, style := range append(prompts.Styles, prompts.Published...) {
		rules, err := grade.Lookup(style.Rules)
		assert.Check(t, err == nil && rules.Name == style.Rules, "%s: %v", style.Name, err)
	}
}
