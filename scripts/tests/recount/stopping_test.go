package recount

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/journal"
)

// stopping fills in what was there at each look of a run that ends once the headline's interval is narrow enough.
func (r *plainRun) stopping() {
	if r.halfWidth == 0 {
		return
	}
	const s = "sequential."
	r.put(s+"until_half_width", r.halfWidth)
	r.put(s+"looks", float64(len(r.looks)))
	for i, look := range r.looks {
		look.answers()
		look.cover()
		at := fmt.Sprintf(s+"history.%d.", i)
		r.put(s+"confidence", 0.95)
		r.put(at+"look", float64(i+1))
		r.put(at+"questions", look.want["questions"])
		r.put(at+"items", look.want["items"])
		r.put(at+"errors", look.want["errors"])
		r.put(at+"value", look.want["headline.value"])
		r.put(at+"half_width", (look.want["headline.ci.high"]-look.want["headline.ci.low"])/2)
		r.planned = look.want["items"] // of one that goes on, the header's
	}
}

// A run of each task that stops by itself, and one of each that asks everything without having been narrow enough.
func TestASecondPlainComputationOfRunsThatStopByThemselves(t *testing.T) {
	set := &dataset.Set{Name: "school", SHA256: "5c4001"}
	for subject, size := range []int{20, 35, 60, 125} {
		for range size {
			id := len(set.Test) + 1
			set.Test = append(set.Test, dataset.Question{
				ID: id, Text: fmt.Sprintf("Which one is number %d?", id), Options: []string{"w", "x", "y", "z"}[:3+id%2],
				Answer: string(rune('A' + id%3)), AnswerIndex: id % 3, Subject: []string{"art", "biology", "chess", "dance"}[subject],
			})
		}
	}
	for _, which := range task.Generating() {
		for _, width := range []float64{0.07, 1e-6} {
			style, err := prompts.LookupStyle(which.Style)
			if err != nil {
				t.Fatal(err)
			}
			rules := map[bool]string{true: "binary", false: "tiger-strict"}[which.Variants == task.EachOption]
			plan, err := ask.NewPlan(set, prompts.Eval{Task: which, Style: style}, dataset.Selection{Seed: 3, Limit: 230},
				ask.Settings{UntilHalfWidth: width, RuleSet: rules, MaxTokens: 64})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "journal.jsonl")
			to, err := journal.Create(path, plan.Header(backends.Info{}, backends.Host{}, "test", time.Unix(0, 0)))
			if err != nil {
				t.Fatal(err)
			}
			asked := 0
			model := &scripted.Model{
				Answer: func(r backends.Request) string { return fmt.Sprintf(" The answer is (%c).", 'A'+rune(len(r.Prompt)%3)) },
				Fail: func(backends.Request) *scripted.Error {
					if asked++; asked%50 == 0 {
						return &scripted.Error{Cause: backends.CauseTimeout, Text: "it took too long"}
					}
					return nil
				},
			}
			if err := plan.Run(t.Context(), model, to, &journal.Resume{}, ask.Observer{}); err != nil {
				t.Fatal(err)
			}
			if err := to.Close(); err != nil {
				t.Fatal(err)
			}
			checkPlainly(t, fmt.Sprintf("%s, until ± %g", which.Name, width), path)
		}
	}
}
