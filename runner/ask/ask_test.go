package ask_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/errortest"
)

func TestAResumedRunAsksOnlyForWhatHasNoAnswer(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 28})
	failing := plan.Items[3].ID
	run := stopped(t, plan, &scripted.Model{Fail: tooSlowFor(failing)}, 10)
	if r := load(t, run).Records[3]; r.Finish != backends.FinishError || r.Cause != backends.CauseTimeout || r.Error != "too slow" {
		t.Errorf("%s, cause %q, error %q", r.Finish, r.Cause, r.Error)
	}

	var again []string
	model := &scripted.Model{Answer: func(r backends.Request) string { again = append(again, r.ID); return " The answer is (A)." }}
	goOn(t, plan, model, run, nil)
	assert.Check(t, len(again) == 28-9 && again[0] == failing,
		"asked again for %d items, first %s; want 19, first %s", len(again), again[0], failing)
	kept := load(t, run)
	for _, r := range kept.Records {
		attempts := 1
		if r.ID == failing {
			attempts = 2
		}
		assert.Check(t, r.Attempt == attempts && r.Finish == backends.FinishStop,
			"%s: attempt %d, finish %s; want attempt %d", r.ID, r.Attempt, r.Finish, attempts)
	}
	assert.Check(t, len(kept.Records) == 28, "%d records, want 28", len(kept.Records))
}

func TestABackendThatAnswersTwiceIsFoundOut(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
	err := answerAll(t, plan, echoing{&scripted.Model{}}, filepath.Join(t.TempDir(), "run"), nil)
	errortest.Says(t, err, "answered before")
}

func TestMeasuringFindsTheLongestPrompt(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{})
	if none, all := plan.Unfit(65), plan.Unfit(64); none != 0 || all != 168 {
		t.Errorf("by the cap of 64 alone, %d items do not fit 65 tokens, and %d do not fit 64", none, all)
	}
	model := &scripted.Model{}
	assert.NilError(t, plan.Measure(model))
	longest, above := 0, 0
	for _, item := range plan.Items {
		ids, err := model.Tokenize(item.Prompt())
		assert.NilError(t, err)
		longest = max(longest, len(ids))
	}
	for _, item := range plan.Items {
		if ids, _ := model.Tokenize(item.Prompt()); len(ids) == longest {
			above++
		}
	}
	w := plan.Workload()
	assert.Check(t, w.PromptTokens == longest && w.Requests == 168 && w.MaxTokens == 64,
		"workload %+v, want %d prompt tokens", w, longest)
	assert.Check(t, is.Equal(plan.Unfit(longest+63), above))
	assert.Check(t, is.Equal(plan.Unfit(longest+64), 0))
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// echoing is a backend with a defect: it calls done twice.
type echoing struct{ *scripted.Model }

func (e echoing) Generate(_ context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	for r := range requests {
		c := backends.Completion{ID: r.ID, Finish: backends.FinishStop}
		if err := errors.Join(done(c), done(c)); err != nil {
			return err
		}
	}
	return nil
}

// answerAll has a model asked a whole plan, into a run's folder.
func answerAll(t *testing.T, plan *ask.Plan, model backends.Model, run string, watch func(*journal.Record)) error {
	t.Helper()
	to, err := journal.Create(run, headerOf(t, plan, model))
	assert.NilError(t, err)
	defer to.Close()
	return plan.Run(t.Context(), model, to, &journal.Resume{}, ask.Observer{Item: watch})
}

// asksAll is answerAll in a folder of its own, which it returns.
func asksAll(t *testing.T, plan *ask.Plan, model backends.Model, watch func(*journal.Record)) (run string) {
	t.Helper()
	run = filepath.Join(t.TempDir(), "run")
	assert.NilError(t, answerAll(t, plan, model, run, watch))
	return run
}

// stopped is a run that ends after some of its items.
func stopped(t *testing.T, plan *ask.Plan, model backends.Model, after int) (run string) {
	t.Helper()
	run = filepath.Join(t.TempDir(), "run")
	to, err := journal.Create(run, headerOf(t, plan, model))
	assert.NilError(t, err)
	defer to.Close()
	ctx, stop := context.WithCancel(t.Context())
	done := 0
	err = plan.Run(ctx, model, to, &journal.Resume{}, ask.Observer{Item: func(*journal.Record) {
		if done++; done == after {
			stop()
		}
	}})
	assert.Assert(t, errors.Is(err, context.Canceled) && done == after, "%d items, error %v", done, err)
	return run
}

