package importlog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal/importlog"
	"proctor/scripts/tests/errortest"
)

// output makes a folder of a harness's output.
func output(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return folder
}

const (
	firstDate, lastDate = "2026-11-27T07-06-33.078442", "2026-11-28T01-00-00.5"
	oneReview           = "20261127_070858/reviews/tiny/mmlu_pro_math.jsonl"
)

func TestAFolderOfOutputIsOneRun(t *testing.T) {
	sample := func(id int) string { return lmEval(t, id, "custom-extract", "Question:\nWhat?", named) }
	lm := output(t, map[string]string{
		"org__tiny/samples_mmlu_pro_law_" + lastDate + ".jsonl":     sample(1),
		"org__tiny/samples_mmlu_pro_math_" + lastDate + ".jsonl":    sample(2),
		"org__tiny/samples_mmlu_pro_math_" + firstDate + ".jsonl":   sample(3),
		"org__tiny/results_" + lastDate + ".json":                   `{"results": {}, "configs": {}}`,
		"org__tiny/samples_mmlu_pro_law_" + lastDate + ".jsonl.bak": "?",
	})
	scope := output(t, map[string]string{
		oneReview: evalscopeReview, "20261127_070858/predictions/tiny/mmlu_pro_math.jsonl": "?",
		"20261127_070858/reports/tiny/mmlu_pro.json": "?", "20261126_235959/reviews/tiny/mmlu_pro_law.jsonl": evalscopeReview,
	})
	for name, test := range map[string]struct {
		folder, model, note string
		items               int
	}{
		"lm-eval's":              {lm, "org/tiny", "the newest were taken, of " + lastDate + "; there are others of " + firstDate + ".", 2},
		"lm-eval's, of a model":  {lm + "/org__tiny/", "org/tiny", "there are others of " + firstDate + ".", 2},
		"evalscope's":            {scope, "tiny", "the newest were taken, of 20261127_070858; there are others of 20261126_235959.", 1},
		"evalscope's, of a date": {scope + "/20261127_070858", "tiny", "", 1},
		"evalscope's reviews":    {filepath.Dir(filepath.Join(scope, oneReview)), "tiny", "", 1},
	} {
		log := read(t, test.folder)
		notes := strings.Join(log.Header.Notes, "\n")
		assert.Check(t, len(log.Records) == test.items && log.Header.Model.Name == test.model &&
			strings.Contains(notes, test.note) && strings.Contains(notes, "there are others") == (test.note != ""),
			"%s: %d items of %s, notes %q", name, len(log.Records), log.Header.Model.Name, notes)
	}
}

func TestAFolderThatIsNotOneLogIsRefused(t *testing.T) {
	two := output(t, map[string]string{oneReview: "", "20261127_070858/reviews/big/mmlu_pro_math.jsonl": ""})
	_, err := importlog.Read(two)
	errortest.Says(t, err, two+" holds logs of several models (big, tiny)", "give the folder of one of them")
	none := output(t, map[string]string{"samples.jsonl": "", "reviews.jsonl": ""})
	_, err = importlog.Read(none)
	errortest.Says(t, err, none+" is a folder without lm-evaluation-harness's samples", "without evalscope's reviews", "give the log's files")
}

// A chat's shots are counted in its messages, whether they are one or several.
func TestShotsOfChatsAreCounted(t *testing.T) {
	for text, want := range map[string]int{
		"Question:\nOld?\nAnswer: A\n\nQuestion:\nWhat?": 1, "Answer this: what?": -1,
		`[{"role": "system", "content": "Answer."}, {"role": "user", "content": "Question:\nOld?"},` +
			`{"role": "assistant", "content": "A"}, {"role": "user", "content": "Question:\nWhat?"}]`: 1,
	} {
		log := read(t, file(t, "samples_x.jsonl", lmEval(t, 1, "f", text, named)))
		assert.Check(t, log.Header.Shots == want, "%d shots of %q", log.Header.Shots, text)
	}
	if log := read(t, file(t, "mmlu_pro_math.jsonl", evalscopeReview)); log.Header.Shots != 1 {
		t.Errorf("%d shots of evalscope's one message", log.Header.Shots)
	}
}
