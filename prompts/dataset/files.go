package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/dataset/table"
)

// shotsNames are the names that the split of the shots may have. The first one that exists is used: if MMLU has a dev
// split, it is made for shots, and its validation split is not.
var shotsNames = []string{"dev", "validation", "valid", "val"}

// splitNames are all names of splits.
var splitNames = slices.Concat([]string{TestSplit}, shotsNames, []string{"train"})

const endings = `\.(?:parquet|jsonl|ndjson|json|csv|tsv)$`

var (
	splits    = `(` + strings.Join(splitNames, "|") + `)`
	ofSplit   = regexp.MustCompile(`^` + splits + `(-\d{5}-of-\d{5})?` + endings)
	ofSubject = regexp.MustCompile(`^(.+?)(?:_` + splits + `)?` + endings)
)

// A file is one that a set is made of.
type file struct {
	in      fs.FS
	path    string // in it, slash-separated
	shown   string // as people know it
	subject string // that its name says; empty where its rows say theirs
	data    []byte // once it is read
}

// onDisk is a file that people named.
func onDisk(name string) file {
	return file{in: os.DirFS(filepath.Dir(name)), path: filepath.Base(name), shown: name}
}

// read reads a file that has an end: a pipe would have it wait, a device read until memory is full.
func (f file) read() ([]byte, error) {
	info, err := fs.Stat(f.in, f.path)
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file but a pipe or a device: give a file with what it writes", f.shown)
	}
	data, err := fs.ReadFile(f.in, f.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.shown, bare(err))
	}
	return data, nil
}

// bare takes the path out of an error whose message names it anyway.
func bare(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}

// find looks for a folder's files, by the names of their splits. They lie in it, or in its folder data:
//
//	test.csv, validation.jsonl             a file a split
//	test-00000-of-00002.parquet            its shards, as Hugging Face's repositories have them
//	val/law_val.csv, dev/law.jsonl         a file a subject, as C-Eval is published
//
// shown is how people name the folder.
func find(in fs.FS, shown string) (map[string][]file, error) {
	found := map[string][]file{}
	for _, place := range []string{".", "data"} {
		for _, folder := range append([]string{""}, splitNames...) {
			info, err := fs.Stat(in, path.Join(place, folder))
			if path.Join(place, folder) != "." && (errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir()) {
				continue
			}
			entries, err := fs.ReadDir(in, path.Join(place, folder))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Join(shown, place, folder), bare(err))
			}
			for _, entry := range entries {
				at := path.Join(place, folder, entry.Name())
				f := file{in: in, path: at, shown: filepath.Join(shown, at)}
				if entry.IsDir() {
					continue
				}
				if m := ofSplit.FindStringSubmatch(entry.Name()); m != nil && folder == "" {
					found[m[1]] = append(found[m[1]], f)
				}
				if m := ofSubject.FindStringSubmatch(entry.Name()); m != nil && folder != "" {
					f.subject = strings.ReplaceAll(m[1], "_", " ")
					found[folder] = append(found[folder], f)
				}
			}
		}
		if len(found) > 0 {
			return found, whole(found)
		}
	}
	return nil, fmt.Errorf("%s: no test file in the folder (looked for test.csv, .tsv, .json, .jsonl, .parquet, "+
		"test-00000-of-00001.parquet and test/SUBJECT.csv, also in data/); a file of another name is given itself, as in %s",
		shown, setting.Data.As("folder/questions.csv"))
}

// gather finds the files that a path names: a folder's, or one file, whatever its name.
func gather(name, split string) (map[string][]file, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, bare(err))
	}
	if info.IsDir() {
		return find(os.DirFS(name), name)
	}
	if split != "" {
		return nil, fmt.Errorf("%s chooses files of a folder, and %s is a file: leave it out, or give the folder",
			setting.Split.As(split), name)
	}
	return map[string][]file{TestSplit: {onDisk(name)}}, nil
}

// whole sorts the files of each split, and checks that they are one, all its shards, or one a subject.
func whole(found map[string][]file) error {
	for split, files := range found {
		slices.SortFunc(files, func(a, b file) int {
			return cmp.Or(cmp.Compare(a.subject, b.subject), cmp.Compare(path.Base(a.path), path.Base(b.path)))
		})
		var shown []string
		good := true
		for i, f := range files {
			shown = append(shown, f.shown)
			m := ofSplit.FindStringSubmatch(path.Base(f.path))
			shard := f.subject != "" || m[2] == fmt.Sprintf("-%05d-of-%05d", i, len(files)) || m[2] == "" && len(files) == 1
			good = good && shard && path.Ext(f.path) == path.Ext(files[0].path) && (f.subject == "") == (files[0].subject == "")
		}
		if !good {
			return fmt.Errorf("the files of split %s are neither one, nor all its shards in one format: %s; complete them, "+
				"or give one itself", split, strings.Join(shown, ", "))
		}
	}
	return nil
}

// A part is a split's files and what they hold.
type part struct {
	split  string
	files  []file
	tables []*table.Table
	notes  []string
}

func readPart(split string, files []file) (p part, err error) {
	p = part{split: split, files: slices.Clone(files)}
	for i, f := range files {
		if p.files[i].data, err = f.read(); err != nil {
			return p, err
		}
		t, err := table.Read(f.path, p.files[i].data)
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.shown, err)
		}
		p.tables = append(p.tables, t)
	}
	return p, nil
}

// choose reads the files of the questions, those of split (empty for test), and of the shots, which may be missing.
func choose(found map[string][]file, shown, split string) ([]part, error) {
	names := strings.Join(slices.Sorted(maps.Keys(found)), ", ")
	if split != "" && !slices.Contains(splitNames, split) {
		return nil, fmt.Errorf("%s: %s: a split is one of %s; a file of another name is given itself, as in %s", shown,
			setting.Split.As(split), strings.Join(splitNames, ", "), setting.Data.As("folder/questions.csv"))
	}
	if split != "" && len(found[split]) == 0 {
		return nil, fmt.Errorf("%s: %s: it has no such split; it has %s", shown, setting.Split.As(split), names)
	}
	asked := cmp.Or(split, TestSplit)
	questions, err := readPart(TestSplit, found[asked])
	if err != nil {
		return nil, err
	}
	shots := slices.DeleteFunc(slices.Clone(shotsNames), func(name string) bool {
		return len(found[name]) == 0 || name == asked
	})
	rows, answered := 0, false // C-Eval keeps the answers of its test files secret, and people use its val files
	for _, t := range questions.tables {
		rows += len(t.Rows)
		answered = answered || slices.ContainsFunc(t.Rows, func(r table.Row) bool { return !table.Blank(r.Cells["answer"]) })
	}
	if split == "" && !answered && len(shots) > 1 && found[shots[0]][0].subject != "" {
		if questions, err = readPart(TestSplit, found[shots[1]]); err != nil {
			return nil, err
		}
		if rows > 0 {
			questions.notes = []string{fmt.Sprintf("%d questions of the test files left out, which have no answers: "+
				"those of %s are used", rows, shots[1])}
		}
	}
	if len(questions.files) == 0 {
		return nil, fmt.Errorf("%s: there is no test file, and %s alone has nothing to ask: call a file test, or give the "+
			"folder and %s", shown, names, setting.Split.As("NAME"))
	}
	if len(shots) == 0 {
		return []part{questions}, nil
	}
	examples, err := readPart(ValidationSplit, found[shots[0]])
	return []part{questions, examples}, err
}
