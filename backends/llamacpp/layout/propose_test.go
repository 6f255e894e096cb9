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
		for at, word := range l.Context.defaults() {
			context.SetInt(at, int(int32(word)))
		}
		context.SetInt(l.Context.BatchThreads, 4)
		scaling := l.Context.Flash - 12
		for at := scaling; at < scaling+16; at += 4 {
			context.SetInt(at, -1)
		}
		got := Propose(model, context)
		kind := fmt.Sprintf("modelLoadMode(%d, %d)", l.Model.LoadMode, l.Model.TensorSplit)
		if l.Model.UseMMap != 0 {
			kind = fmt.Sprintf("modelBooleans(%d)", l.Model.NoHost)
		}
		want := fmt.Sprintf("Model: %s, Context: contextAt(%d, %d, %d)", kind, l.Context.Threads, scaling, l.Context.TypeK)
		if got.Row != want || len(got.Ambiguous) > 0 || !slices.Equal(Fits(model, context), []string{l.Since}) {
			t.Errorf("%s: %q, open %q, fits %q", l.Since, got.Row, got.Ambiguous, Fits(model, context))
		}
	}
}

func TestWhatADefaultLeavesOpenIsNamed(t *testing.T) {
	got := Propose(Params{}, Params{})
	if len(got.Ambiguous) < 6 || !strings.Contains(strings.Join(got.Ambiguous, "; "), "threads: nowhere") {
		t.Errorf("%q", got.Ambiguous)
	}
}
