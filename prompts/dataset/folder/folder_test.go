package folder_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset/folder"
	"proctor/scripts/tests/errortest"
)

func TestFilesAreFoundWhereSetsHaveThem(t *testing.T) {
	for name, test := range map[string]struct {
		files []string
		want  string // split subject path; and so on
	}{
		"a file a split": {[]string{"test.csv", "dev.csv", "README.md"}, "dev  dev.csv; test  test.csv"},
		"in data":        {[]string{"data/test.csv", "README.md"}, "test  data/test.csv"},
		"shards": {[]string{"test-00001-of-00002.parquet", "test-00000-of-00002.parquet"},
			"test  test-00000-of-00002.parquet; test  test-00001-of-00002.parquet"},
		"a file a subject": {[]string{"val/a_b_val.csv", "dev/a_b_dev.csv"}, "dev a b dev/a_b_dev.csv; val a b val/a_b_val.csv"},
		"as converted": {[]string{"law/test/0000.parquet", "law/test/0001.parquet"},
			"test law law/test/0000.parquet; test law law/test/0001.parquet"},
		"no subject": {[]string{"all/test-00000-of-00001.parquet", "law/test-00000-of-00001.parquet"},
			"test law law/test-00000-of-00001.parquet"},
		"beside a file for shots": {[]string{"validation.jsonl", "test/law.csv"}, "test law test/law.csv; validation  validation.jsonl"},
	} {
		in := fstest.MapFS{}
		for _, file := range test.files {
			in[file] = &fstest.MapFile{}
		}
		found, err := folder.Find(in, "set", folder.Test)
		assert.NilError(t, err, name)
		var all []string
		for split, files := range found {
			for _, f := range files {
				all = append(all, fmt.Sprint(split, " ", f.Subject, " ", f.Path))
			}
		}
		slices.Sort(all)
		assert.Equal(t, strings.Join(all, "; "), test.want, name)
	}
	_, err := folder.Find(fstest.MapFS{"law/readme.csv": &fstest.MapFile{}}, "set", folder.Test)
	errortest.Says(t, err, "no test file in the folder")
}

func TestFilesThatWereCopiedAreFoundAgain(t *testing.T) {
	ofSubjects := []folder.File{{Path: "a_b_test.csv", Subject: "a b"}, {Path: "law.csv", Subject: "law"}, {Path: "2.csv", Subject: "a b"}}
	for _, test := range []struct {
		files       []folder.File
		split, want string
	}{
		{ofSubjects, folder.Test, "test/a_b-00000-of-00002.csv test/law.csv test/a_b-00001-of-00002.csv"},
		{ofSubjects[1:2], "validation", "validation/law.csv"},
		{[]folder.File{{Path: "data/test-00000-of-00001.csv"}}, folder.Test, "test-00000-of-00001.csv"},
		{[]folder.File{{Path: "questions.csv"}}, folder.Test, "test.csv"},
		{[]folder.File{{Path: "test.csv"}}, "validation", "validation.csv"},
	} {
		to := t.TempDir()
		names, err := folder.Copy(test.files, test.split, func(folder.File) string { return ".csv" }, to)
		assert.NilError(t, err)
		assert.Equal(t, strings.Join(names, " "), test.want)
		found, err := folder.Find(os.DirFS(to), to, folder.Test)
		assert.Assert(t, err == nil && len(found[test.split]) == len(test.files), "%s: %v, %v", test.want, found, err)
		for _, f := range found[test.split] {
			i := slices.Index(names, f.Path)
			assert.Check(t, i >= 0 && test.files[i].Subject == f.Subject, "%s is of %q", f.Path, f.Subject)
		}
	}
}
