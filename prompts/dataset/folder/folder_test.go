package folder_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

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
		"shards": {
			[]string{"test-00001-of-00002.parquet", "test-00000-of-00002.parquet"},
			"test  test-00000-of-00002.parquet; test  test-00001-of-00002.parquet",
		},
		"a file a subject": {[]string{"val/a_b_val.csv", "dev/a_b_dev.csv"}, "dev a b dev/a_b_dev.csv; val a b val/a_b_val.csv"},
		"as converted": {
			[]string{"law/test/0000.parquet", "law/test/0001.parquet"},
			"test law law/test/0000.parquet; test law law/test/0001.parquet",
		},
		"no subject": {
			[]string{"all/test-00000-of-00001.parquet", "law/test-00000-of-00001.parquet"},
			"test law law/test-00000-of-00001.parquet",
		},
		"beside a file for shots": {[]string{"validation.jsonl", "test/law.csv"}, "test law test/law.csv; validation  validation.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			in := fstest.MapFS{}
			for _, file := range test.files {
				in[file] = &fstest.MapFile{}
			}
			found, err := folder.Find(in, "set")
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for split, files := range found {
				for _, f := range files {
					all = append(all, fmt.Sprint(split, " ", f.Subject, " ", f.Path))
				}
			}
			slices.Sort(all)
			if got := strings.Join(all, "; "); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
	_, err := folder.Find(fstest.MapFS{"law/readme.csv": &fstest.MapFile{}}, "set")
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
		if got := strings.Join(names, " "); err != nil || got != test.want {
			t.Fatalf("%s, %v; want %s", got, err, test.want)
		}
		found, err := folder.Find(os.DirFS(to), to)
		if err != nil || len(found[test.split]) != len(test.files) {
			t.Fatalf("%s: %v, %v", test.want, found, err)
		}
		for _, f := range found[test.split] {
			if i := slices.Index(names, f.Path); i < 0 || test.files[i].Subject != f.Subject {
				t.Errorf("%s is of %q", f.Path, f.Subject)
			}
		}
	}
}
