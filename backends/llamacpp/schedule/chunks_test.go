package schedule

import (
	"fmt"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/engine"
)

// chunkedEngine is a fake of a model with layers that sum up a prompt's tokens in chunks, counted from where a batch begins.
type chunkedEngine struct{ statefulEngine }

const chunk, chunkedMicrobatch = 16, 40

func (e *chunkedEngine) begin(t *testing.T, slots, room int) Traits {
	all := e.statefulEngine.begin(t, slots, room)
	all.Chunk, all.Microbatch = chunk, chunkedMicrobatch
	return all
}

func (e *chunkedEngine) Decode(b engine.Batch) ([]int32, error) {
	sequences := map[int32]bool{}
	for _, token := range b {
		sequences[token.Sequence] = true
	}
	prompt := len(sequences) < len(b) // else each sequence has the token that it has drawn
	if first := b[0]; prompt && (first.Position%chunk != 0 || len(sequences) > 1 || len(b) > chunkedMicrobatch) {
		e.t.Errorf("a batch has %d tokens of prompts from %d of sequence %d to sequence %d",
			len(b), first.Position, first.Sequence, b[len(b)-1].Sequence)
	}
	return e.statefulEngine.Decode(b)
}

func TestPromptsAreDecodedInWholeChunks(t *testing.T) {
	requests := subjectsWithShots(3, 9, 2)
	for _, slots := range []int{1, 3, 16} {
		t.Run(fmt.Sprintf("%d slots", slots), func(t *testing.T) {
			e := chunkedEngine{statefulEngine{hybrid: true}}
			done, reused := answered(t, &e, slots, 64, requests), 0
			checkTexts(t, done, requests)
			for _, c := range done {
				reused += c.Usage.ReusedTokens
			}
			least := 500 / chunk * chunk * (len(requests) - 3)
			assert.Check(t, reused >= least, "%d tokens are reused, the shots alone are %d", reused, least)
		})
	}
}
