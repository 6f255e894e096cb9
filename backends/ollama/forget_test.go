package ollama

import (
	"testing"

	"proctor/backends"
)

func TestForgettingUnloadsTheModelAndLoadsItAgain(t *testing.T) {
	f := newFake(t)
	m := openFake(t, Options{Concurrency: 1, Vocabulary: vocabularyOfFake}, f)
	r := backends.Request{Prompt: "What was asked before?"}
	one(t, m, r)
	if got := one(t, m, r).Usage.ReusedTokens; got == 0 {
		t.Fatal("nothing is reused of the same prompt")
	}
	if err := m.Forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.unloads != 1 || f.unloaded {
		t.Errorf("unloaded %d times, and loaded again: %t", f.unloads, !f.unloaded)
	}
	if got := one(t, m, r).Usage.ReusedTokens; got != 0 {
		t.Errorf("%d tokens are said to be reused, the server has forgotten them", got)
	}
}
