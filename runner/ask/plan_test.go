package ask_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
)

// TestAPlanStatesItsLimitInQuestions has the bundled sample: 14 subjects of 12 questions.
func TestAPlanStatesItsLimitInQuestions(t *testing.T) {
	for want, selection := range map[int]dataset.Selection{
		0: {}, 167: {Limit: 167}, 5: {Limit: 5, Subjects: []string{"law"}}, 42: {PerSubject: 3}, 84: {Share: 0.5},
	} {
		plan := planOf(t, task.All[0], selection)
		h := headerOf(t, plan, &scripted.Model{})
		assert.Check(t, is.Equal(h.Selection.Limit, want), "%+v", selection)
	}
}

const ownRules = "name: reply\nfirst reply ([A-J])\n"

// TestAPlansHeaderHasAllSettings compares whole headers: of a plan that chooses everything there is to choose, and of a plain one.
func TestAPlansHeaderHasAllSettings(t *testing.T) {
	set := sample(t)
	set.Splits = []dataset.Split{{Map: "question=q"}}
	builtIn, err := prompts.LookupStyle("lm-eval@1")
	assert.NilError(t, err)
	own := builtIn
	own.Name, own.BuiltIn, own.Text = "own@1", false, "the file"
	orders := task.All[2]
	orders.Subject = "eco"
	stop := []string{"enough"}
	chosen := prompts.Eval{Task: orders, Style: own, Shots: 2, Pattern: task.Circular, System: "Be brief."}
	settings := spec.Spec{Repeats: 2, Rules: spec.Rules{Source: setting.Source{Given: "own.rules", Text: ownRules}},
		Questions: spec.Questions{Seed: 4},
		Answers:   spec.Answers{Temperature: 0.5, MaxTokens: 9, Stop: spec.Stop{Given: true, Strings: stop}}}
	plain := prompts.Eval{Task: task.All[0], Style: builtIn, Shots: 1}
	sample := journal.Dataset{Name: "sample", SHA256: set.SHA256, Split: "test", Rows: 168, Options: 10, Subjects: 14,
		Map: "question=q"}
	info := backends.Info{Model: backends.ModelInfo{Name: "m"}, Engine: backends.EngineInfo{Name: "e"}, Notes: []string{"a note"}}
	made := time.Date(2026, 11, 12, 13, 14, 15, 16, time.FixedZone("", 3600))
	for name, c := range map[string]struct {
		eval     prompts.Eval
		from     dataset.Selection
		settings spec.Spec
		want     journal.Header
	}{
		"everything": {chosen, dataset.Selection{Limit: 2, First: true, Seed: 7}, settings, journal.Header{
			Task: "mmlu_pro_circular", Pattern: "circular", StyleFile: journal.SourceOf("the file"), RuleSet: "reply",
			RuleFile: journal.SourceOf(ownRules),
			Setup: journal.Setup{
				Dataset: sample, Shots: 2, PromptMode: "raw",
				Style: "own@1", System: "Be brief.", Repeats: 2,
				Sampling:  journal.Sampling{Sampling: settings.Drawn(), MaxTokens: 9, Stop: stop},
				Selection: journal.Selection{Limit: 2, First: true, Seed: 7, Subjects: []string{"economics"}, Items: 40, Questions: 2},
			},
		}},
		"one": {plain, dataset.Selection{Limit: 1}, capped(64), journal.Header{
			Task: "mmlu_pro", RuleSet: "lm-eval",
			Setup: journal.Setup{
				Dataset: sample, Style: "lm-eval@1", Shots: 1, PromptMode: "raw",
				Sampling:  journal.Sampling{MaxTokens: 64, Stop: builtIn.Stop},
				Selection: journal.Selection{Limit: 1, Items: 1, Questions: 1},
			},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			questions, err := ask.NewQuestions(set, c.eval, c.from, c.settings)
			assert.NilError(t, err)
			plan := measured(t, &ask.Plan{Prompts: *questions.Raw()}, nil)
			got, want := plan.Header(info, backends.Host{CPU: "c"}, "1.2", made), c.want
			want.History = journal.History{{
				ToolVersion: "1.2", Created: time.Date(2026, 11, 12, 12, 14, 15, 0, time.UTC), Host: backends.Host{CPU: "c"},
				Questions: want.Selection.Draw(), MaxTokens: want.Sampling.MaxTokens,
			}}
			want.Model, want.Backend, want.Notes = info.Model, info.Engine, info.Notes
			ids := []string{}
			want.Preambles = map[string]string{}
			for _, item := range plan.Items {
				ids = append(ids, item.ID)
				want.Preambles[item.Subject] = item.Preamble
			}
			want.Selection.IDsSHA256 = journal.DigestIDs(ids)
			assert.Check(t, reflect.DeepEqual(got, want), "got %+v\nwant %+v", got, want)
		})
	}
}

