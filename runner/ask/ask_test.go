package ask_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
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
	"proctor/runner/ask/prefixes"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/errortest"
)

func TestAResumedRunAsksOnlyForWhatHasNoAnswer(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 28})
	failing := plan.Items[3].ID
	run := stopped(t, plan, &scripted.Model{Fail: failsAt(failing, "too slow")}, 10)
	late := load(t, run).Records[3]
	assert.Check(t, late.Finish == backends.FinishError && late.Cause == backends.CauseTimeout && late.Error == "too slow", "%+v", late)
	var again []string
	model := &scripted.Model{Answer: func(r backends.Request) string { again = append(again, r.ID); return " The answer is (A)." }}
	resumes(t, plan, model, run, nil)
	assert.Check(t, len(again) == 28-9 && again[0] == failing, "%d, %s, %s", len(again), again[0], failing)
	kept := load(t, run)
	for _, r := range kept.Records {
		attempts := map[bool]int{false: 1, true: 2}[r.ID == failing]
		assert.Check(t, r.Attempt == attempts && r.Finish == backends.FinishStop, "%+v, want attempt %d", r, attempts)
	}
	assert.Check(t, len(kept.Records) == 28, "%d records, want 28", len(kept.Records))
}

func TestABackendThatAnswersTwiceIsFoundOut(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
	_, err := asking(t.Context(), t, plan, echoing{&scripted.Model{}}, filepath.Join(t.TempDir(), "run"), ask.Observer{})
	errortest.Says(t, err, "answered before")
}

// New tokens are counted some hundreds of items at a time, and are those that counting all of them at once finds.
func TestNewTokensAreCountedAsAnswersCome(t *testing.T) {
	model := &scripted.Model{}
	plan := measured(t, planOf(t, task.All[2], dataset.Selection{}), model)
	run := filepath.Join(t.TempDir(), "run")
	_, err := asking(t.Context(), t, plan, model, run, ask.Observer{})
	assert.NilError(t, err)
	place := map[string]int{}
	for i, item := range plan.Items {
		place[item.ID] = i
	}
	records, order := load(t, run).Records, []int{}
	for _, r := range records {
		order = append(order, place[r.ID])
	}
	want, err := prefixes.Of(plan.Items, model).New(order)
	assert.Assert(t, err == nil && len(order) > 1000, "%d items, %v", len(order), err)
	for i, r := range records {
		assert.Check(t, is.Equal(r.NewTokens, want[order[i]]), "%s", r.ID)
	}
}

func TestMeasuringFindsTheLongestPrompt(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{})
	unfit := func(context int) int {
		n, err := plan.Unfit(context)
		assert.NilError(t, err)
		return n
	}
	assert.Check(t, unfit(65) == 0 && unfit(64) == 168, "by the cap of 64 alone")
	model := &scripted.Model{}
	plan = measured(t, plan, model)
	of := map[int]int{} // prompts, by their tokens
	for _, item := range plan.Items {
		ids, err := model.Tokenize(item.Prompt())
		assert.NilError(t, err)
		of[len(ids)]++
	}
	longest := slices.Max(slices.Collect(maps.Keys(of)))
	w := plan.Workload()
	assert.Check(t, w.PromptTokens == longest && w.Requests == 168 && w.MaxTokens == 64, "%+v, want %d prompt tokens", w, longest)
	assert.Check(t, is.Equal(unfit(longest+63), of[longest]))
	assert.Check(t, is.Equal(unfit(longest+64), 0))
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

// asking has a model asked what a run's folder does not hold yet, and says what it held.
func asking(ctx context.Context, t *testing.T, plan *ask.Plan, model backends.Model, run string, o ask.Observer) (*journal.Held, error) {
	t.Helper()
	header := headerOf(t, plan, model)
	held := &journal.Held{}
	to, was, err := journaltest.Resume(run, header)
	if errors.Is(err, fs.ErrNotExist) {
		to, err = journal.Create(run, header)
	} else if err == nil {
		held = &was.Held
	}
	assert.NilError(t, err)
	defer to.Close()
	return held, plan.Run(ctx, model, to, held, o)
}

// asksAll is asking in a folder of its own, which it returns.
func asksAll(t *testing.T, plan *ask.Plan, model backends.Model, watch func(*journal.Record)) (run string) {
	t.Helper()
	run = filepath.Join(t.TempDir(), "run")
	resumes(t, plan, model, run, watch)
	return run
}

