package dataset_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

const lines = "question,A,B,answer\n"

func TestShotsComeFromTheSplitThatIsMadeForThem(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string // the first validation question
	}{
		"dev": {map[string]string{"test.csv": lines + "T,x,y,A\n", "dev.csv": lines + "D,x,y,B\n"}, "D"},
		"val": {map[string]string{"test.csv": lines + "T,x,y,A\n", "val.csv": lines + "V,x,y,B\n"}, "V"},
		"dev before validation": {map[string]string{"test.csv": lines + "T,x,y,A\n", "dev.csv": lines + "D,x,y,B\n",
			"validation.csv": lines + "V,x,y,B\n"}, "D"},
		"dev in another format":  {map[string]string{"test.csv": lines + "T,x,y,A\n", "dev.jsonl": good}, "2 + 2?"},
		"dev in shards":          {map[string]string{"test.json": "[" + good + "]", "dev-00000-of-00001.csv": lines + "D,x,y,B\n"}, "D"},
		"none: there is no such": {map[string]string{"test.csv": lines + "T,x,y,A\n", "train.csv": lines + "D,x,y,B\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			folder, o := folderOf(t, test.files), dataset.Options{Folder: t.TempDir()}
			imports(t, o, "mine", folder)
			for _, ref := range []string{folder, "mine"} {
				first := append(mustOpen(t, ref, o).Validation, dataset.Question{})[0]
				assert.Check(t, first.Text == test.want, "%s: shots from %q, want %q", ref, first.Text, test.want)
			}
		})
	}
}

func TestAShotsFileTakesThePlaceOfTheSetsOwn(t *testing.T) {
	folder := folderOf(t, map[string]string{"test.jsonl": good, "validation.jsonl": good})
	shots := write(t, "test.csv", lines+"S1,x,y,A\nS2,x,y,B\n") // named like a test file: it is not one
	own := dataset.Options{Folder: t.TempDir()}
	o := dataset.Options{Folder: own.Folder, ShotsFile: shots}
	set := mustOpen(t, folder, o)
	assert.Assert(t, len(set.Test) == 1 && len(set.Validation) == 2 && set.SHA256 != mustOpen(t, folder, own).SHA256)
	// They have no subject, so they serve all.
	all, err := set.Shots("math", 2)
	assert.Check(t, err == nil && len(all) == 2 && all[0].Text == "S1", "shots %v, %v", all, err)
	imports(t, o, "mine", folder)
	again := mustOpen(t, "mine", own)
	assert.Check(t, again.SHA256 == set.SHA256 && len(again.Validation) == 2, "imported with %d shots", len(again.Validation))
	imports(t, own, "plain", folder)
	again = mustOpen(t, "plain", o)
	assert.Check(t, again.SHA256 == set.SHA256 && again.Validation[1].Text == "S2", "a shots file beside an imported set does not count")
	for name, want := range map[string]string{
		filepath.Join(own.Folder, "no.csv"): "no such file",
		write(t, "bad.csv", "x,y\n1,2\n"):   "are not recognised",
		write(t, "bad.jsonl", "{\"q\":1}"):  "are not recognised",
	} {
		_, err := dataset.Open(folder, dataset.Options{Folder: own.Folder, ShotsFile: name})
		errortest.Says(t, err, want, name)
	}
}

func TestShotsWithSubjectsServeTheirsAlone(t *testing.T) {
	set := openFile(t, folderOf(t, map[string]string{"test.jsonl": good, "validation.jsonl": strings.Replace(good, "math", "law", 1)}))
	_, err := set.Shots("math", 1)
	errortest.Says(t, err, "shots file FILE")
}

func TestWhatIsAskedIsNoShot(t *testing.T) {
	row := func(id int, text, options, answer string) string {
		return fmt.Sprintf(`{"question_id":%d,"question":%q,"options":%s,"answer":%q,"category":"math"}`+"\n", id, text, options, answer)
	}
	folder := folderOf(t, map[string]string{
		"test.jsonl": row(0, "Same?", `["x","y"]`, "A") + row(2, "Other?", `["x","y"]`, "A") + row(3, "Same?", `["y","x"]`, "B"),
		"validation.jsonl": row(10, "Mine?", `["x","y"]`, "A") + row(11, " Same? ", `["y"," x","N/A"]`, "B") +
			row(12, "Other?", `["x","z"]`, "A") + row(13, "Other?", `["x","y"]`, "A"),
	})
	set := openFile(t, folder)
	assert.DeepEqual(t, set.AskedToo, []dataset.AskedToo{{Validation: 11, Test: 0}, {Validation: 13, Test: 2}})
	shots, err := set.Shots("math", 2)
	assert.Check(t, err == nil && shots[0].ID == 10 && shots[1].ID == 12, "shots %v, %v; want 10 and 12", shots, err)
	_, err = set.Shots("math", 3)
	errortest.Says(t, err, `has 2 validation questions for subject "math" (2 validation questions asked too, left out), 3 shots need 3`)
	// A file that is its own shots file has none.
	set = mustOpen(t, folder, dataset.Options{Folder: t.TempDir(), ShotsFile: filepath.Join(folder, "test.jsonl")})
	assert.Check(t, len(set.ShotsOf("math")) == 0, "questions are asked themselves")
	var text strings.Builder
	assert.NilError(t, set.Audit().WriteText(&text))
	const want = "\n3 validation questions asked too (left out as shots)\n  validation question 0: test question 0\n"
	assert.Check(t, strings.Contains(text.String(), want), text.String())
}

func TestAnImportedSetTakesNoOtherMapping(t *testing.T) {
	o, _ := imported(t)
	o.Map = parsed(t, "answer-is=text")
	_, err := dataset.Open("mine", o)
	errortest.Says(t, err, "was imported with its mapping, and takes no other")
}