// goOn goes on with a run and says what it found of it.
func goOn(t *testing.T, plan *ask.Plan, model backends.Model, run string, watch func(*journal.Record)) *journal.Resume {
	t.Helper()
	to, resume, err := journal.OpenAppend(run, headerOf(t, plan, model))
	assert.NilError(t, err)
	defer to.Close()
	assert.NilError(t, plan.Run(t.Context(), model, to, resume, ask.Observer{Item: watch}))
	return resume
}

// tooSlowFor is a backend's error with one request.
func tooSlowFor(id string) func(backends.Request) *scripted.Error {
	return func(r backends.Request) *scripted.Error {
		if r.ID != id {
			return nil
		}
		return &scripted.Error{Cause: backends.CauseTimeout, Text: "too slow"}
	}
}

func headerOf(t *testing.T, plan *ask.Plan, model backends.Model) journal.Header {
	t.Helper()
	info, err := model.Info(t.Context())
	assert.NilError(t, err)
	return plan.Header(info, backends.Host{}, "test", time.Unix(0, 0))
}

// sample is the bundled question set.
func sample(t testing.TB) *dataset.Set {
	t.Helper()
	set, err := dataset.Open(dataset.SampleName, dataset.Options{})
	assert.NilError(t, err)
	return set
}

// evalOf is a task in its own style, with some worked examples.
func evalOf(t testing.TB, of task.Task, shots int) prompts.Eval {
	t.Helper()
	style, err := prompts.LookupStyle(of.Style)
	assert.NilError(t, err)
	return prompts.Eval{Task: of, Style: style, Shots: shots}
}

// planOf is a plan for the sample, with all its worked examples.
func planOf(t *testing.T, task task.Task, selection dataset.Selection) *ask.Plan {
	t.Helper()
	return planWith(t, sample(t), task, selection, ask.Settings{})
}

// planWith is a plan for a set, with as many worked examples as it has.
func planWith(t *testing.T, set *dataset.Set, task task.Task, selection dataset.Selection, settings ask.Settings) *ask.Plan {
	t.Helper()
	eval := evalOf(t, task, min(len(set.Validation), prompts.MaxShots))
	settings.RuleSet, settings.MaxTokens = eval.Style.Rules, 64
	plan, err := ask.NewPlan(set, eval, selection, settings)
	assert.NilError(t, err)
	return plan
}

func load(t *testing.T, run string) *journaltest.Journal {
	t.Helper()
	kept, err := journaltest.Load(run)
	assert.NilError(t, err)
	return kept
}

// shuffling finishes what is in flight in a random order: it holds completions back, as many as there are slots, and
// hands over any of them.
type shuffling struct {
	*scripted.Model
	random *rand.Rand
}

func (s shuffling) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	var held []backends.Completion
	release := func() error {
		i := s.random.IntN(len(held))
		c := held[i]
		held[i] = held[len(held)-1]
		held = held[:len(held)-1]
		return done(c)
	}
	err := s.Model.Generate(ctx, requests, func(c backends.Completion) error {
		if held = append(held, c); len(held) < s.Slots {
			return nil
		}
		return release()
	})
	for err == nil && len(held) > 0 {
		err = release()
	}
	return err
}

// TestNothingIsLostDoubledOrMixedUpUnderLoad asks with a nonce in every prompt, which its completion repeats, with many
// in flight, of different lengths, done in any order, some failing, in several sessions of the run.
func TestNothingIsLostDoubledOrMixedUpUnderLoad(t *testing.T) {
	for _, task := range task.Generating() {
		t.Run(task.Name, func(t *testing.T) {
			const sessions = 4
			random := rand.New(rand.NewPCG(20, 24))
			plan := planOf(t, task, dataset.Selection{})
			nonces, prompt := map[string]string{}, map[string]string{}
			for i := range plan.Items {
				item := &plan.Items[i]
				nonces[item.ID] = fmt.Sprintf("%016x", random.Uint64())
				item.Text += "\nRepeat " + nonces[item.ID] + " and answer."
				prompt[item.ID] = item.Prompt()
			}
			failures := map[string]int{}
			for id := range prompt {
				if random.IntN(10) == 0 {
					failures[id] = 1 + random.IntN(sessions-1)
				}
			}
			failing := 0
			model := shuffling{&scripted.Model{Slots: 24, Answer: repeatNonce, Fail: func(r backends.Request) *scripted.Error {
				if failures[r.ID] == 0 {
					return nil
				}
				failures[r.ID]--
				failing++
				return &scripted.Error{Cause: backends.CauseTimeout, Text: "too slow"}
			}}, random}
			seen := map[string]int{} // completions of each item
			watch := func(r *journal.Record) {
				if !r.Failed() {
					seen[r.ID]++
				}
			}
			run := asksAll(t, plan, model, watch)
			for range sessions - 1 {
				goOn(t, plan, model, run, watch)
			}
			kept := load(t, run)
			assert.Assert(t, len(kept.Records) == len(plan.Items) && failing != 0,
				"%d records of %d items; %d failures", len(kept.Records), len(plan.Items), failing)
			for _, r := range kept.Records {
				want, whole := repeatNonce(backends.Request{Prompt: prompt[r.ID]}), kept.Header.Preambles[r.Subject]+r.Prompt
				assert.Assert(t, !r.Failed() && r.Text == want && strings.Contains(r.Text, nonces[r.ID]) &&
					whole == prompt[r.ID] && seen[r.ID] == 1, "%s, answered %d times: %q, want %q", r.ID, seen[r.ID], r.Text, want)
			}
		})
	}
}

