package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

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

func TestAnInterruptIsToldAsProgressIs(t *testing.T) {
	var told bytes.Buffer
	p := &Program{Stderr: &told, Quiet: true, Objects: true}
	ctx, stop := p.Interruptible()
	defer stop()
	self, err := os.FindProcess(os.Getpid())
	assert.NilError(t, err)
	if err := self.Signal(os.Interrupt); err != nil {
		t.Skip("a process here sends no signals: ", err)
	}
	<-ctx.Done()
	assert.Check(t, is.Equal(told.String(),
		`{"kind":"note","text":"proctor: stopping. Interrupt again to leave at once."}`+"\n"))
}

func TestALineComesEachMinuteInWhichNothingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, records := journaltest.MCQ(3, func(int, int, string) journaltest.Answer { return journaltest.Answer{Letter: "A"} })
		var told bytes.Buffer
		p := &Program{Stderr: &told, Now: time.Now}
		m, err := p.Monitor("plain")
		assert.NilError(t, err)
		m.Begin(&h, []progress.Subject{{Name: records[0].Subject, Items: 3}}, nil)
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
		m.Item(&records[0])
		m.End()
		told.Reset()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		assert.Check(t, told.Len() == 0, "told after the end: %q", told.String())
	})
}

func TestAnAnswerCostsTheSameHoweverManySubjectsThereAre(t *testing.T) {
	allocations := func(others int) float64 {
		h, records := journaltest.MCQ(1, func(int, int, string) journaltest.Answer { return journaltest.Answer{Letter: "A"} })
		subjects := []progress.Subject{{Name: records[0].Subject, Items: 1000}}
		for i := range others {
			subjects = append(subjects, progress.Subject{Name: fmt.Sprint(i), Items: 1})
		}
		m, err := (&Program{Stderr: new(bytes.Buffer), Now: func() time.Time { return time.Time{} }}).Monitor("json")
		assert.NilError(t, err)
		defer m.End()
		m.Begin(&h, subjects, nil)
		return testing.AllocsPerRun(100, func() { m.Item(&records[0]) })
	}
	few, many := allocations(1), allocations(2000)
	assert.Check(t, many <= few, "%g allocations with 2,000 subjects, %g with one", many, few)
}

// TestEveryStyleNamesARuleSetThatThereIs checks the names in prompts against the rule sets of grade, since neither imports the other.
func TestEveryStyleNamesARuleSetThatThereIs(t *testing.T) {
	for _, style := range append(prompts.Styles, prompts.Published...) {
		rules, err := grade.Lookup(style.Rules)
		assert.Check(t, err == nil && rules.Name == style.Rules, "%s: %v", style.Name, err)
	}
}
