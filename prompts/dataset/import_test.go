package dataset_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

func TestImportThenOpenByName(t *testing.T) {
	tests := map[string]struct {
		files            map[string]string
		paths            []string
		test, validation int
	}{
		"a folder":           {map[string]string{"data/test.jsonl": good, "data/validation.jsonl": good}, []string{"."}, 1, 1},
		"a file of any name": {map[string]string{"my questions.jsonl": good}, []string{"my questions.jsonl"}, 1, 0},
		"files of both splits": {map[string]string{"a/test.jsonl": good, "b/validation-00000-of-00001.jsonl": good},
			[]string{"a/test.jsonl", "b/validation-00000-of-00001.jsonl"}, 1, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			folder := folderOf(t, test.files)
			o := dataset.ImportOptions{Options: dataset.Options{Folder: filepath.Join(t.TempDir(), "not", "there yet")}}
			manifest, err := dataset.Import("mine", under(folder, test.paths), o)
			assert.NilError(t, err)
			set, err := dataset.Open("mine", o.Options)
			assert.NilError(t, err)
			if set.Name != "mine" || len(set.Test) != test.test || len(set.Validation) != test.validation {
				t.Errorf("%s: %d and %d questions", set.Name, len(set.Test), len(set.Validation))
			}
			if manifest.SHA256 != set.SHA256 || len(manifest.Splits) != len(set.Splits) || manifest.Splits[0].Rows != test.test {
				t.Errorf("manifest %+v, set %+v", manifest, set.Splits)
			}
			listed, err := dataset.List(o.Folder)
			if err != nil || len(listed) != 1 || listed[0].SHA256 != manifest.SHA256 {
				t.Errorf("listed %+v, %v", listed, err)
			}
			if left, _ := filepath.Glob(filepath.Join(o.Folder, ".*")); len(left) > 0 {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

func TestImportKeepsParquetBytes(t *testing.T) {
	file := writeParquet(t, []parquetRow{{1, "q", []string{"a", "b"}, "A", 0, "", "s", ""}})
	o := dataset.ImportOptions{Options: dataset.Options{Folder: t.TempDir()}}
	if _, err := dataset.Import("columns", []string{file}, o); err != nil {
		t.Fatal(err)
	}
	a, b := openFile(t, file), mustOpen(t, "columns", o.Options)
	if a.SHA256 != b.SHA256 {
		t.Errorf("the copy has another digest: %s, %s", a.SHA256, b.SHA256)
	}
}

func TestImportRefuses(t *testing.T) {
	tests := map[string]struct {
		name  string
		files map[string]string
		paths []string
		want  string
	}{
		"a name that is a path": {"../x", map[string]string{"test.jsonl": good}, []string{"test.jsonl"}, "cannot name a set"},
		"the sample's name":     {"sample", map[string]string{"test.jsonl": good}, []string{"test.jsonl"}, "cannot name a set"},
		"nothing":               {"x", nil, nil, "nothing to import"},
		"a missing file":        {"x", nil, []string{"no.jsonl"}, "no such file"},
		"bad rows":              {"x", map[string]string{"test.jsonl": "{}"}, []string{"test.jsonl"}, "1 bad row"},
		"two files of which split": {"x", map[string]string{"a.jsonl": good, "b.jsonl": good}, []string{"a.jsonl", "b.jsonl"},
			"which split"},
		"shots without questions": {"x", map[string]string{"validation.jsonl": good}, []string{"validation.jsonl"}, "nothing to ask"},
		"a folder among files": {"x", map[string]string{"a/test.jsonl": good, "test.jsonl": good}, []string{"test.jsonl", "a"},
			"import a folder alone"},
		"a split in two folders": {"x", map[string]string{"a/test.jsonl": good, "b/test.jsonl": good},
			[]string{"a/test.jsonl", "b/test.jsonl"}, "different folders"},
		"a split twice": {"x", map[string]string{"test.jsonl": good, "test.parquet": good}, []string{"test.jsonl", "test.parquet"},
			"more than one file"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			folder := folderOf(t, test.files)
			o := dataset.ImportOptions{Options: dataset.Options{Folder: t.TempDir()}}
			_, err := dataset.Import(test.name, under(folder, test.paths), o)
			errortest.Says(t, err, test.want)
			if entries, _ := os.ReadDir(o.Folder); len(entries) > 0 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
}

func TestImportReplacesOnDemandOnly(t *testing.T) {
	o := dataset.ImportOptions{Options: dataset.Options{Folder: t.TempDir()}}
	one, two := write(t, "test.jsonl", good), write(t, "test.jsonl", good+"\n")
	first, err := dataset.Import("mine", []string{one}, o)
	assert.NilError(t, err)
	if _, err := dataset.Import("mine", []string{one}, o); err != nil {
		t.Errorf("the same set again: %v", err)
	}
	_, err = dataset.Import("mine", []string{two}, o)
	errortest.Says(t, err, "replace")
	if set := mustOpen(t, "mine", o.Options); set.SHA256 != first.SHA256 {
		t.Error("a refused import changed the set")
	}
	o.Replace = true
	second, err := dataset.Import("mine", []string{two}, o)
	if err != nil || second.SHA256 == first.SHA256 {
		t.Errorf("replaced by %+v, %v", second, err)
	}
	if set := mustOpen(t, "mine", o.Options); set.SHA256 != second.SHA256 {
		t.Error("the set was not replaced")
	}
	if entries, _ := os.ReadDir(o.Folder); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestOpenRefusesAnImportedSetThatWasChanged(t *testing.T) {
	o := dataset.ImportOptions{Options: dataset.Options{Folder: t.TempDir()}}
	if _, err := dataset.Import("mine", []string{write(t, "test.jsonl", good)}, o); err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(good, `"answer":"B","answer_index":1`, `"answer":"A","answer_index":0`, 1)
	assert.NilError(t, os.WriteFile(filepath.Join(o.Folder, "mine", "test.jsonl"), []byte(changed), 0o644))
	_, err := dataset.Open("mine", o.Options)
	errortest.Says(t, err, "not the imported ones")
}

func TestOpenWithoutAReference(t *testing.T) {
	o := dataset.ImportOptions{Options: dataset.Options{Folder: t.TempDir()}}
	if set := mustOpen(t, "", o.Options); set.Name != dataset.SampleName {
		t.Errorf("opened %s, want the sample", set.Name)
	}
	if _, err := dataset.Import(dataset.PublishedName, []string{write(t, "test.jsonl", good)}, o); err != nil {
		t.Fatal(err)
	}
	if set := mustOpen(t, "", o.Options); set.Name != dataset.PublishedName {
		t.Errorf("opened %s, want the imported set", set.Name)
	}
	if set := mustOpen(t, dataset.SampleName, o.Options); set.Name != dataset.SampleName {
		t.Errorf("opened %s, want the sample", set.Name)
	}
}

func TestFolderFollowsTheEnvironment(t *testing.T) {
	tests := map[string]struct{ own, xdg, want string }{
		"PROCTOR_DATA first":           {"/a", "/b", "/a"},
		"then the XDG data folder":     {"", "/b", "/b/proctor"},
		"a relative XDG path is none":  {"", "b", "/home/me/.local/share/proctor"},
		"then its default in the home": {"", "", "/home/me/.local/share/proctor"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PROCTOR_DATA", test.own)
			t.Setenv("XDG_DATA_HOME", test.xdg)
			t.Setenv("HOME", "/home/me")
			if got, err := dataset.Folder(); err != nil || got != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestManifestIsJSONWithTheDocumentedKeys(t *testing.T) {
	o := dataset.ImportOptions{Options: dataset.Options{Folder: t.TempDir()}, Source: "somewhere"}
	if _, err := dataset.Import("mine", []string{write(t, "test.jsonl", good)}, o); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(o.Folder, "mine", "manifest.json"))
	assert.NilError(t, err)
	var keys map[string]any
	assert.NilError(t, json.Unmarshal(data, &keys))
	for _, key := range []string{"name", "source", "sha256", "splits"} {
		if keys[key] == nil {
			t.Errorf("no %q in %s", key, data)
		}
	}
}

func under(folder string, paths []string) []string {
	var joined []string
	for _, path := range paths {
		joined = append(joined, filepath.Join(folder, path))
	}
	return joined
}

func mustOpen(t *testing.T, ref string, o dataset.Options) *dataset.Set {
	t.Helper()
	set, err := dataset.Open(ref, o)
	assert.NilError(t, err)
	return set
}
