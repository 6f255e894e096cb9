package schedule

import (
	"fmt"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
)

func TestForcedCompletionsArePredictedTokenByTokenAndDecodedAsATree(t *testing.T) {
	forced := subjects(3, 9)
	again := forced[8]
	again.ID, again.Prompt = "again", forced[4].Prompt // with another's prompt and completion
	forced = append(forced, again)
	tree, total := map[string]bool{}, 0
	for i := range forced {
		completion, _ := letters{}.Tokenize(fmt.Sprintf("forced %d of many. and on", i%3))
		forced[i].Forced = &backends.Forced{Tokens: completion, Ask: [][]int32{{'a'}, nil, {'b', 'c'}}}
		forced[i].Logprobs, forced[i].MaxTokens = 1, 0
		whole := forced[i].Prompt + text(completion[:len(completion)-1])
		for n := range len(whole) {
			tree[whole[:n+1]] = true
		}
		total += len(whole)
	}
	drawn := subjects(2, 3)
	for i := range drawn {
		drawn[i].ID, drawn[i].Logprobs = "drawn/"+drawn[i].ID, 1
	}
	for _, slots := range []int{1, 2, 5, 30} {
		for _, room := range []int{32, 512} {
			var e fakeEngine
			done, reused := answered(t, &e, slots, room, forced), 0
			for _, r := range forced {
				c := done[r.ID]
				assert.Check(t, c.Finish == backends.FinishStop && c.Text == "" && c.Usage.OutputTokens == len(r.Forced.Tokens),
					"%d slots, %s: %+v", slots, r.ID, c)
				checkForced(t, r, c)
				reused += c.Usage.ReusedTokens
			}
			if slack := len(forced) * worthCopying; e.decoded < len(tree) || e.decoded > len(tree)+slack ||
				e.decoded != total-reused {
				t.Errorf("%d slots decode %d tokens and reuse %d, the tree has %d of %d", slots, e.decoded, reused, len(tree),
					total)
			}
			assert.Check(t, slots <= 1 || e.shared >= worthSharing, "slots share %d tokens at most", e.shared)
			mixed := answered(t, &fakeEngine{}, slots, room, slices.Concat(forced[:5], drawn, forced[5:]))
			for _, r := range drawn {
				if c := mixed[r.ID]; c.Text != expected(r) || text(tokensOf(c))[:len(c.Text)] != c.Text {
					t.Errorf("%d slots, %s: %+v, want %q", slots, r.ID, c, expected(r))
				}
			}
			for _, r := range forced {
				checkForced(t, r, mixed[r.ID])
			}
		}
	}
}

// checkForced looks at each place of a forced completion.
func checkForced(t *testing.T, r backends.Request, c backends.Completion) {
	t.Helper()
	before, _ := letters{}.Tokenize(r.Prompt)
	if len(c.Predictions) != len(r.Forced.Tokens) {
		t.Errorf("%s has %d predictions of %d", r.ID, len(c.Predictions), len(r.Forced.Tokens))
		return
	}
	for i, p := range c.Predictions {
		others := 0
		if i < len(r.Forced.Ask) {
			others = len(r.Forced.Ask[i])
		}
		assert.Check(t, p.Token == r.Forced.Tokens[i] && p.Top[0].Token == following(before) && len(p.AskLogprobs) == others,
			"%s, token %d: %+v, want %d and %d", r.ID, i, p, r.Forced.Tokens[i], following(before))
		before = append(before, p.Token)
	}
}

func tokensOf(c backends.Completion) []int32 {
	var tokens []int32
	for _, p := range c.Predictions {
		tokens = append(tokens, p.Token)
	}
	return tokens
}

func TestForcedCompletionsThatCannotBeReadAreRefusedAlone(t *testing.T) {
	requests := subjects(1, 5)
	for i := range requests {
		requests[i].Forced, requests[i].Logprobs = &backends.Forced{Tokens: []int32{'a', 'b'}}, 1
	}
	requests[0].Forced.Tokens = nil
	requests[1].Forced.Tokens = []int32{256}
	requests[2].Forced.Ask = [][]int32{{-1}}
	requests[3].Forced.Tokens = make([]int32, 1000)
	for i, replaces := range []int{-1, len(requests[0].Prompt), len(requests[0].Prompt) + 1} {
		r := requests[0]
		r.ID, r.Forced = fmt.Sprint("replaces ", replaces), &backends.Forced{Tokens: []int32{'a', 'b'}, Replaces: replaces}
		requests = slices.Insert(requests, i, r)
	}
	done := answered(t, &fakeEngine{}, 2, 64, requests)
	const engine = backends.CauseEngine
	for i, want := range []backends.Cause{engine, engine, engine, engine, engine, engine, backends.CauseTruncated, ""} {
		c := done[requests[i].ID]
		assert.Check(t, c.Cause == want && (c.Finish == backends.FinishError) == (want != ""), "%d: %+v, want cause %q", i, c, want)
	}
}

// A completion that takes the place of a prompt's last tokens is read behind those before them.
func TestAForcedCompletionReplacesThePromptsLastTokens(t *testing.T) {
	requests := subjects(2, 5)
	want := slices.Clone(requests)
	for i, r := range requests {
		completion, _ := letters{}.Tokenize(fmt.Sprintf("forced %d", i))
		requests[i].Logprobs, want[i].Logprobs = 1, 1
		requests[i].Forced = &backends.Forced{Tokens: completion, Replaces: i}
		want[i].Prompt, want[i].Forced = r.Prompt[:len(r.Prompt)-i], &backends.Forced{Tokens: completion}
	}
	for _, slots := range []int{1, 4} {
		got := answered(t, &fakeEngine{}, slots, 64, requests)
		for i, r := range want {
			c := got[r.ID]
			assert.Check(t, c.Usage.PromptTokens == len(r.Prompt), "%d slots, %d replaced: %+v", slots, i, c.Usage)
			checkForced(t, r, got[r.ID])
		}
	}
}
