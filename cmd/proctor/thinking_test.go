package main

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/llamacpp/llamatest"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// thinker writes the control model that thinks: thinker FILE.
func thinker(ts *testscript.TestScript, args []string) {
	ts.Check(llamatest.WriteThinker(ts.MkAbs(args[0])))
}

// atBudget checks that a run with several budgets has, at one of them, the texts of a run with that one only: atbudget many one 8.
func atBudget(ts *testscript.TestScript, args []string) {
	budget := number(ts, args[2])
	many, err := journaltest.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	one, err := journaltest.Load(ts.MkAbs(args[1]))
	ts.Check(err)
	forks, all := 0, byID(many)
	for _, want := range one.Records {
		id, r := want.ID, all[want.ID]
		forks += len(r.Forks)
		if got := r.At(budget); got.Text != want.Text || got.ThinkClosed != want.ThinkClosed || got.Finish != want.Finish {
			ts.Fatalf("%s at %d: %q, alone %q", id, budget, got.Text, want.Text)
		}
	}
	if len(many.Records) != len(one.Records) || forks == 0 {
		ts.Fatalf("%d items against %d, with %d forks", len(many.Records), len(one.Records), forks)
	}
}

// byID are a run's records by their ids.
func byID(kept *journaltest.Journal) map[string]journal.Record {
	all := map[string]journal.Record{}
	for _, r := range kept.Records {
		all[r.ID] = r
	}
	return all
}

// TestARunThatIsKilledInItsForksGoesOn kills a run that spends most of its time on forks, again and again, and resumes it.
func TestARunThatIsKilledInItsForksGoesOn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	model := filepath.Join(folder, "thinker.gguf")
	assert.NilError(t, llamatest.WriteThinker(model))
	sums := exec.Command("go", "run", "./scripts/tools/arithmetic", "-sums", "-n", "120", "-o", filepath.Join(folder, "sums"))
	sums.Dir = root
	said, err := sums.CombinedOutput()
	assert.Assert(t, err == nil, "%v: %s", err, said)
	args := []string{"run", "--model", model, "--data", filepath.Join(folder, "sums"), "--shots", "0", "--prompt", "chat", "--threads", "1",
		"--slots", "1", "--max-tokens", "24", "--think-budget", "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,32", "--quiet"}
	run(t, append(args, "--out", filepath.Join(folder, "whole"))...)
	whole := byID(loaded(t, filepath.Join(folder, "whole")))
	out, random, kills := filepath.Join(folder, "killed"), rand.New(rand.NewPCG(4, 2)), 0
	for killOnce(t, args, out, 0, 1+random.IntN(60)) {
		kills++
	}
	killed := byID(loaded(t, out))
	assert.Assert(t, is.Len(killed, len(whole)))
	for id, want := range whole {
		got := killed[id]
		assert.Check(t, got.Text == want.Text && reflect.DeepEqual(untimed(got.Forks), untimed(want.Forks)),
			"%s: %q with %v, unbroken %q with %v", id, got.Text, got.Forks, want.Text, want.Forks)
	}
	assert.Check(t, kills != 0, "it was never killed")
}

func untimed(forks []backends.Fork) (all []backends.Fork) {
	for _, f := range forks {
		f.Decode = 0
		all = append(all, f)
	}
	return all
}
