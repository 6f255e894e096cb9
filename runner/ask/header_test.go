package ask_test

import (
	"reflect"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/journal"
)

const ownRules = "name: reply\nfirst reply ([A-J])\n"

// TestAPlansHeaderSaysAllThatWasAsked compares whole headers: of a plan that chooses everything there is to choose, and of a plain one.
func TestAPlansHeaderSaysAllThatWasAsked(t *testing.T) {
	set, err := dataset.Open(dataset.SampleName, dataset.Options{})
	assert.NilError(t, err)
	set.Splits = []dataset.Split{{Map: "question=q"}}
	builtIn, err := prompts.LookupStyle("lm-eval@1")
	assert.NilError(t, err)
	own := builtIn
	own.Name, own.BuiltIn, own.Text = "own@1", false, "the file"
	orders := task.All[2]
	orders.Subject = "eco"
	stop := []string{"enough"}
	chosen := prompts.Eval{Task: orders, Style: own, Shots: 2, Pattern: task.Circular, System: "Be brief."}
	settings := ask.Settings{RuleSet: ownRules, Sampling: backends.Sampling{Temperature: 0.5, Seed: 4}, MaxTokens: 9, Stop: stop,
		Repeats: 2}
	plain := prompts.Eval{Task: task.All[0], Style: builtIn, Shots: 1}
	sample := journal.Dataset{Name: "sample", SHA256: set.SHA256, Split: "test", Rows: 168, Options: 10, Subjects: 14,
		Map: "question=q"}
	info := backends.Info{Model: backends.ModelInfo{Name: "m"}, Engine: backends.EngineInfo{Name: "e"}, Notes: []string{"a note"}}
	made := time.Date(2026, 11, 12, 13, 14, 15, 16, time.FixedZone("", 3600))
	for name, c := range map[string]struct {
		eval     prompts.Eval
		from     dataset.Selection
		settings ask.Settings
		want     journal.Header
	}{
		"everything": {chosen, dataset.Selection{Limit: 2, First: true, Seed: 7}, settings, journal.Header{
			Task: "mmlu_pro_circular", Pattern: "circular", Dataset: sample, Shots: 2, PromptMode: "raw",
			Style: "own@1", StyleFile: journal.SourceOf("the file"), System: "Be brief.", RuleSet: "reply",
			RuleFile: journal.SourceOf(ownRules), Repeats: 2,
			Sampling:  journal.Sampling{Sampling: settings.Sampling, MaxTokens: 9, Stop: stop},
			Selection: journal.Selection{Limit: 2, First: true, Seed: 7, Subjects: []string{"economics"}, Items: 40, Questions: 2},
		}},
		"one": {plain, dataset.Selection{Limit: 1}, ask.Settings{MaxTokens: 64}, journal.Header{
			Task: "mmlu_pro", Dataset: sample, Style: "lm-eval@1", Shots: 1, PromptMode: "raw", RuleSet: "lm-eval",
			Sampling:  journal.Sampling{MaxTokens: 64, Stop: builtIn.Stop},
			Selection: journal.Selection{Limit: 1, Items: 1, Questions: 1},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := ask.NewPlan(set, c.eval, c.from, c.settings)
			assert.NilError(t, err)
			got, want := plan.Header(info, backends.Host{CPU: "c"}, "1.2", made), c.want
			want.ToolVersion, want.Created = "1.2", time.Date(2026, 11, 12, 12, 14, 15, 0, time.UTC)
			want.Model, want.Backend, want.Host, want.Notes = info.Model, info.Engine, backends.Host{CPU: "c"}, info.Notes
			want.Thinking = backends.ThinkingNames()
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
