package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

// TestAnImportThatIsKilledLeavesTheOldSetOrTheNew leaves the data folder as it is after each step of an import that
// replaces a set.
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
		{"the old set stands aside", func(s store) error { return os.Rename(s.place("x"), s.aside("x")) }},
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
		was, err := Import("x", one, o)
		assert.NilError(t, err)
		assert.NilError(t, step.kill(store{folder}), step.name)
		set, err := Open("x", o.Options)
		assert.Check(t, err == nil && set.SHA256 == was.SHA256, "%s: %v", step.name, err)
		all, err := List(folder)
		assert.Check(t, err == nil && len(all) == 1 && all[0].SHA256 == was.SHA256, "%s: %+v, %v", step.name, all, err)
		_, err = Import("x", another, o)
		assert.Check(t, err != nil, "%s: a different set took its place unasked", step.name)
		o.Replace = true
		now, err := Import("x", another, o)
		assert.NilError(t, err, step.name)
		set, err = Open("x", o.Options)
		assert.Check(t, err == nil && set.SHA256 == now.SHA256 && now.SHA256 != was.SHA256, "%s: not replaced: %v", step.name, err)
		left, _ := os.ReadDir(folder)
		assert.Check(t, len(left) == 1, "%s: left over: %v", step.name, left)
	}
}

func TestChoicesAreIDsOrPlaces(t *testing.T) {
	for text, want := range map[string]choice{
		"70": {id: 70}, " 0 ": {}, "math:7": {subject: "math", from: 7, to: 7}, "computer science:1-50": {subject: "computer science", from: 1, to: 50},
		"a:b:2-3": {subject: "a:b", from: 2, to: 3},
	} {
		if got, err := choiceOf(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, wrong := range []string{"", "-1", "x", "math:", "math:0", "math:5-4", "math:0-3", "math:1-", ":3", "7.5", "math:99999999999999999999"} {
		if got, err := choiceOf(wrong); err == nil {
			t.Errorf("%q is taken for %+v", wrong, got)
		}
	}
}

func TestListsOfIDsMayBeFiles(t *testing.T) {
	ids, err := ReadIDs("70,71\n# hard ones\n 72 73 # both\r\n\n074\n")
	assert.Check(t, err == nil && strings.Join(ids, " ") == "70 71 72 73 74", "%v, %v", ids, err)
	for list, want := range map[string]string{
		"70,seven": `"seven" is not a question id: ids are whole numbers, as in 70,71`, "70,math:1": `"math:1" is not a question id`,
		"# none\n": "there is no id in it",
	} {
		_, err = ReadIDs(list)
		errortest.Says(t, err, want)
	}
}
