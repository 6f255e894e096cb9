package dataset_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

// imported is a set in a data folder of its own, which needs its mapping, and the path of its manifest.
func imported(t *testing.T) (o dataset.Options, manifest string) {
	t.Helper()
	o = dataset.Options{Folder: t.TempDir()}
	given := dataset.Options{Folder: o.Folder, Map: parsed(t, mapped+",answer-is=index1")}
	file := write(t, "x.csv", "q,a,b,c,k\nQ,x,y,z,2\n")
	if _, err := dataset.Import("mine", []string{file}, dataset.ImportOptions{Options: given}); err != nil {
		t.Fatal(err)
	}
	return o, filepath.Join(o.Folder, "mine", "manifest.json")
}

// edit changes a text in a file.
func edit(t *testing.T, file, old, text string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(content), old) {
		t.Fatalf("%s has no %q, %v", file, old, err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(content), old, text, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestACopyIsTheImportedSet(t *testing.T) {
	o, manifest := imported(t)
	want := mustOpen(t, "mine", o)
	other := dataset.ImportOptions{Options: dataset.Options{Folder: t.TempDir()}, Source: "afar"}
	copied := func(name string) (dataset.Manifest, error) {
		return dataset.ImportCopy(name, os.DirFS(filepath.Dir(manifest)), "theirs", other)
	}
	kept, err := copied("mine")
	if err != nil || kept.SHA256 != want.SHA256 || kept.Source != "afar" {
		t.Fatalf("%+v, %v", kept, err)
	}
	again := mustOpen(t, "mine", other.Options)
	if told(again.Test) != told(want.Test) || again.Splits[0].Read() != want.Splits[0].Read() {
		t.Errorf("%s, read as %s", told(again.Test), again.Splits[0].Read())
	}

	for _, name := range []string{"", "sample", "../mine", "data/mine"} {
		_, err := copied(name)
		errortest.For(t, name, err, "cannot name a set")
	}
	edit(t, manifest, "answer-is=index1", "answer-is=index0")
	_, err = copied("mine")
	errortest.For(t, "another mapping", err, "theirs: the files are not the imported ones")
	os.Remove(manifest)
	if _, err := copied("mine"); err == nil || err.Error() != filepath.Join("theirs", "manifest.json")+": file does not exist" &&
		err.Error() != filepath.Join("theirs", "manifest.json")+": no such file or directory" {
		t.Errorf("without a manifest: %v", err)
	}
}

func TestAManifestsNamesOfFilesAreNotFollowed(t *testing.T) {
	o, manifest := imported(t)
	edit(t, manifest, `"test.csv"`, `"../../../etc/passwd"`)
	found, err := dataset.Locate("mine", o)
	if err != nil || !slices.Equal(found.Files, []string{"test.csv", "manifest.json"}) {
		t.Errorf("located %q, %v", found.Files, err)
	}
}
