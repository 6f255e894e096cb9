package dataset_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

// imported is a set in a data folder of its own, which needs its mapping, and the path of its manifest.
func imported(t *testing.T) (o dataset.Options, manifest string) {
	t.Helper()
	o = dataset.Options{Folder: t.TempDir()}
	given := dataset.Options{Folder: o.Folder, Map: parsed(t, mapped+",answer-is=index1")}
	file := write(t, "x.csv", "q,a,b,c,k\nQ,x,y,z,2\n")
	imports(t, given, "mine", file)
	return o, filepath.Join(o.Folder, "mine", "manifest.json")
}

// edit changes a text in a file.
func edit(t *testing.T, file, old, text string) {
	t.Helper()
	content, err := os.ReadFile(file)
	assert.Assert(t, err == nil && strings.Contains(string(content), old), "%s has no %q, %v", file, old, err)
	assert.NilError(t, os.WriteFile(file, []byte(strings.Replace(string(content), old, text, 1)), 0o644))
}

func TestACopyIsTheImportedSet(t *testing.T) {
	o, manifest := imported(t)
	want := mustOpen(t, "mine", o)
	other := dataset.ImportOptions{Options: dataset.Options{Folder: t.TempDir()}, Source: "afar"}
	copied := func(name string) (dataset.Manifest, error) {
		return dataset.ImportCopy(name, os.DirFS(filepath.Dir(manifest)), "theirs", other)
	}
	kept, err := copied("mine")
	assert.Assert(t, err == nil && kept.SHA256 == want.SHA256 && kept.Source == "afar", "%+v, %v", kept, err)
	again := mustOpen(t, "mine", other.Options)
	assert.Equal(t, told(again.Test), told(want.Test))
	assert.Equal(t, again.Splits[0].Read(), want.Splits[0].Read())

	for _, name := range []string{"", "sample", "../mine", "data/mine"} {
		_, err := copied(name)
		errortest.For(t, name, err, "cannot name a set")
	}
	edit(t, manifest, "answer-is=index1", "answer-is=index0")
	_, err = copied("mine")
	errortest.For(t, "another mapping", err, "theirs: the files are not the imported ones")
	os.Remove(manifest)
	_, err = copied("mine")
	assert.Error(t, err, filepath.Join("theirs", "manifest.json")+": no such file or directory")
}

func TestAManifestsNamesOfFilesAreNotFollowed(t *testing.T) {
	o, manifest := imported(t)
	edit(t, manifest, `"test.csv"`, `"../../../etc/passwd"`)
	found, err := dataset.Locate("mine", o)
	assert.NilError(t, err)
	assert.DeepEqual(t, found.Files, []string{"test.csv", "manifest.json"})
}
