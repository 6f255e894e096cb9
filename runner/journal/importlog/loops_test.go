package importlog_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/stream"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

// The texts of the logs that MMLU-Pro's authors published: what ending loops takes from them no rule set misses. Bytes stand for
// tokens, so that a text ends where its cap did.
func TestNoLetterChangesWhereALoopIsEnded(t *testing.T) {
	texts, ended, characters, saved := 0, 0, 0, 0
	for _, model := range []string{"Meta-Llama-3-8B", "Phi-3-mini-4k-instruct"} {
		log := readShared(t, model)
		for i := range log.Records {
			record := &log.Records[i]
			texts, characters = texts+1, characters+len(record.Text)
			at, stays := endOfLoop(record.Text)
			if at == len(record.Text) {
				continue
			}
			ended, saved = ended+1, saved+len(record.Text)-at
			assert.Check(t, stays, "%s, %s: it leaves its loop", model, record.ID)
			cut := *record
			cut.Text = record.Text[:at]
			sameLetters(t, &log.Header, record, &cut)
		}
	}
	t.Logf("%d of %d texts are ended: %d of %d characters are saved", ended, texts, saved, characters)
	assert.Equal(t, texts, 24064)
	assert.Equal(t, ended, 489)
}

// endOfLoop is where a text is ended, in bytes, and whether it only repeats itself from there.
func endOfLoop(text string) (at int, stays bool) {
	loop := stream.Loop{}
	for at = 1; at < len(text); at++ {
		if loop.Add([]byte(text[at-1:at]), len(text)-at) {
			period := periodAt(text[:at])
			return at, period > 0 && text[at:] == text[at-period:len(text)-period]
		}
	}
	return len(text), true
}

// periodAt is the length of the parts that a text ends in: four at least, and 400 bytes.
func periodAt(text string) int {
	for p := 1; max(400, 4*p) <= len(text); p++ {
		if tail := text[len(text)-max(400, 4*p):]; tail[p:] == tail[:len(tail)-p] {
			return p
		}
	}
	return 0
}

func sameLetters(t *testing.T, h *journal.Header, whole, ended *journal.Record) {
	t.Helper()
	for _, set := range grade.For("mmlu_pro") {
		want, got := set.Mark(h, whole), set.Mark(h, ended)
		assert.Check(t, want.Letter == got.Letter, "%s under %s: %q, ended %q", whole.ID, set.Name, want.Letter, got.Letter)
	}
}
