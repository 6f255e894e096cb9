package console

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

func TestALineComesEachMinuteInWhichNothingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, records := journaltest.MCQ(3, func(int, int, string) journaltest.Answer { return journaltest.Answer{Letter: "A"} })
		var told bytes.Buffer
		p := &Program{Stderr: &told, Now: time.Now}
		m, err := p.Monitor("plain", "")
		assert.NilError(t, err)
		m.Begin("", &h, []progress.Subject{{Name: records[0].Subject, Items: 3}}, nil)
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
		m.Close()
		told.Reset()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		assert.Check(t, told.Len() == 0, "told after the end: %q", told.String())
	})
}
