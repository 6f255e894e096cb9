package backendtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"proctor/backends"
)

func emptyStream(t *testing.T, model backends.Model) {
	ask(t, model)
}

func exactlyOnce(t *testing.T, model backends.Model) {
	requests := batch(2*slots(t, model) + 3)
	calls := map[string]int{}
	caller := goroutine()
	err := model.Generate(context.Background(), slices.Values(requests), func(c backends.Completion) error {
		calls[c.ID]++
		if here := goroutine(); here != caller {
			t.Errorf("done was called in %s, Generate in %s", here, caller)
		}
		if c.Finish == backends.FinishError {
			t.Errorf("%s failed: %s", c.ID, c.Error)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("Generate: %v", err)
	}
	for _, r := range requests {
		if calls[r.ID] != 1 {
			t.Errorf("%s was done %d times", r.ID, calls[r.ID])
		}
	}
	if len(calls) != len(requests) {
		t.Errorf("%d different ids of %d requests", len(calls), len(requests))
	}
}

func pulledInTime(t *testing.T, model backends.Model) {
	room := slots(t, model)
	pulled, done := 0, 0
	requests := batch(3*room + 2)
	err := model.Generate(context.Background(), func(yield func(backends.Request) bool) {
		for _, r := range requests {
			if pulled++; pulled-done > room {
				t.Errorf("%d requests are in flight, there are %d slots", pulled-done, room)
			}
			if !yield(r) {
				return
			}
		}
	}, func(backends.Completion) error {
		done++
		return nil
	})
	if err != nil {
		t.Fatalf("Generate: %v", err)
	}
}

func overtaking(t *testing.T, model backends.Model) {
	if slots(t, model) < 2 {
		t.Skip("one slot: nobody can overtake")
	}
	// A hot one rambles on: long enough for a server to begin with the other one meanwhile.
	slow := backends.Request{ID: "slow", Prompt: prompt, MaxTokens: 8 * long, Sampling: backends.Sampling{Temperature: 2, Seed: 1}}
	if one(t, model, slow).Usage.OutputTokens < 8 {
		t.Skip("the model's answer is too short to be overtaken")
	}
	fast := backends.Request{ID: "fast", Prompt: prompt, MaxTokens: 1}
	all := ask(t, model, slow, fast)
	if all[0].ID != "fast" {
		t.Errorf("done came in the order %s, %s", all[0].ID, all[1].ID)
	}
}

func doneFails(t *testing.T, model backends.Model) {
	full := errors.New("disk full")
	calls := 0
	err := model.Generate(context.Background(), slices.Values(batch(slots(t, model)+4)), func(backends.Completion) error {
		calls++
		if calls == 2 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) {
		t.Errorf("Generate returned %v, done %v", err, full)
	}
	if calls != 2 {
		t.Errorf("done was called %d times, the last time after its error", calls)
	}
	ask(t, model, batch(2)...) // the model works as before
}

func cancelBetween(t *testing.T, model backends.Model) {
	never := func(backends.Completion) error {
		t.Error("done was called after the context had ended")
		return nil
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := model.Generate(ended, slices.Values(batch(3)), never); !errors.Is(err, context.Canceled) {
		t.Errorf("ended before the start: Generate returned %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	err := model.Generate(ctx, slices.Values(batch(2*slots(t, model)+3)), func(backends.Completion) error {
		calls++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended in the middle: Generate returned %v", err)
	}
	if calls > slots(t, model) {
		t.Errorf("done was called %d times, the context ended in the first", calls)
	}
	ask(t, model, batch(2)...)
}

func cancelInPrompt(t *testing.T, model backends.Model) {
	story := strings.Repeat("A long story goes on and on. ", fill(t, model))
	// The context ends later each time, until the prompt is read before: however fast the machine is, some ends fall into the reading.
	read, late := false, 0
	for after := time.Millisecond; !read; after *= 4 {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		// Another beginning each time, or a server has the prompt in its cache.
		r := backends.Request{ID: "long", Prompt: fmt.Sprintf("%d. ", after.Milliseconds()) + story, MaxTokens: 1}
		done := false
		err := model.Generate(ctx, slices.Values([]backends.Request{r}), func(backends.Completion) error {
			if done = true; ctx.Err() != nil {
				late++
			} else {
				read = true
			}
			return nil
		})
		cancel()
		if !done && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Generate returned %v", err)
		}
	}
	if late > 1 { // once it may end just before done is called
		t.Errorf("done was called %d times after the context had ended", late)
	}
	ask(t, model, batch(2)...)
}

// fill returns how many repetitions of a sentence of some ten words fill most of the context, but not all of it.
func fill(t *testing.T, model backends.Model) int {
	t.Helper()
	room := info(t, model).Engine.Context
	tokenizer, ok := model.(backends.Tokenizer)
	if room == 0 || !ok {
		return 40
	}
	tokens, err := tokenizer.Tokenize(strings.Repeat("A long story goes on and on. ", 10))
	if errors.Is(err, errors.ErrUnsupported) {
		return 40
	}
	if err != nil {
		t.Fatalf("Tokenize: %v", err)
	}
	return max(1, (room-8)*10/len(tokens)*9/10)
}

func tooLong(t *testing.T, model backends.Model) {
	room := info(t, model).Engine.Context
	if room == 0 {
		t.Skip("the context has no limit")
	}
	// Half of the requests fit; the others do not, by their prompt or only by their cap.
	requests := batch(6)
	requests[1].Prompt = strings.Repeat("too long ", room)
	requests[3].MaxTokens = room
	requests[5].Prompt = requests[1].Prompt
	refuses(t, model, requests, backends.CauseTruncated)
}

func nonsense(t *testing.T, model backends.Model) {
	requests := batch(3)
	requests[1].MaxTokens = 0
	refuses(t, model, requests, backends.CauseEngine)
}

// refuses demands that every second request is refused, and only those.
func refuses(t *testing.T, model backends.Model, requests []backends.Request, cause backends.Cause) {
	t.Helper()
	for _, c := range ask(t, model, requests...) {
		bad := slices.IndexFunc(requests, func(r backends.Request) bool { return r.ID == c.ID })%2 == 1
		if failed := c.Finish == backends.FinishError; failed != bad || failed && (c.Cause != cause || c.Error == "") {
			t.Errorf("%s ended with finish %q, cause %q, error %q; to be refused, with cause %q: %t",
				c.ID, c.Finish, c.Cause, c.Error, cause, bad)
		}
		if bad && (c.Text != "" || strings.Contains(c.Error, "\n")) {
			t.Errorf("%s has text %q and error %q: want none, and one line", c.ID, c.Text, c.Error)
		}
	}
}
