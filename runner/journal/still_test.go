package journal

import (
	"os"
	"path/filepath"
	"testing"

	"proctor/scripts/tests/errortest"
)

func TestAFileThatWasReplacedIsNotGoneOnWith(t *testing.T) {
	run := t.TempDir()
	w, err := Create(run, Header{Task: "mmlu_pro"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := open(run, os.O_RDWR|os.O_APPEND)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	other := filepath.Join(run, "other")
	if err := os.WriteFile(other, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, f.Name()); err != nil {
		t.Fatal(err)
	}
	_, _, err = continued(f, Header{Task: "mmlu_pro"})
	errortest.Says(t, err, "extended by another process")
}
