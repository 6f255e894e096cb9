package ask_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/scripts/tests/errortest"
)

// spoilt is wavering but for the questions whose digest says that it is wrong there, so many of 100.
func spoilt(of100 int) func(backends.Request) string {
	answer := wavering(task.All[0])
	return func(r backends.Request) string {
		if percent(strings.SplitAfter(r.Prompt, "?")[0]) < of100 {
			return " The answer is (B)."
		}
		return answer(r)
	}
}

// varied answers with one letter or another, by the question.
func varied(r backends.Request) string {
	return " The answer is (" + string(rune('A'+percent(r.ID)%4)) + ")."
}

// percent is a number below 100 that a text always has.
func percent(text string) int {
	n, _ := strconv.ParseUint(digest(text)[2:10], 16, 64)
	return int(n % 100)
}

// held is a plan that is held against a run, asked of a model, and its journal.
func held(t *testing.T, against string, margin float64, answer func(backends.Request) string) (*ask.Plan, string) {
	t.Helper()
	plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{Seed: 3},
		decided(against, margin))
	return plan, asksAll(t, plan, &scripted.Model{Answer: answer}, nil)
}

// reference is the folder of a run of the school's questions.
func reference(t *testing.T, selection dataset.Selection, answer func(backends.Request) string) string {
	t.Helper()
	return asksAll(t, planWith(t, schoolSet(), task.All[0], selection, spec.Spec{}), &scripted.Model{Answer: answer}, nil)
}

func TestARunStopsOnceItIsDecided(t *testing.T) {
	against := reference(t, dataset.Selection{}, wavering(task.All[0]))
	for name, test := range map[string]struct {
		spoilt int
		margin float64
		want   string
		most   int // items
	}{
		"the same answers":                        {0, 0.02, "not_worse", 600},
		"a tenth of all answers spoilt":           {20, 0.02, "worse", 600},
		"spoilt, but by less than is put up with": {6, 0.15, "not_worse", 400},
	} {
		t.Run(name, func(t *testing.T) {
			plan, run := held(t, against, test.margin, spoilt(test.spoilt))
			kept := load(t, run)
			last := kept.Interims[len(kept.Interims)-1]
			items := len(kept.Records)
			assert.Check(t, last.Decision == test.want && last.Stop == journal.StopDecided && items <= test.most &&
				last.After <= items && last.After > items-300 && last.Evidence != nil, "%d items, %+v", items, last)
			subjects := map[string]float64{}
			for _, record := range kept.Records {
				subjects[record.Subject]++
			}
			for subject, all := range schoolSizes {
				share := float64(all*items) / 1200
				assert.Check(t, math.Abs(subjects[subject]-share) <= 2.5, "%s: %g of %d, want %g", subject, subjects[subject], items, share)
			}
			resumes(t, plan, &scripted.Model{Answer: spoilt(100)}, run, nil)
			again := load(t, run)
			assert.Check(t, len(again.Records) == items && len(again.Interims) == len(kept.Interims), "resumed: %+v", again.Interims)
			s, err := metrics.Open(run, metrics.Options{})
			assert.Check(t, err == nil && s.Completeness.Complete && s.Sequential.Decision == test.want &&
				s.Sequential.After == last.After, "%+v, %+v, %v", s.Completeness, s.Sequential, err)
		})
	}
}

// TestAScoreThatIsNotValidDecidesNothing has each of two runs, or both, cut at their caps.
func TestAScoreThatIsNotValidDecidesNothing(t *testing.T) {
	cut := func(backends.Request) string { return " Let us see" } // and never an answer
	plan, run := held(t, reference(t, dataset.Selection{}, wavering(task.All[0])), 0.02, cut)
	kept := load(t, run)
	last := kept.Interims[len(kept.Interims)-1]
	assert.Check(t, len(kept.Records) == len(plan.Items) && last.Decision == "" && last.Stop == journal.StopExhausted, "%+v", last)
	_, run = held(t, reference(t, dataset.Selection{}, cut), 0.02, wavering(task.All[0]))
	kept = load(t, run)
	last = kept.Interims[len(kept.Interims)-1]
	assert.Check(t, len(kept.Records) == len(plan.Items) && last.Decision == "", "held against one that is cut: %+v", last)
}

// TestADrawDecidesOverItsSet has a draw of 20 questions of each subject, of which the model wins three subjects with a sixth of
// the set and loses two with the rest.
func TestADrawDecidesOverItsSet(t *testing.T) {
	right := func(inLarge bool) func(backends.Request) string {
		return func(r backends.Request) string {
			id, _ := strconv.Atoi(strings.TrimPrefix(r.ID, "mmlu_pro/"))
			return " The answer is (" + map[bool]string{true: "C", false: "B"}[(id > 200) == inLarge] + ")."
		}
	}
	for name, test := range map[string]struct {
		selection dataset.Selection
		want      string
		value     float64
	}{
		"a draw that is even":        {dataset.Selection{Seed: 3, Limit: 100}, "worse", -800.0 / 1200},
		"the first ones of the file": {dataset.Selection{First: true, Limit: 300}, "not_worse", 100.0 / 300},
		"two subjects":               {dataset.Selection{Seed: 3, Limit: 150, Subjects: []string{"chess", "dance"}}, "worse", -265.0 / 535},
	} {
		against := reference(t, test.selection, right(true))
		plan := planWith(t, schoolSet(), task.All[0], test.selection,
			decided(against, 0.01))
		run := asksAll(t, plan, &scripted.Model{Answer: right(false)}, nil)
		interims := load(t, run).Interims
		last := interims[len(interims)-1]
		assert.Check(t, last.Decision == test.want && last.Value != nil && math.Abs(*last.Value-test.value) <= 0.02, "%s: %+v", name, last)
	}
}

