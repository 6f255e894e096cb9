package recount

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
	"proctor/scripts/tests/sharedtest"
)

// TestASecondPlainComputationWithoutSomeQuestions recounts the score of what is left of a run, and holds a comparison
// without questions against that of journals that never had them.
func TestASecondPlainComputationWithoutSomeQuestions(t *testing.T) {
	random := rand.New(rand.NewPCG(84, 12))
	for i := range sharedtest.Count(6, 24) {
		h, records := anyRun(random, i)
		name := fmt.Sprintf("run %d, %s", i, h.Task)
		left := []string{strconv.Itoa(records[0].QuestionID), strconv.Itoa(records[len(records)/2].QuestionID)}
		out := func(question int) bool { return slices.Contains(left, strconv.Itoa(question)) }
		rest := func(records []journal.Record) []journal.Record {
			return slices.DeleteFunc(slices.Clone(records), func(r journal.Record) bool { return out(r.QuestionID) })
		}
		again := answeredAgain(random, records)
		var paths []string
		for _, content := range [][]journal.Record{records, again, rest(records), rest(again)} {
			paths = append(paths, writeJournal(t, h, content))
		}

		report, err := metrics.Open(paths[0], metrics.Options{Without: left})
		assert.NilError(t, err)
		got := report.Without
		r := plainRunOf(t, paths[0])
		r.items = keep(r.items, func(it *plainItem) bool { return !out(it.Question) })
		r.answers()
		for key, x := range map[string]float64{
			"items": float64(got.Items), "questions": float64(got.Questions), "errors": float64(got.Errors),
			"answered": float64(got.Answered), "correct": float64(got.Correct),
			"headline.value": got.Headline.Value.Or(math.NaN()), "headline.baseline": got.Headline.Baseline.Or(math.NaN()),
			"headline.ci.low": got.Headline.CI.Low, "headline.ci.high": got.Headline.CI.High,
		} {
			if want, worked := r.want[key]; !worked || !(math.Abs(x-want) <= 2e-7) {
				t.Errorf("%s: %s is %.12g, plainly %.12g (worked out: %t)", name, key, x, want, worked)
			}
		}

		o := pairs.Options{Force: true}
		never, err := pairs.Of(paths[2:], o)
		assert.NilError(t, err)
		o.Without = left
		all, err := pairs.Of(paths[:2], o)
		assert.NilError(t, err)
		p, want := all.Pairs[0].Without, never.Pairs[0]
		assert.Check(t, p.Questions == want.Questions && p.Difference == want.Difference && p.CI == want.CI &&
			p.PValue == want.PValue && all.Runs[1].Without.Headline.Value == never.Runs[1].Headline.Value,
			"%s: %+v, of journals without them %+v", name, p, want.Outcome)
	}
}
