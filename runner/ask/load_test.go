package ask_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/journal"
)

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
