package ask_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/journal"
)

// slots answers as llama-server does: a request gets the idle slot whose last prompt begins most like its own, and what both begin with
// is not evaluated again. Answers end in a random order.
type slots struct {
	*scripted.Model
	random    *rand.Rand
	last      []string // prompt of each slot
	apart     bool
	never     string // is not answered
	ids       []string
	evaluated int // bytes of prompts
}

func (s *slots) Slotted() bool { return s.apart }

func (s *slots) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	next, stop := iter.Pull(requests)
	defer stop()
	busy := map[int]string{} // ids, by slot
	for more := true; ctx.Err() == nil; {
		for more && len(busy) < len(s.last) {
			var r backends.Request
			if r, more = next(); more {
				slot := s.idle(busy, r.Prompt)
				s.evaluated += len(r.Prompt) - backends.CommonPrefix([]byte(r.Prompt), []byte(s.last[slot]))
				s.last[slot], busy[slot], s.ids = r.Prompt, r.ID, append(s.ids, r.ID)
			}
		}
		if len(busy) == 0 {
			return nil
		}
		for slot, id := range busy {
			if id != s.never && s.random.IntN(len(busy)) == 0 {
				delete(busy, slot)
				if err := done(backends.Completion{ID: id, Text: "A", Finish: backends.FinishStop}); err != nil {
					return err
				}
				break
			}
		}
	}
	return ctx.Err()
}

func (s *slots) idle(busy map[int]string, prompt string) int {
	best, most := -1, -1
	for slot, last := range s.last {
		common := backends.CommonPrefix([]byte(prompt), []byte(last))
		if _, is := busy[slot]; !is && common > most {
			best, most = slot, common
		}
	}
	return best
}

// Slots that keep their prompts to themselves evaluate the shots of a subject about once, and are asked its items in their order.
func TestSlotsThatShareNothingEachGetAnotherSubject(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 28))
	for range 12 {
		plan := planOf(t, task.All[0], dataset.Selection{Limit: 28 + random.IntN(140)})
		longest, order := 0, map[string][]string{}
		for _, item := range plan.Items {
			longest = max(longest, len(item.Preamble))
			order[item.Subject] = append(order[item.Subject], item.ID)
		}
		evaluates := func(n int, apart bool) *slots {
			s := &slots{Model: &scripted.Model{}, random: random, last: make([]string, n), apart: apart}
			asksAll(t, plan, s, nil)
			return s
		}
		n := 2 + random.IntN(7)
		one, several := evaluates(1, false), evaluates(n, true)
		assert.Check(t, several.evaluated <= one.evaluated+2*n*longest, "%d slots evaluate %d bytes of prompts, one %d", n, several.evaluated,
			one.evaluated)
		for _, id := range several.ids {
			subject := plan.Items[slices.IndexFunc(plan.Items, func(item prompts.Item) bool { return item.ID == id })].Subject
			assert.Equal(t, id, order[subject][0])
			order[subject] = order[subject][1:]
		}
	}
}

// What was interrupted time and again is asked behind all others there too.
func TestSlotsGetNeverFinishedItemsLast(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 56})
	var last []string
	run := filepath.Join(t.TempDir(), "run")
	for range 3 {
		s := &slots{Model: &scripted.Model{}, random: rand.New(rand.NewPCG(4, 4)), last: make([]string, 4), apart: true, never: plan.Items[0].ID}
		ctx, stop := context.WithCancel(t.Context())
		done := 0
		_, err := asking(ctx, t, plan, s, run, ask.Observer{Item: func(*journal.Record) {
			if done++; done == 16 {
				stop()
			}
		}})
		assert.ErrorIs(t, err, context.Canceled)
		last = s.ids
	}
	assert.Check(t, !slices.Contains(last, plan.Items[0].ID), "%s", last)
}
