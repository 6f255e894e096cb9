package score

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal"
	"proctor/runner/mark/results"
)

// TestTokensAreCountedWhereTheyStand has two completions of 100 tokens, behind 200 and 1,000, the second with another divergence from
// its 25th token on.
func TestTokensAreCountedWhereTheyStand(t *testing.T) {
	var items []*scoredItem
	for q, prompt := range []int{200, 1000} {
		it := &scoredItem{Item: &results.Item{Record: journal.Record{ID: "x", QuestionID: q, Subject: "law"}}}
		it.Usage.PromptTokens = prompt
		for i := range 100 {
			kld := 0.25
			if prompt+i >= 1024 {
				kld = 0.5
			}
			it.tokens = append(it.tokens, token{kld: kld, same: true})
		}
		items = append(items, it)
	}
	type stretch struct {
		from, to, items, tokens int
		kld                     float64
	}
	want := []stretch{{0, 255, 1, 56, 0.25}, {256, 511, 1, 44, 0.25}, {512, 1023, 1, 24, 0.25}, {1024, 2047, 1, 76, 0.5}}
	got := byContext(items, kind{reference: true}, 0.95)
	assert.Assert(t, len(got) == len(want), "%d stretches, want %d", len(got), len(want))
	for i, c := range got {
		assert.Check(t, is.Equal((stretch{c.From, c.To, c.Items, c.Tokens, c.MeanKLD.Or(-1)}), want[i]))
	}
	items[0].Usage.PromptTokens = 0
	assert.Check(t, byContext(items, kind{reference: true}, 0.95) == nil, "where a prompt's tokens are not known, no context is")
	if byContext(items[1:], kind{}, 0.95) == nil || byContext([]*scoredItem{{Item: items[1].Item, tokens: items[1].tokens[:5]}}, kind{}, 0.95) != nil {
		t.Error("tokens of one stretch have no table, those of two have")
	}
}
