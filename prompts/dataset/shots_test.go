package dataset_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

const lines = "question,A,B,answer\n"

func TestShotsComeFromTheSplitThatIsMadeForThem(t *testing.T) {
	tests := map[string]struct {
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
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			folder := folderOf(t, test.files)
			o := dataset.ImportOptions{Options: dataset.Options{Folder: t.TempDir()}}
			if _, err := dataset.Import("mine", []string{folder}, o); err != nil {
				t.Fatal(err)
			}
			for _, ref := range []string{folder, "mine"} {
				set := mustOpen(t, ref, o.Options)
				got := ""
				if len(set.Validation) > 0 {
					got = set.Validation[0].Text
				}
				if got != test.want {
					t.Errorf("%s: shots from %q, want %q", ref, got, test.want)
				}
			}
		})
	}
}

func TestAShotsFileTakesThePlaceOfTheSetsOwn(t *testing.T) {
	folder := folderOf(t, map[string]string{"test.jsonl": good, "validation.jsonl": good})
	shots := write(t, "test.csv", lines+"S1,x,y,A\nS2,x,y,B\n") // named like a test file: it is not one
	data := t.TempDir()
	o := dataset.Options{Folder: data, ShotsFile: shots}
	plain := mustOpen(t, folder, dataset.Options{Folder: data})
	set := mustOpen(t, folder, o)
	if len(set.Test) != 1 || len(set.Validation) != 2 || set.SHA256 == plain.SHA256 {
		t.Fatalf("%d and %d questions", len(set.Test), len(set.Validation))
	}
	// They have no subject, so they serve all.
	if all, err := set.Shots("math", 2); err != nil || len(all) != 2 || all[0].Text != "S1" {
		t.Errorf("shots %v, %v", all, err)
	}
	if _, err := dataset.Import("mine", []string{folder}, dataset.ImportOptions{Options: o}); err != nil {
		t.Fatal(err)
	}
	if again := mustOpen(t, "mine", dataset.Options{Folder: data}); again.SHA256 != set.SHA256 || len(again.Validation) != 2 {
		t.Errorf("imported with %d shots", len(again.Validation))
	}
	if _, err := dataset.Import("plain", []string{folder}, dataset.ImportOptions{Options: dataset.Options{Folder: data}}); err != nil {
		t.Fatal(err)
	}
	if again := mustOpen(t, "plain", o); again.SHA256 != set.SHA256 || again.Validation[1].Text != "S2" {
		t.Error("a shots file beside an imported set does not count")
	}
	for name, want := range map[string]string{
		filepath.Join(data, "no.csv"):      "no such file",
		write(t, "bad.csv", "x,y\n1,2\n"):  "are not recognised",
		write(t, "bad.jsonl", "{\"q\":1}"): "are not recognised",
	} {
		_, err := dataset.Open(folder, dataset.Options{Folder: data, ShotsFile: name})
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
	if want := []dataset.AskedToo{{Validation: 11, Test: 0}, {Validation: 13, Test: 2}}; !slices.Equal(set.AskedToo, want) {
		t.Errorf("asked too: %v, want %v", set.AskedToo, want)
	}
	shots, err := set.Shots("math", 2)
	if err != nil || shots[0].ID != 10 || shots[1].ID != 12 {
		t.Errorf("shots %v, %v; want 10 and 12", shots, err)
	}
	_, err = set.Shots("math", 3)
	errortest.Says(t, err, `has 2 validation questions for subject "math" (2 validation questions asked too, left out), 3 shots need 3`)
	// A file that is its own shots file has none.
	set = mustOpen(t, folder, dataset.Options{Folder: t.TempDir(), ShotsFile: filepath.Join(folder, "test.jsonl")})
	if shots := set.ShotsOf("math"); len(shots) != 0 {
		t.Errorf("shots %v are asked themselves", shots)
	}
	var text strings.Builder
	if err := set.Audit().WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if want := "\n3 validation questions asked too (left out as shots)\n  validation question 0: test question 0\n"; !strings.Contains(
		text.String(), want) {
		t.Errorf("the audit lacks %q:\n%s", want, text.String())
	}
}

func TestAnImportedSetTakesNoOtherMapping(t *testing.T) {
	data := t.TempDir()
	file := write(t, "x.csv", lines+"Q,x,y,A\n")
	if _, err := dataset.Import("mine", []string{file}, dataset.ImportOptions{Options: dataset.Options{Folder: data}}); err != nil {
		t.Fatal(err)
	}
	_, err := dataset.Open("mine", dataset.Options{Folder: data, Map: parsed(t, "answer-is=text")})
	errortest.Says(t, err, "was imported with its mapping, and takes no other")
}
