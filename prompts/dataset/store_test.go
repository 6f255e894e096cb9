package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"
)

// TestAnImportThatIsKilledLeavesTheOldSetOrTheNew leaves the data folder as it is after each step of an import that replaces a
// set.
func TestAnImportThatIsKilledLeavesTheOldSetOrTheNew(t *testing.T) {
	files := t.TempDir()
	question := func(text string) string {
		path := filepath.Join(files, text+".jsonl")
		line := `{"question_id":1,"question":"` + text + `","options":["1","2"],"answer":"B","answer_index":1,"category":"math"}`
		assert.NilError(t, os.WriteFile(path, []byte(line), 0o644))
		return path
	}
	one, another := question("one"), question("another")
	for _, step := range []struct {
		name string
		kill func(s store) error
	}{
		{"the old set stands aside", func(s store) error { return s.stepAside("x") }},
		{"the new set has its place", func(s store) error { return os.CopyFS(s.aside("x"), os.DirFS(s.place("x"))) }},
		{"the old set is removed in part", func(s store) error { return os.MkdirAll(s.aside("x"), 0o755) }},
		{"the new set cannot take its place", func(s store) error {
			if s.moveIn(filepath.Join(s.folder, "none"), "x") == nil {
				return errors.New("nothing took its place")
			}
			return nil
		}},
	} {
		folder := t.TempDir()
		o := ImportOptions{Options: Options{Folder: folder}}
		was, err := Import("x", []string{one}, o)
		assert.NilError(t, err)
		assert.NilError(t, step.kill(store{folder}), step.name)
		set, err := Open("x", o.Options)
		assert.Check(t, err == nil && set.SHA256 == was.SHA256, "%s: %v", step.name, err)
		all, err := List(folder)
		assert.Check(t, err == nil && len(all) == 1 && all[0].SHA256 == was.SHA256, "%s: %+v, %v", step.name, all, err)
		_, err = Import("x", []string{another}, o)
		assert.Check(t, err != nil, "%s: a different set took its place unasked", step.name)
		o.Replace = true
		now, err := Import("x", []string{another}, o)
		assert.NilError(t, err, step.name)
		set, err = Open("x", o.Options)
		assert.Check(t, err == nil && set.SHA256 == now.SHA256 && now.SHA256 != was.SHA256, "%s: not replaced: %v", step.name, err)
		left, _ := os.ReadDir(folder)
		assert.Check(t, len(left) == 1, "%s: left over: %v", step.name, left)
	}
}
