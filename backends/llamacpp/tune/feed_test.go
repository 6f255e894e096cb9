package tune

import (
	"context"
	"slices"
	"testing"

	"proctor/backends/llamacpp/engine"
)

// notes is an engine that computes nothing, and a vocabulary: it notes what it is told of its sequences.
type notes struct {
	copies        [][2]int32
	group, length []int32
}

func (n *notes) Evaluate(engine.Batch) error       { return nil }
func (n *notes) Copy(from, to int32)               { n.copies = append(n.copies, [2]int32{from, to}) }
func (n *notes) Share(group, length []int32)       { n.group, n.length = group, length }
func (n *notes) CancelWith(context.Context) func() { return func() {} }
func (n *notes) Tokens() int32                     { return 9 }
func (n *notes) BOS() (int32, bool)                { return 1, true }

func TestSequencesThatBeginAlikeAreSharedAsInARun(t *testing.T) {
	var got notes
	NewFeed(&got, &got).CopyToAll(70, 3)
	if !slices.Equal(got.copies, [][2]int32{{0, 1}, {0, 2}}) || !slices.Equal(got.group, []int32{0, 0, 0}) ||
		!slices.Equal(got.length, []int32{70, 0, 0}) {
		t.Errorf("%+v", got)
	}
}
