package metrics

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal/importlog"
)

// imported are the figures of a log of the MMLU-Pro authors' scripts.
func imported(t *testing.T, rows []string) *Summary {
	t.Helper()
	file, run := filepath.Join(t.TempDir(), "log.jsonl"), filepath.Join(t.TempDir(), "run")
	assert.NilError(t, os.WriteFile(file, []byte(strings.Join(rows, "\n")), 0o600))
	log, err := importlog.Read(file)
	assert.NilError(t, err)
	assert.NilError(t, log.Keep(run))
	s, err := Open(run, Options{})
	assert.NilError(t, err)
	return s
}

// Five questions in four rotations, with 15 of the 20 rows right, are five questions: all rotations of three are right, three of one and
// none of the last, which guessing does one time in five.
func TestRotationsInALogAreClusters(t *testing.T) {
	var rows, plain []string
	options := []string{"red", "blue", "green", "pink"} // red is right
	for q := range 5 {
		for shift := range 4 {
			turned := slices.Concat(options[4-shift:], options[:4-shift])
			said := shift
			if q == 4 || q == 3 && shift == 1 {
				said = (shift + 1) % 4
			}
			row := fmt.Sprintf(`{"question_id": %d, "question": "Which is %d?", "options": ["%s"], "answer": "%c", "category": "colours", `+
				`"response": "The answer is (%c)."}`, len(rows), q, strings.Join(turned, `", "`), 'A'+shift, 'A'+said)
			if rows = append(rows, row); shift == 0 {
				plain = append(plain, row)
			}
		}
	}
	s := imported(t, rows)
	assert.Check(t, s.Tally.Questions == 5 && s.Tally.Items == 20 && s.Correct == 15 && s.Completeness.Complete, "%+v", s.Tally)
	assert.Check(t, s.Baseline.Better != nil && !*s.Baseline.Better && s.CI.Low < 0.25, "%+v, %+v", s.CI, s.Baseline)
	assert.Check(t, s.Circular.Metric(AccOrigin).Over == 5 && s.Circular.Metric("acc_circular").Over == 20, "%+v", s.Circular.Over)
	near(t, "perf_circular", s.Headline.Value, 0.6)
	for name, s := range map[string]*Summary{"rotations": s, "as they are": imported(t, plain)} {
		assert.Equal(t, s.Baseline.Nominal, 0.25, name)
	}
	again := imported(t, append(plain, strings.Split(strings.ReplaceAll(strings.Join(plain, "\n"), `_id": `, `_id": 1`), "\n")...))
	assert.Check(t, again.Repeats != nil && again.Repeats.Repeats == 2 && again.Tally.Questions == 5 && again.Tally.Items == 10, "%+v", again.Tally)
}
