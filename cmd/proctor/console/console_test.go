package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