func TestEveryItemIsAskedSeveralTimesWithSeedsOfTheirOwn(t *testing.T) {
	const times = 3
	settings := spec.Spec{Repeats: times, Questions: spec.Questions{Seed: 4_000_000_000}, Answers: spec.Answers{Temperature: 0.8}}
	for _, task := range task.Generating() {
		t.Run(task.Name, func(t *testing.T) {
			selection := dataset.Selection{PerSubject: 2}
			once := planWith(t, schoolSet(), task, selection, spec.Spec{})
			plan := planWith(t, schoolSet(), task, selection, settings)
			assert.Assert(t, len(plan.Items) == times*len(once.Items), "%d, %d, %d", len(plan.Items), times, len(once.Items))
			seeds := map[string]map[uint32]bool{} // of each prompt
			all := map[uint32]bool{}
			var order []string
			model := &scripted.Model{Answer: func(r backends.Request) string {
				if seeds[r.Prompt] == nil {
					seeds[r.Prompt] = map[uint32]bool{}
				}
				seeds[r.Prompt][r.Sampling.Seed] = true
				assert.Check(t, !all[r.Sampling.Seed], "%s is drawn with the seed of another item", r.ID)
				all[r.Sampling.Seed] = true
				order = append(order, r.ID)
				return scripted.Letter(r)
			}}
			run := asksAll(t, plan, model, nil)
			for prompt, drawn := range seeds {
				assert.Check(t, len(drawn) == times, "%q has %d seeds", prompt, len(drawn))
			}
			kept := load(t, run)
			assert.Check(t, kept.Header.Repeats == times && kept.Header.Selection.Items == len(plan.Items) &&
				kept.Header.Selection.Questions == 10, "header: %d repeats, %+v", kept.Header.Repeats, kept.Header.Selection)
			subjects, side := 0, 0
			for i, r := range kept.Records {
				assert.Check(t, r.ID == journal.RepeatID(strings.SplitN(r.ID, "#", 2)[0], max(1, r.Repeat)),
					"%s has repeat %d", r.ID, r.Repeat)
				if i > 0 && r.Subject != kept.Records[i-1].Subject {
					subjects++
				}
				if i > 0 && r.Prompt == kept.Records[i-1].Prompt {
					side++
				}
			}
			assert.Check(t, is.Equal(subjects, 4), "five subjects in all: each one's preamble is read once")
			assert.Check(t, is.Equal(side, (times-1)*len(once.Items)), "repeats come right behind each other")
			assert.Check(t, kept.Records[0].Repeat == 0 && len(order) == len(plan.Items), "%+v, %d", kept.Records[0], len(order))
		})
	}
}

func TestGreedyRepeatsAreApart(t *testing.T) {
	plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{PerSubject: 6}, spec.Spec{Repeats: 3})
	subjects := 0
	for i := 1; i < len(plan.Items); i++ {
		if plan.Items[i].Subject != plan.Items[i-1].Subject {
			subjects++
		}
		assert.Check(t, plan.Items[i].Prompt() != plan.Items[i-1].Prompt(), "%s, %s", plan.Items[i].ID, plan.Items[i-1].ID)
	}
	assert.Check(t, subjects == 4, "the subject changes %d times on the way", subjects)
}