// repeatNonce takes the nonce from the end of a prompt; the text's length depends on it.
func repeatNonce(r backends.Request) string {
	_, after, _ := strings.Cut(r.Prompt, "\nRepeat ")
	nonce, _, _ := strings.Cut(after, " ")
	return nonce + strings.Repeat(".", int(nonce[0])%32)
}

// short is a tokenizer that fails on what should not be tokenised.
type short struct {
	*scripted.Model
	t *testing.T
}

func (s short) Tokenize(prompt string) ([]int32, error) {
	if len(prompt) > 1<<20 {
		s.t.Errorf("%d bytes were tokenised", len(prompt))
	}
	return s.Model.Tokenize(prompt)
}

func TestAHugeQuestionIsOneItemsFailure(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
	huge := plan.Items[3].ID
	plan.Items[3].Text = strings.Repeat("Which? ", 1<<20)
	model := short{&scripted.Model{Slots: 3, Answer: func(r backends.Request) string {
		assert.Check(t, r.ID != huge, "it was asked")
		return "the answer is (A)."
	}}, t}
	assert.NilError(t, plan.Measure(model))
	if work := plan.Workload(); work.PromptTokens == 0 || work.PromptTokens > 1<<20 {
		t.Errorf("the others need %d tokens", work.PromptTokens)
	}
	seen := 0
	run := asksAll(t, plan, model, func(*journal.Record) { seen++ })
	kept := load(t, run)
	assert.Check(t, len(kept.Records) == len(plan.Items) && seen == len(plan.Items),
		"%d records of %d items, %d seen", len(kept.Records), len(plan.Items), seen)
	for _, r := range kept.Records {
		assert.Check(t, r.Failed() == (r.ID == huge), "%s: %s", r.ID, r.Error)
		if r.ID == huge && (r.Cause != backends.CauseOversize || r.Again() || r.Prompt != "" || !strings.Contains(r.Error, "7.0 MiB")) {
			t.Errorf("%s: cause %q, %d bytes, %s", r.ID, r.Cause, len(r.Prompt), r.Error)
		}
	}
}

// TestWhatTheJournalCannotKeepIsOneItemsFailure has one item's options, and another's error, make lines that no reader takes.
func TestWhatTheJournalCannotKeepIsOneItemsFailure(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
	wordy, failing := plan.Items[3].ID, plan.Items[5].ID
	control := strings.Repeat("\x01", 12_000_000) // six bytes each in JSON
	plan.Items[3].OptionTexts = slices.Clone(plan.Items[3].OptionTexts)
	plan.Items[3].OptionTexts[0] = control
	model := &scripted.Model{Fail: func(r backends.Request) *scripted.Error {
		if r.ID == failing {
			return &scripted.Error{Cause: backends.CauseTimeout, Text: "late" + control}
		}
		return nil
	}}
	run := asksAll(t, plan, model, nil)
	kept := load(t, run)
	for _, r := range kept.Records {
		want, cause := "", backends.Cause("")
		switch r.ID {
		case wordy:
			want, cause = "the line of "+r.ID+" would have 68 MiB", backends.CauseOversize
		case failing:
			want, cause = "late\x01", backends.CauseTimeout
		}
		assert.Check(t, r.Failed() == (want != "") && (!r.Failed() || r.Cause == cause) && strings.HasPrefix(r.Error, want) &&
			len(r.Error) <= 1000, "%s: cause %q, %.100q", r.ID, r.Cause, r.Error)
	}
	report := summary(t, run)
	c := report.Completeness
	assert.Check(t, len(kept.Records) == 14 && !c.Complete && c.Errors == 2 && c.Oversize == 1 && c.Lacks() == 1 &&
		report.FailureCounts["HARNESS_ERROR"] == 1, "%d records, %+v, %v", len(kept.Records), c, report.FailureCounts)
}
