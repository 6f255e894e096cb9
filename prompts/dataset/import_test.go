package dataset_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
)

func TestImportThenOpenByName(t *testing.T) {
	columns := writeParquet(t, []dataset.ParquetRow{{1, "q", []string{"a", "b"}, "A", 0, "", "s", ""}})
	for name, test := range map[string]struct {
		files            map[string]string
		ref              string
		test, validation int
	}{
		"a folder":           {map[string]string{"data/test.jsonl": good, "data/validation.jsonl": good}, ".", 1, 1},
		"a file of any name": {map[string]string{"my questions.jsonl": good}, "my questions.jsonl", 1, 0},
		"parquet":            {nil, columns, 1, 0},
	} {
		o := dataset.Options{Folder: filepath.Join(t.TempDir(), "not", "there yet")}
		manifest := imports(t, o, "mine", under(folderOf(t, test.files), test.ref))
		set := mustOpen(t, "mine", o)
		assert.Check(t, set.Name == "mine" && len(set.Test) == test.test && len(set.Validation) == test.validation, "%s: %+v", name, set)
		assert.Check(t, manifest.SHA256 == set.SHA256 && len(manifest.Splits) == len(set.Splits) && manifest.Splits[0].Rows == test.test,
			"%s: manifest %+v, set %+v", name, manifest, set.Splits)
		listed, err := dataset.List(o.Folder)
		assert.Check(t, err == nil && len(listed) == 1 && listed[0].SHA256 == manifest.SHA256, "%s: listed %+v, %v", name, listed, err)
		left, _ := filepath.Glob(filepath.Join(o.Folder, ".*"))
		assert.Check(t, len(left) == 0, "%s: left behind: %s", name, left)
		assert.Equal(t, openFile(t, under(folderOf(t, test.files), test.ref)).SHA256, set.SHA256)
	}
}

func TestImportRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		name      string
		files     map[string]string
		ref, want string
	}{
		"a name that is a path": {"../x", map[string]string{"test.jsonl": good}, "test.jsonl", "cannot name a set"},
		"the sample's name":     {"sample", map[string]string{"test.jsonl": good}, "test.jsonl", "cannot name a set"},
		"a missing file":        {"x", nil, "no.jsonl", "no such file"},
		"bad rows": {"x", map[string]string{"test.jsonl": strings.Replace(good, "2 + 2?", "", 1)}, "test.jsonl",
			"1 bad row"},
		"shots alone": {"x", map[string]string{"validation.jsonl": good}, ".", "nothing to ask"},
		"a split twice": {"x", map[string]string{"test.jsonl": good, "test.parquet": good}, ".",
			"neither one, nor all its shards"},
	} {
		o := dataset.ImportOptions{Options: dataset.Options{Folder: t.TempDir()}}
		_, err := dataset.Import(test.name, under(folderOf(t, test.files), test.ref), o)
		errortest.For(t, name, err, test.want)
		entries, _ := os.ReadDir(o.Folder)
		assert.Check(t, len(entries) == 0, "%s: left behind: %v", name, entries)
	}
}

func TestAnImportedSetIsTheSameUntilItIsReplaced(t *testing.T) {
	o := dataset.ImportOptions{Options: dataset.Options{Folder: t.TempDir()}}
	one := write(t, "test.jsonl", good)
	first := imports(t, o.Options, "mine", one)
	assert.Equal(t, imports(t, o.Options, "mine", one).SHA256, first.SHA256) // the same set again
	_, err := dataset.Import("mine", write(t, "test.jsonl", good+"\n"), o)
	errortest.Says(t, err, "replace")
	edit(t, filepath.Join(o.Folder, "mine", "test.jsonl"), `"answer":"B","answer_index":1`,
		`"answer":"A","answer_index":0`)
	_, err = dataset.Open("mine", o.Options)
	errortest.Says(t, err, "not the imported ones")
}

func TestOpenWithoutAReference(t *testing.T) {
	o := dataset.Options{Folder: t.TempDir()}
	assert.Equal(t, mustOpen(t, "", o).Name, dataset.SampleName)
	imports(t, o, dataset.PublishedName, write(t, "test.jsonl", good))
	assert.Equal(t, mustOpen(t, "", o).Name, dataset.PublishedName)
	assert.Equal(t, mustOpen(t, dataset.SampleName, o).Name, dataset.SampleName)
}

