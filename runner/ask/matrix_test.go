package ask

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestCellsHaveFoldersOfTheirOwnBelowTheMatrix(t *testing.T) {
	var m Matrix
	for _, name := range []string{"..", "ollama:x", "ollama/x", "../../esc", "Q4", "q4", "a kv f16", "a b-c", "a-b c"} {
		m.Cells = append(m.Cells, Cell{Name: name})
	}
	m.Place("out")
	seen := map[string]bool{}
	for _, cell := range m.Cells {
		folder, below := strings.CutPrefix(cell.Out, "out"+string(filepath.Separator))
		key := strings.ToLower(folder)
		assert.Check(t, below && !seen[key] && filepath.IsLocal(folder) && filepath.Base(folder) == folder, "%q is in %q",
			cell.Name, cell.Out)
		seen[key] = true
	}
	assert.Check(t, is.Equal(m.Cells[6].Out, filepath.Join("out", "a-kv-f16")))
	one := Matrix{Cells: make([]Cell, 1)}
	one.Place("out")
	assert.Check(t, is.Equal(one.Cells[0].Out, "out"))
}

func TestNamesAreShortAndDistinct(t *testing.T) {
	for refs, want := range map[string]string{
		"m/a-F16.gguf":                       "a-F16",
		"x/a.gguf y/a.gguf":                  "x/a y/a",
		"a.gguf openai:o1/m openai:o2/m":     "a openai:o1/m openai:o2/m",
		"b/m/m-Q4.gguf u/m/m-Q4.gguf c.gguf": "b/m/m-Q4 u/m/m-Q4 c",
		"a.gguf x/a.gguf":                    "a x/a",
		"sample exam.csv":                    "sample exam.csv",
	} {
		assert.Check(t, is.Equal(strings.Join(Names(strings.Fields(refs)), " "), want))
	}
}

func TestRunsOfOneSecondHaveFoldersOfTheirOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	now := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	for _, want := range []string{"embedded-mmlu_pro", "embedded-mmlu_pro-2", "embedded-mmlu_pro-3"} {
		m := Matrix{Cells: make([]Cell, 1)}
		m.Place(DefaultFolder("runs", now, "embedded-mmlu_pro"))
		assert.NilError(t, m.Claim())
		assert.Check(t, is.Equal(m.Cells[0].Out, filepath.Join("runs", "20261120-093000-"+want)))
		assert.NilError(t, os.WriteFile(filepath.Join(m.Folder, "journal.jsonl"), nil, 0o644))
		assert.NilError(t, m.Close())
	}
	m := Matrix{Cells: make([]Cell, 1)}
	m.Place(DefaultFolder("runs", now, "none"))
	assert.NilError(t, m.Claim())
	assert.NilError(t, m.Close())
	_, err := os.Stat(m.Folder)
	assert.ErrorIs(t, err, fs.ErrNotExist) // nothing was begun in it
}
