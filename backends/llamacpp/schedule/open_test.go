package schedule

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// Wherever a Generate is interrupted, the tokens that it handed over are enough for another one to draw the same texts.
func TestACompletionResumesWhereItWasInterrupted(t *testing.T) {
	plain := subjects(3, 6)
	drawn, penalised := backends.Sampling{Temperature: 1}, backends.Sampling{PresencePenalty: 1}
	for name, requests := range map[string][]backends.Request{
		"plain": plain, "drawn": sampled(plain, drawn), "penalised": sampled(plain, penalised), "one budget": thoughtful(7),
		"several": thoughtful(2, 7), "several, drawn": sampled(thoughtful(2, 7), drawn),
	} {
		for i, fresh := range []func() (scheduled, *fakeEngine){
			func() (scheduled, *fakeEngine) { e := &fakeEngine{}; return e, e },
			func() (scheduled, *fakeEngine) { e := &statefulEngine{}; return e, &e.fakeEngine },
			func() (scheduled, *fakeEngine) { e := &statefulEngine{hybrid: true}; return e, &e.fakeEngine },
		} {
			for _, slots := range []int{1, 4} {
				e, _ := fresh()
				whole, went := answered(t, e, slots, 64, requests), 0
				for last := 1; last < 90; last += 4 {
					e, fake := fresh()
					done, given := interrupted(t, e, fake, slots, last, requests)
					if went += given; given > 0 && i > 0 && strings.HasPrefix(name, "several") {
						t.Errorf("%s: a fork was gone on from where its state is lost", name)
					}
					for id, c := range whole {
						if got := done[id]; got.Text != c.Text || got.Usage.OutputTokens != c.Usage.OutputTokens || len(got.Forks) != len(c.Forks) {
							t.Errorf("%s, engine %d, %d slots, after batch %d: %s: %+v, want %+v", name, i, slots, last, id, got, c)
						}
					}
				}
				assert.Check(t, went >= 5 || i > 0 && strings.HasPrefix(name, "several"),
					"%s, engine %d, %d slots: only %d tokens were given", name, i, slots, went)
			}
		}
	}
}

// sampled returns the requests with a sampling, a seed for each.
func sampled(requests []backends.Request, s backends.Sampling) []backends.Request {
	requests = slices.Clone(requests)
	for i := range requests {
		requests[i].Sampling, requests[i].Sampling.Seed = s, uint32(i)
	}
	return requests
}

// interrupted answers requests in two parts, the first up to a batch, and returns how many tokens the second part was given.
func interrupted(t *testing.T, e scheduled, fake *fakeEngine, slots, last int, requests []backends.Request) (
	done map[string]backends.Completion, given int) {
	t.Helper()
	done, open := map[string]backends.Completion{}, map[string][]int32{}
	take := func(c backends.Completion) error {
		if c.Finish == backends.FinishOpen {
			open[c.ID] = c.Tokens
			return nil
		}
		done[c.ID], given = c, given+c.Resumed
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	fake.onDecode = func(engine.Batch) error {
		if fake.batches == last {
			cancel()
		}
		return nil
	}
	requests = slices.Clone(requests)
	for i := range requests {
		requests[i].Every = time.Hour
	}
	traits := e.begin(t, slots, 64)
	if err := Generate(ctx, e, letters{}, traits, slices.Values(requests), take); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var left []backends.Request
	for _, r := range requests {
		if _, is := done[r.ID]; !is {
			r.Drawn = open[r.ID]
			left = append(left, r)
		}
	}
	fake.onDecode = nil
	assert.NilError(t, Generate(t.Context(), e, letters{}, traits, slices.Values(left), take))
	return done, given
}

func TestWhatCompletionsHaveSoFarIsToldNowAndThen(t *testing.T) {
	requests := subjects(1, 3)
	for i := range requests {
		requests[i].Every, requests[i].MaxTokens = 1, 12
	}
	reported := map[string]int{}
	e := &fakeEngine{}
	err := Generate(t.Context(), e, letters{}, e.begin(t, 2, 64), slices.Values(requests), func(c backends.Completion) error {
		if c.Finish != backends.FinishOpen {
			return nil
		}
		assert.Check(t, len(c.Tokens) > reported[c.ID] && c.Usage.OutputTokens == len(c.Tokens),
			"%s: %d tokens are told after %d", c.ID, len(c.Tokens), reported[c.ID])
		reported[c.ID] = len(c.Tokens)
		return nil
	})
	assert.Check(t, err == nil && len(reported) >= 2, "%v, %v", reported, err)
}

// looping is an engine that writes the same line again and again.
type looping struct{ *fakeEngine }

const line = "I am not sure, "

func (e looping) Decode(b engine.Batch) ([]int32, error) {
	drawn, err := e.fakeEngine.Decode(b)
	for i, token := range b {
		drawn[i] = int32(line[int(token.Position)%len(line)])
	}
	return drawn, err
}

// It ends early, with the words that it would have had at its cap.
func TestACompletionThatRepeatsItselfEnds(t *testing.T) {
	thinking := &backends.Budget{Tokens: []int{300}, Way: bracketed}
	for _, r := range []backends.Request{
		{ID: "1", Prompt: "a", MaxTokens: 900}, {ID: "1", Prompt: "a", MaxTokens: 899}, {ID: "1", Prompt: "<", MaxTokens: 600, Budget: thinking},
	} {
		whole := answered(t, looping{&fakeEngine{}}, 1, 64, []backends.Request{r})["1"]
		r.EndLoops = true
		c := answered(t, looping{&fakeEngine{}}, 1, 64, []backends.Request{r})["1"]
		assert.Check(t, whole.Cause == backends.CauseLength && c.Finish == backends.FinishLength && c.Cause == backends.CauseLoop,
			"%s and %s", whole.Cause, c.Cause)
		answer := len(c.Text) - c.Usage.ThinkingTokens
		if answer < 400 || answer > 480 || !strings.HasPrefix(whole.Text, c.Text) || !strings.HasSuffix(whole.Text, c.Text[len(c.Text)-100:]) {
			t.Errorf("%q of %q", c.Text, whole.Text)
		}
	}
}
