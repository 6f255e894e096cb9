package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestEachKnownRowIsProposedByItsDefaults(t *testing.T) {
	for _, l := range known {
		var model, context Params
		for at, word := range l.modelDefaults {
			model.SetInt(at, int(int32(word)))
		}
		for at, word := range l.contextDefaults {
			context.SetInt(at, int(int32(word)))
		}
		context.SetInt(l.Context.BatchThreads, 4)
		scaling := l.Context.Flash - 12
		for at := scaling; at < scaling+16; at += 4 {
			context.SetInt(at, -1)
		}
		got := Propose(model, context)
		want := fmt.Sprintf("context: contextAt(%d, %d, %d)\n", l.Context.Threads, scaling, l.Context.TypeK)
		if !strings.HasPrefix(got.Row, want) || len(got.Ambiguous) > 0 || !slices.Equal(Fits(model, context), []string{l.Since}) {
			t.Errorf("%s: %q, open %q, fits %q", l.Since, got.Row, got.Ambiguous, Fits(model, context))
		}
	}
}

func TestWhatADefaultLeavesOpenIsNamed(t *testing.T) {
	got := Propose(Params{}, Params{})
	if len(got.Ambiguous) < 5 || !strings.Contains(strings.Join(got.Ambiguous, "; "), "threads: nowhere") {
		t.Errorf("%q", got.Ambiguous)
	}
}
