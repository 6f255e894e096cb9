package ask_test

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
)

// spoilt is wavering but for the questions whose digest says that it is wrong there, so many of 100.
func spoilt(of100 int) func(backends.Request) string {
	answer := wavering(task.All[0])
	return func(r backends.Request) string {
		if n, _ := strconv.ParseUint(digest(strings.SplitAfter(r.Prompt, "?")[0])[2:10], 16, 64); int(n%100) < of100 {
			return " The answer is (B)."
		}
		return answer(r)
	}
}

// held is a plan that is held against a run, asked of a model, and its journal.
func held(t *testing.T, against string, margin float64, answer func(backends.Request) string) (*ask.Plan, string) {
	t.Helper()
	plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{Seed: 3},
		ask.Settings{UntilDecided: stopping.Until{Run: against, Margin: margin}})
	return plan, asksAll(t, plan, &scripted.Model{Answer: answer}, nil)
}

// asked is the folder of a run of the school's questions.
func asked(t *testing.T, selection dataset.Selection, answer func(backends.Request) string) string {
	t.Helper()
	return asksAll(t, planWith(t, schoolSet(), task.All[0], selection, ask.Settings{}), &scripted.Model{Answer: answer}, nil)
}

func TestARunStopsOnceItIsDecided(t *testing.T) {
	against := asked(t, dataset.Selection{}, wavering(task.All[0]))
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
			assert.Check(t, last.Decision == test.want && last.Stop == journal.StopDecided && len(kept.Records) <= test.most &&
				last.After <= len(kept.Records) && last.After > len(kept.Records)-300 && last.Evidence != nil,
				"%d items, %+v", len(kept.Records), last)
			subjects := map[string]int{}
			for _, record := range kept.Records {
				subjects[record.Subject]++
			}
			for subject, all := range map[string]int{"art": 20, "biology": 45, "chess": 135, "dance": 400, "english": 600} {
				if share := float64(all) * float64(len(kept.Records)) / 1200; math.Abs(float64(subjects[subject])-share) > 2.5 {
					t.Errorf("%d of %d questions are of %s, in proportion %.1f", subjects[subject], len(kept.Records), subject, share)
				}
			}
			goOn(t, plan, &scripted.Model{Answer: spoilt(100)}, run, nil)
			if again := load(t, run); len(again.Records) != len(kept.Records) || len(again.Interims) != len(kept.Interims) {
				t.Errorf("resumed, it has %d items and %d looks", len(again.Records), len(again.Interims))
			}
			s, err := metrics.Open(run, metrics.Options{})
			assert.Check(t, err == nil && s.Completeness.Complete && s.Sequential.Decision == test.want &&
				s.Sequential.After == last.After, "%+v, %+v, %v", s.Completeness, s.Sequential, err)
		})
	}
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
		"two subjects": {
			dataset.Selection{Seed: 3, Limit: 150, Subjects: []string{"chess", "dance"}}, "worse", -265.0 / 535,
		},
	} {
		against := asked(t, test.selection, right(true))
		plan := planWith(t, schoolSet(), task.All[0], test.selection,
			ask.Settings{UntilDecided: stopping.Until{Run: against, Margin: 0.01}})
		run := asksAll(t, plan, &scripted.Model{Answer: right(false)}, nil)
		looks := load(t, run).Interims
		last := looks[len(looks)-1]
		assert.Check(t, last.Decision == test.want && last.Value != nil && math.Abs(*last.Value-test.value) <= 0.02,
			"%s: %+v", name, last)
	}
}

func TestARunThatIsKilledDecidesTheSame(t *testing.T) {
	against := asked(t, dataset.Selection{}, wavering(task.All[0]))
	plan, run := held(t, against, 0.02, spoilt(20))
	want := load(t, run)
	for _, killedAt := range []int{1, 99, 100} {
		again := stopped(t, plan, &scripted.Model{Answer: spoilt(20)}, killedAt)
		goOn(t, plan, &scripted.Model{Answer: spoilt(20)}, again, nil)
		if got := load(t, again); !reflect.DeepEqual(got.Interims, want.Interims) || !slices.Equal(idsOf(got), idsOf(want)) {
			t.Errorf("killed after %d items: looks %+v, in one go %+v; %d items and %d", killedAt, got.Interims, want.Interims,
				len(got.Records), len(want.Records))
		}
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
	against := asked(t, dataset.Selection{}, wavering(task.All[0]))
	for name, test := range map[string]struct {
		failing int // of 100 questions
		want    journal.Stop
	}{"a few": {1, journal.StopDecided}, "more than the margin": {20, journal.StopAsked}} {
		plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{Seed: 3},
			ask.Settings{UntilDecided: stopping.Until{Run: against, Margin: 0.05}})
		model := &scripted.Model{Answer: wavering(task.All[0]), Fail: func(r backends.Request) *scripted.Error {
			if n, _ := strconv.ParseUint(digest(r.ID)[2:10], 16, 64); int(n%100) >= test.failing {
				return nil
			}
			return &scripted.Error{Cause: backends.CauseTimeout, Text: "too slow"}
		}}
		run := asksAll(t, plan, model, nil)
		kept := load(t, run)
		last := kept.Interims[len(kept.Interims)-1]
		assert.Check(t, last.Stop == test.want && last.Errors != 0, "%s: %+v", name, last)
	}
}

