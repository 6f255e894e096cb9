package tune

import (
	"context"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// counter is an engine that computes nothing, and a vocabulary: it notes the last position.
type counter struct{ last int32 }

func (c *counter) Evaluate(b engine.Batch) error {
	c.last = max(c.last, b[len(b)-1].Position)
	return nil
}
func (c *counter) CancelWith(context.Context) func() { return func() {} }
func (c *counter) Tokens() int32                     { return 9 }
func (c *counter) BOS() (int32, bool)                { return 1, true }

// Whatever the longest prompt, there is room for a few tokens after it, and no position is beyond the context.
func TestAnEstimateStaysInTheContext(t *testing.T) {
	for _, prompt := range []int{1, 2, 9, 255, 256, 257, 512, 5000} {
		for _, unique := range []int{0, 10} { // nearly all is shared
			var got counter
			s := engine.Settings{}
			s.Slots, s.Batch, s.Context = 16, 512, engine.Cells(prompt) // as --direct has it, which writes nothing
			w := backends.Workload{Requests: 10, PromptTokens: prompt, UniqueTokens: unique}
			pace, err := Rough(t.Context(), w, s, func(s engine.Settings) (*Feed, func(), error) {
				assert.Assert(t, s.Slots == 1 && s.Context <= 512, "%+v", s)
				return NewFeed(&got, &got), func() {}, nil
			})
			assert.Check(t, err == nil && pace.Prefill > 0 && pace.Decode > 0, "%d tokens: %v, %v", prompt, pace, err)
			assert.Check(t, int(got.last) < min(s.Context, 512), "%d tokens: position %d of %d", prompt, got.last, s.Context)
		}
	}
}

func TestATimeRestsOnOwnTokensAndTypicalAnswers(t *testing.T) {
	w := backends.Workload{Requests: 10, PromptTokens: 500, UniqueTokens: 2000, MaxTokens: 1000}
	pace := Pace{Prefill: 100, Decode: backends.AssumedOutput}
	assert.Equal(t, pace.Expected(w), 30*time.Second)
	w.UniqueTokens = 0
	assert.Equal(t, pace.Expected(w), 20*time.Second)
}
