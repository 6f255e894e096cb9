package importlog_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/stream"
	"proctor/runner/journal"
	"proctor/runner/journal/importlog"
	"proctor/runner/mark/grade"
	"proctor/scripts/tests/sharedtest"
)

func readShared(tb testing.TB, model string) *importlog.Log {
	tb.Helper()
	log, err := importlog.Read(sharedtest.Path(tb, "data/outputs/model_outputs_"+model+"_5shots.zip"))
	assert.NilError(tb, err)
	return log
}

type outcome struct {
	Answered int    `json:"answered"`
	Correct  int    `json:"correct"`
	Letters  string `json:"letters_sha256"`
}

func TestPublishedLogsAreMarkedLikeTheReferencesMarkThem(t *testing.T) {
	f, err := os.Open(sharedtest.Path(t, "reference/regrade.jsonl"))
	assert.NilError(t, err)
	defer f.Close()
	models := 0
	for lines := bufio.NewScanner(f); lines.Scan(); models++ {
		var want struct {
			Model  string  `json:"model"`
			N      int     `json:"n"`
			Strict outcome `json:"tiger-strict"`
			Tiger  outcome `json:"tiger"`
			Scope  outcome `json:"evalscope"`
		}
		assert.NilError(t, json.Unmarshal(lines.Bytes(), &want))
		log := readShared(t, want.Model)
		assert.Check(t, log.Header.Model.Name == want.Model && log.Header.Shots == 5 && len(log.Records) == want.N,
			"%s: read %q with %d shots and %d items", want.Model, log.Header.Model.Name, log.Header.Shots, len(log.Records))
		if d := log.Header.Dataset; d.Name != "mmlu-pro" || d.Published != "TIGER-Lab/MMLU-Pro" ||
			!slices.Contains(log.Header.Notes, "18 of its 12032 questions are not as TIGER-Lab/MMLU-Pro has them now.") {
			t.Errorf("%s: of the set %+v, notes %q", want.Model, d, log.Header.Notes)
		}
		for rules, want := range map[string]outcome{"tiger-strict": want.Strict, "tiger": want.Tiger, "evalscope": want.Scope} {
			got := mark(t, log, rules)
			assert.Check(t, got == want, "%s under %s: got %+v, the reference has %+v", log.Header.Model.Name, rules, got, want)
		}
	}
	assert.Check(t, models != 0, "the reference file is empty")
}

func mark(t *testing.T, log *importlog.Log, rules string) outcome {
	t.Helper()
	set, err := grade.Lookup(rules)
	assert.NilError(t, err)
	var got outcome
	var letters []string
	for i := range log.Records {
		m := set.Mark(&log.Header, &log.Records[i])
		letter := "-"
		if m.Answered() {
			got.Answered++
			letter = m.Letter
		}
		if m.Correct {
			got.Correct++
		}
		letters = append(letters, fmt.Sprintf("%d %s\n", log.Records[i].QuestionID, letter))
	}
	slices.Sort(letters)
	sum := sha256.Sum256([]byte(strings.Join(letters, "")))
	got.Letters = hex.EncodeToString(sum[:])
	return got
}

// The texts of the logs that MMLU-Pro's authors published: what ending loops takes from them no rule set misses. Bytes stand for
// tokens, so that a text ends where its cap did.
func TestNoLetterChangesWhereALoopIsEnded(t *testing.T) {
	sharedtest.NeedThorough(t)
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