func TestARunThatIsKilledDecidesTheSame(t *testing.T) {
	against := reference(t, dataset.Selection{}, wavering(task.All[0]))
	plan, run := held(t, against, 0.02, spoilt(20))
	want := load(t, run)
	for _, killedAt := range []int{1, 99, 100} {
		again := stopped(t, plan, &scripted.Model{Answer: spoilt(20)}, killedAt)
		resumes(t, plan, &scripted.Model{Answer: spoilt(20)}, again, nil)
		got := load(t, again)
		assert.Check(t, is.DeepEqual(got.Interims, want.Interims), "killed after %d items", killedAt)
		assert.Check(t, is.DeepEqual(idsOf(got), idsOf(want)), "killed after %d items", killedAt)
	}
}

func idsOf(j *journaltest.Journal) []string {
	var ids []string
	for _, r := range j.Records {
		ids = append(ids, r.ID+r.Text)
	}
	return slices.Sorted(slices.Values(ids))
}

// A model that is as good, and fails now and then: more failures than the margin leave it open.
func TestADecisionHoldsWhateverFailedWouldBe(t *testing.T) {
	against := reference(t, dataset.Selection{}, wavering(task.All[0]))
	for name, test := range map[string]struct {
		failing int // of 100 questions
		want    journal.Stop
	}{"a few": {1, journal.StopDecided}, "more than the margin": {20, journal.StopExhausted}} {
		plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{Seed: 3},
			decided(against, 0.05))
		fails := failsWhere(func(r backends.Request) bool { return percent(r.ID) < test.failing }, "too slow")
		interims := load(t, asksAll(t, plan, &scripted.Model{Answer: wavering(task.All[0]), Fail: fails}, nil)).Interims
		last := interims[len(interims)-1]
		assert.Check(t, last.Stop == test.want && last.Errors != 0, "%s: %+v", name, last)
	}
}

func TestRunsWithOtherSettingsDecideNothing(t *testing.T) {
	mcq, binary := task.All[0], task.All[1]
	run := func(task task.Task, limit int) string {
		plan := planWith(t, schoolSet(), task, dataset.Selection{Limit: limit}, spec.Spec{})
		return asksAll(t, plan, &scripted.Model{Answer: wavering(task)}, nil)
	}
	some, pairs := run(mcq, 50), run(binary, 5)
	for name, test := range map[string]struct {
		against      string
		task         task.Task
		sha256, want string
	}{
		"several items a question": {pairs, binary, "5c4001", "a question has several items"},
		"another set":              {some, mcq, "other", "sha256 (5c4001 and other)"},
	} {
		other := schoolSet()
		other.SHA256 = test.sha256
		eval := evalOf(t, test.task, 0)
		_, err := ask.NewQuestions(other, eval, dataset.Selection{}, decided(test.against, 0.01))
		errortest.For(t, name, err, "until decided "+test.against, test.want)
	}
}

// schoolSet is a made-up set of five subjects of very different sizes.
func schoolSet() *dataset.Set {
	set := &dataset.Set{Name: "school", SHA256: "5c4001"}
	for _, subject := range slices.Sorted(maps.Keys(schoolSizes)) {
		for range schoolSizes[subject] {
			id := len(set.Test) + 1
			set.Test = append(set.Test, dataset.Question{ID: id, Text: fmt.Sprintf("Which one is number %d?", id),
				Options: []string{"w", "x", "y", "z"}, Answer: "C", AnswerIndex: 2, Subject: subject})
		}
	}
	return set
}

var schoolSizes = map[string]int{"art": 20, "biology": 45, "chess": 135, "dance": 400, "english": 600}

// wavering knows every other of the school set's questions, in whatever order its options stand.
func wavering(task task.Task) func(backends.Request) string {
	return func(r backends.Request) string {
		letter := "A"
		if task.Style == "binary@2" {
			letter = string("AB"[digest(r.Prompt)[0]%2])
		} else if at := strings.LastIndex(r.Prompt, ". y\n"); digest(strings.SplitAfter(r.Prompt, "?")[0])[0]%2 == 0 {
			letter = r.Prompt[at-1 : at]
		}
		return " The answer is (" + letter + ")."
	}
}

func TestAnInterimAnalysisStandsWhenFailedItemsAreAskedAgain(t *testing.T) {
	against := reference(t, dataset.Selection{}, wavering(task.All[0]))
	plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{}, decided(against, 0.3))
	fails := failsWhere(func(r backends.Request) bool { return r.ID == plan.Items[4].ID || strings.HasSuffix(r.ID, "7") }, "too slow")
	run := asksAll(t, plan, &scripted.Model{Answer: wavering(task.All[0]), Fail: fails}, nil)
	before := load(t, run)
	again := 0
	resume := resumes(t, plan, &scripted.Model{Answer: wavering(task.All[0])}, run, func(*journal.Record) { again++ })
	after := load(t, run)
	failed := len(resume.Attempts) - len(resume.Done)
	assert.Check(t, again == failed && again != 0, "asked %d of %d failed items", again, failed)
	assert.Check(t, is.DeepEqual(after.Interims, before.Interims))
	assert.Check(t, is.Len(after.Records, len(before.Records)))
	assert.Check(t, before.Interims[0].Errors != 0, "the look does not count the errors")
}
