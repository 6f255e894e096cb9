package schedule

import (
	"fmt"
	"testing"
)

// BenchmarkTree finds for a prompt what the other slots have of it, and puts it in place: most of it is a subject's,
// and the slots are on two subjects.
func BenchmarkTree(b *testing.B) {
	for _, slots := range []int{8, 24} {
		b.Run(fmt.Sprint("slots=", slots), func(b *testing.B) {
			g := &generation{
				engine: &fakeEngine{cells: make([][]int32, slots)}, traits: Traits{Batch: 512, Microbatch: 512}, slots: newSlots(slots),
			}
			requests := subjectsWithShots(2, slots/2, 1)
			for i, s := range g.slots {
				tokens, _ := letters{}.Tokenize(requests[i].Prompt)
				s.job = &job{request: requests[i], tokens: tokens, first: len(tokens) - 1, order: i}
				s.held, s.size, s.started = tokens, len(tokens), true
			}
			last := g.slots[slots-1]
			for b.Loop() {
				last.held, last.size, last.started = nil, 0, false
				if !g.start(last) || last.job.usage.ReusedTokens < 500 {
					b.Fatalf("%d tokens are reused", last.job.usage.ReusedTokens)
				}
			}
		})
	}
}
