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
