package isolated

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/llamatest"
)

// TestAFileIsKnownOnceItsModelHasFinishedARun goes through how that is learned and forgotten.
func TestAFileIsKnownOnceItsModelHasFinishedARun(t *testing.T) {
	path := write(t, "")
	o := options(path)
	o.History = History{t.TempDir()}
	known := func(want bool, when string) {
		t.Helper()
		if digest := o.History.Find(path); (digest != "") != want {
			t.Errorf("%s: %q", when, digest)
		}
	}
	run := func(each func(m *Model, done int)) {
		t.Helper()
		m := open(t, o)
		if _, err := m.Info(t.Context()); err != nil {
			t.Fatal(err)
		}
		answers(t, m, questions(4), func(done int) { each(m, done) })
		m.Close()
	}
	known(false, "before any run")
	run(func(m *Model, done int) {
		if done == 1 {
			m.process.command.Process.Kill()
		}
	})
	known(false, "after one with a death")
	run(func(*Model, int) {})
	known(true, "after one that came to its end")
	digest := o.History.Find(path)

	m, err := OpenFamiliar(t.Context(), o.Engine, o.History, digest)
	if err != nil {
		t.Fatal(err)
	}
	known(false, "while it is open in this process, which may die of it")
	m.Close()
	m.Close()
	known(true, "closed again")

	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	known(false, "the file was changed")
	o.History.Learn(path, digest)
	known(true, "as it is now")
	kept := filepath.Join(o.History.Folder, "finished-"+digest+".json")
	content, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept, content[:len(content)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	known(false, "what was kept is damaged")
	o.History.Forget(digest)
	if _, err := os.Stat(kept); !os.IsNotExist(err) {
		t.Errorf("forgotten: %v", err)
	}
	if other := (History{}); other.Find(path) != "" {
		t.Error("known without a folder")
	}
}

// TestWhoOnlyReadHasFinishedNoRun has completions read, which says nothing of how any are written.
func TestWhoOnlyReadHasFinishedNoRun(t *testing.T) {
	o := options(write(t, ""))
	o.History = History{t.TempDir()}
	m := open(t, o)
	if _, err := m.Info(t.Context()); err != nil {
		t.Fatal(err)
	}
	requests := questions(3)
	for i := range requests {
		requests[i].Forced, requests[i].Logprobs = &backends.Forced{Tokens: []int32{5, 6, 7}}, 3
	}
	answers(t, m, requests, nil)
	m.Close()
	if o.History.Find(o.Engine.Path) != "" {
		t.Error("a model that only read has finished a run")
	}
}

// TestARunThatFailsIsNotFinished has an engine die of everything.
func TestARunThatFailsIsNotFinished(t *testing.T) {
	o := options(write(t, llamatest.GPT2))
	o.History = History{t.TempDir()}
	m := open(t, o)
	m.Close()
	if o.History.Find(o.Engine.Path) != "" {
		t.Error("a model that was only opened has finished no run")
	}
}