// stopped is a run that ends after some of its items.
func stopped(t *testing.T, plan *ask.Plan, model backends.Model, after int) (run string) {
	t.Helper()
	run = filepath.Join(t.TempDir(), "run")
	ctx, stop := context.WithCancel(t.Context())
	done := 0
	_, err := asking(ctx, t, plan, model, run, ask.Observer{Item: func(*journal.Record) {
		if done++; done == after {
			stop()
		}
	}})
	assert.Assert(t, errors.Is(err, context.Canceled) && done == after, "%d items, error %v", done, err)
	return run
}

// resumes goes on with a run to its end and says what it found of it.
func resumes(t *testing.T, plan *ask.Plan, model backends.Model, run string, watch func(*journal.Record)) *journal.Held {
	t.Helper()
	held, err := asking(t.Context(), t, plan, model, run, ask.Observer{Item: watch})
	assert.NilError(t, err)
	return held
}

// failsAt is a backend's error with one request.
func failsAt(id, text string) func(backends.Request) *scripted.Error {
	return failsWhere(func(r backends.Request) bool { return r.ID == id }, text)
}

// failsWhere is a backend's error with some requests.
func failsWhere(fails func(backends.Request) bool, text string) func(backends.Request) *scripted.Error {
	return func(r backends.Request) *scripted.Error {
		if !fails(r) {
			return nil
		}
		return &scripted.Error{Cause: backends.CauseTimeout, Text: text}
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
	return planWith(t, sample(t), task, selection, spec.Spec{})
}

// capped is a specification with a cap on completions.
func capped(tokens int) spec.Spec { return spec.Spec{Answers: spec.Answers{MaxTokens: tokens}} }

// decided is one that is held against a run.
func decided(run string, margin float64) spec.Spec {
	return spec.Spec{Ending: spec.Ending{UntilDecided: run, Margin: spec.Points(margin)}}
}

// planWith is a plan for a set, with as many worked examples as it has.
func planWith(t *testing.T, set *dataset.Set, task task.Task, selection dataset.Selection, settings spec.Spec) *ask.Plan {
	t.Helper()
	eval := evalOf(t, task, min(len(set.Validation), prompts.MaxShots))
	settings.MaxTokens = 64
	questions, err := ask.NewQuestions(set, eval, selection, settings)
	assert.NilError(t, err)
	return measured(t, &ask.Plan{Prompts: *questions.Raw()}, nil)
}

// measured is a plan whose tokens a model counted; nil for none.
func measured(t *testing.T, plan *ask.Plan, model any) *ask.Plan {
	t.Helper()
	plan, err := plan.Measure(model)
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
		held = slices.Delete(held, i, i+1)
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
			fails := failsWhere(func(r backends.Request) bool { failures[r.ID]--; return failures[r.ID] >= 0 }, "too slow")
			model := shuffling{&scripted.Model{Slots: 24, Answer: repeatNonce, Fail: fails}, random}
			seen, failing := map[string]int{}, 0 // completions of each item
			watch := func(r *journal.Record) {
				if r.Failed() {
					failing++
				} else {
					seen[r.ID]++
				}
			}
			run := asksAll(t, plan, model, watch)
			for range sessions - 1 {
				resumes(t, plan, model, run, watch)
			}
			kept := load(t, run)
			assert.Assert(t, is.Len(kept.Records, len(plan.Items)))
			assert.Check(t, failing > 0)
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
	plan = measured(t, plan, model)
	others := plan.Workload().PromptTokens
	assert.Check(t, others > 0 && others <= 1<<20, "the others need %d tokens", others)
	seen := 0
	run := asksAll(t, plan, model, func(*journal.Record) { seen++ })
	kept := load(t, run)
	assert.Check(t, len(kept.Records) == len(plan.Items) && seen == len(plan.Items),
		"%d records of %d items, %d seen", len(kept.Records), len(plan.Items), seen)
	for _, r := range kept.Records {
		assert.Check(t, r.Failed() == (r.ID == huge), "%s: %s", r.ID, r.Error)
		asSaid := r.Cause == backends.CauseOversize && !r.Again() && r.Prompt == "" && strings.Contains(r.Error, "7.0 MiB")
		assert.Check(t, r.ID != huge || asSaid, "%s: cause %q, %d bytes, %s", r.ID, r.Cause, len(r.Prompt), r.Error)
	}
}

// TestWhatTheJournalCannotKeepIsOneItemsFailure has one item's options, and another's error, make lines that no reader takes.
func TestWhatTheJournalCannotKeepIsOneItemsFailure(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
	wordy, failing := plan.Items[3].ID, plan.Items[5].ID
	control := strings.Repeat("\x01", 12_000_000) // six bytes each in JSON
	plan.Items[3].OptionTexts = slices.Clone(plan.Items[3].OptionTexts)
	plan.Items[3].OptionTexts[0] = control
	run := asksAll(t, plan, &scripted.Model{Fail: failsAt(failing, "late"+control)}, nil)
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
