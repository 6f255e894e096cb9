package journal

import (
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

func TestAFileThatWasReplacedIsNotGoneOnWith(t *testing.T) {
	run := t.TempDir()
	w, err := Create(run, Header{Task: "mmlu_pro"})
	assert.NilError(t, err)
	assert.NilError(t, w.Close())
	f, err := open(run, os.O_RDWR|os.O_APPEND)
	assert.NilError(t, err)
	defer f.Close()
	other := filepath.Join(run, "other")
	assert.NilError(t, os.WriteFile(other, []byte("{}\n"), 0o644))
	assert.NilError(t, os.Rename(other, f.Name()))
	_, _, err = continued(f, Header{Task: "mmlu_pro"})
	errortest.Says(t, err, "extended by another process")
}