func TestFolderFollowsTheEnvironment(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	for name, test := range map[string]struct{ own, xdg, want string }{
		"PROCTOR_DATA first":           {"/a", "/b", "/a"},
		"then the XDG data folder":     {"", "/b", "/b/proctor"},
		"a relative XDG path is none":  {"", "b", "/home/me/.local/share/proctor"},
		"then its default in the home": {"", "", "/home/me/.local/share/proctor"},
	} {
		t.Setenv("PROCTOR_DATA", test.own)
		t.Setenv("XDG_DATA_HOME", test.xdg)
		got, err := dataset.Folder()
		assert.Check(t, err == nil && got == test.want, "%s: %q, %v; want %q", name, got, err, test.want)
	}
}

func TestManifestIsJSONWithTheDocumentedKeys(t *testing.T) {
	_, manifest := imported(t)
	data, err := os.ReadFile(manifest)
	assert.NilError(t, err)
	var keys map[string]any
	assert.NilError(t, json.Unmarshal(data, &keys))
	for _, key := range []string{"name", "source", "sha256", "splits"} {
		assert.Check(t, keys[key] != nil, "no %q in %s", key, data)
	}
}

func under(folder, ref string) string {
	if filepath.IsAbs(ref) {
		return ref
	}
	return filepath.Join(folder, ref)
}

func imports(t *testing.T, o dataset.Options, name, ref string) dataset.Manifest {
	t.Helper()
	manifest, err := dataset.Import(name, ref, dataset.ImportOptions{Options: o})
	assert.NilError(t, err)
	return manifest
}

func mustOpen(t *testing.T, ref string, o dataset.Options) *dataset.Set {
	t.Helper()
	set, err := dataset.Open(ref, o)
	assert.NilError(t, err)
	return set
}

func TestTheChecksumsAreThoseOfThePublishedSet(t *testing.T) {
	set := openFile(t, sharedtest.Path(t, "data/mmlu-pro"))
	var all []string
	for _, q := range set.Test {
		all = append(all, task.Checksum(q.ID, q.Text, q.Options))
	}
	for i, q := range set.Test {
		id, ok := task.FindPublished(q.Text, q.Options, set.Test[max(0, i-1)].ID+1)
		assert.Assert(t, ok && task.Checksum(id, q.Text, q.Options) == all[i], "question %d is found as %d", q.ID, id)
	}
	_, ok := task.FindPublished("Made up?", nil, 0)
	assert.Check(t, !ok, "a question that is none of them is found")
	slices.Sort(all)
	if golden.FlagUpdate() {
		assert.NilError(t, os.WriteFile("../task/questions.sha256", []byte(strings.Join(all, "")), 0o644))
	}
	have, err := os.ReadFile("../task/questions.sha256")
	assert.Check(t, err == nil && string(have) == strings.Join(all, ""), "questions.sha256 has %d bytes, want %d; %v", len(have), 8*len(all), err)
	assert.Equal(t, set.SHA256, "a2276d93ca46e62ca5a5b63278227cb9e6e6106f8f50c1473011cffc9367c74b")
}

func TestAQuestionIsKnownByItsContent(t *testing.T) {
	set := openFile(t, sharedtest.Path(t, "data/mmlu-pro"))
	q := set.Test[0]
	for name, test := range map[string]struct {
		id      int
		text    string
		options []string
		want    bool
	}{
		"itself":            {q.ID, q.Text, q.Options, true},
		"other white space": {q.ID, " " + strings.ReplaceAll(q.Text, " ", "\r\n"), q.Options, true},
		"another id":        {q.ID + 1, q.Text, q.Options, false},
		"another text":      {q.ID, q.Text + "!", q.Options, false},
		"fewer options":     {q.ID, q.Text, q.Options[1:], false},
		"nothing":           {0, "", nil, false},
	} {
		assert.Check(t, task.IsPublished(test.id, test.text, test.options) == test.want, name)
	}
	assert.Equal(t, set.Published, task.Published)
	for text, want := range map[string]string{set.Test[1].Text: task.Published, "Made up?": ""} {
		set.Test[1].Text = text
		some := bytes.NewBuffer(nil)
		for _, q := range set.Test[:2] {
			assert.NilError(t, json.NewEncoder(some).Encode(q))
		}
		assert.Equal(t, openFile(t, write(t, "some.jsonl", some.String())).Published, want)
	}
}