func TestRunsThatWereAskedOtherwiseDecideNothing(t *testing.T) {
	mcq, binary := task.All[0], task.All[1]
	run := func(task task.Task, limit int) string {
		plan := planWith(t, schoolSet(), task, dataset.Selection{Limit: limit}, ask.Settings{})
		return asksAll(t, plan, &scripted.Model{Answer: wavering(task)}, nil)
	}
	some, pairs := run(mcq, 50), run(binary, 5)
	for name, test := range map[string]struct {
		against string
		task    task.Task
		change  func(*dataset.Set)
		want    string
	}{
		"questions that it was not asked": {some, mcq, nil, "it has no answer to 1150 of these 1200 questions"},
		"another task":                    {pairs, mcq, nil, "its settings differ: task (mmlu_pro_binary there, mmlu_pro here)"},
		"several items a question":        {pairs, binary, nil, "has several items"},
		"another set":                     {some, mcq, func(s *dataset.Set) { s.SHA256 = "other" }, "sha256 (5c4001 there, other here)"},
		"nothing":                         {filepath.Join(t.TempDir(), "none"), mcq, nil, "there is no run: give"},
	} {
		other := schoolSet()
		if test.change != nil {
			test.change(other)
		}
		style, err := prompts.LookupStyle(test.task.Style)
		assert.NilError(t, err)
		_, err = ask.NewPlan(other, prompts.Eval{Task: test.task, Style: style}, dataset.Selection{}, ask.Settings{
			RuleSet: style.Rules, MaxTokens: 64, UntilDecided: stopping.Until{Run: test.against, Margin: 0.01},
		})
		assert.Check(t, err != nil && strings.Contains(err.Error(), test.want) &&
			strings.HasPrefix(err.Error(), "until decided "+test.against), "%s: %v, want %q", name, err, test.want)
	}
}

// schoolSet is a made-up set of five subjects of very different sizes.
func schoolSet() *dataset.Set {
	set := &dataset.Set{Name: "school", SHA256: "5c4001"}
	id := 0
	for subject, size := range map[string]int{"art": 20, "biology": 45, "chess": 135, "dance": 400, "english": 600} {
		for range size {
			id++
			set.Test = append(set.Test, dataset.Question{Text: "?", Options: []string{"w", "x", "y", "z"}, Answer: "C", AnswerIndex: 2,
				Subject: subject})
		}
	}
	slices.SortFunc(set.Test, func(a, b dataset.Question) int { return strings.Compare(a.Subject, b.Subject) })
	for i := range set.Test {
		set.Test[i].ID, set.Test[i].Text = i+1, fmt.Sprintf("Which one is number %d?", i+1)
	}
	return set
}

// wavering knows every other of the school set's questions, in whatever order its options stand.
func wavering(task task.Task) func(backends.Request) string {
	return func(r backends.Request) string {
		letter := "A"
		if task.Style == "binary@1" {
			letter = string("AB"[digest(r.Prompt)[0]%2])
		} else if at := strings.LastIndex(r.Prompt, ". y\n"); digest(strings.SplitAfter(r.Prompt, "?")[0])[0]%2 == 0 {
			letter = r.Prompt[at-1 : at]
		}
		return " The answer is (" + letter + ")."
	}
}

func TestALookThatWasTakenStandsWhenFailedItemsAreAskedAgain(t *testing.T) {
	against := asked(t, dataset.Selection{}, wavering(task.All[0]))
	plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{}, ask.Settings{UntilDecided: stopping.Until{Run: against, Margin: 0.3}})
	failing := &scripted.Model{Answer: wavering(task.All[0]), Fail: func(r backends.Request) *scripted.Error {
		if r.ID != plan.Items[4].ID && !strings.HasSuffix(r.ID, "7") {
			return nil
		}
		return &scripted.Error{Cause: backends.CauseTimeout, Text: "too slow"}
	}}
	run := asksAll(t, plan, failing, nil)
	before := load(t, run)
	again := 0
	resume := goOn(t, plan, &scripted.Model{Answer: wavering(task.All[0])}, run, func(*journal.Record) { again++ })
	after := load(t, run)
	if again != len(resume.Failed) || again == 0 || !reflect.DeepEqual(after.Interims, before.Interims) ||
		len(after.Records) != len(before.Records) {
		t.Errorf("asked %d of %d failed items; %d looks then %d; %d items then %d",
			again, len(resume.Failed), len(before.Interims), len(after.Interims), len(before.Records), len(after.Records))
	}
	assert.Check(t, before.Interims[0].Errors != 0, "the look does not count the errors")
}
