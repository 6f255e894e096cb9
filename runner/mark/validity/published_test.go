package validity

import (
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal/importlog"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/results"
	"proctor/scripts/tests/sharedtest"
)

// Letters that nobody meant: what the weakest rule alone finds is counted, and is hardly more often right than a guess.
func TestDoubtfulAnswersOfAPublishedLogAreCounted(t *testing.T) {
	log, err := importlog.Read(sharedtest.Path(t, "data/outputs/model_outputs_Phi-3-mini-4k-instruct_5shots.zip"))
	assert.NilError(t, err)
	run, err := results.Open(journaltest.Keep(t, t.TempDir(), log.Header, log.Records), "")
	assert.NilError(t, err)
	v := run.View(0)
	doubtful := DoubtfulOf(run.RuleSets[0], v)
	assert.Equal(t, doubtful, Doubtful{Rule: "last-capital", ByRule: 928, Contradicting: 77})
	assert.Check(t, Of(run).Valid && v.Tally().Answered == 11120, "%+v", v.Tally())
	right := v.Where(func(it *results.Item) bool { return v.Of(it).Rule == doubtful.Rule }).Tally().Correct
	assert.Equal(t, right, 138) // 14.9 %
}
