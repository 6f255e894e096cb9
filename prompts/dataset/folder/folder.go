// Package folder finds a question set's files in a folder: to which split each belongs, and to which subject.
//
//	test.csv, validation.jsonl                    a file a split
//	test-00000-of-00001.parquet                   its shards, as Hugging Face's repositories have them
//	val/law_val.csv, dev/law_dev.csv              a file a subject, as MMLU and C-Eval are published
//	law_test.csv                                  the same in one folder
//	law/test-00000-of-00001.parquet               a folder a subject
//	law/test/0000.parquet                         the same, as Hugging Face converts it
//
// All of these may also lie in a folder data. The package looks at names alone; package dataset reads what is in the files.
package folder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"proctor/backends/setting"
)

// Test is the split of the questions, by the name that its files have.
const Test = "test"

// Shots are the possible names of the split that shots are made from. The first one that exists is used: if MMLU has a dev split, it is made
// for shots, and its validation split is not.
var Shots = []string{"dev", "validation", "valid", "val"}

// Names are all names of splits that a folder's files may have.
var Names = append([]string{Test}, append(slices.Clone(Shots), "train")...)

// A File is one that a set is made of.
type File struct {
	Path    string // as the set lists it: slash-separated, relative to the folder that it was found in
	Shown   string // as people know it
	Subject string // that its name says; empty where its rows say theirs
	Data    []byte // once it is read
}

// Files are those of a folder, by the name of their split, one of [Names]. Each split's are in order.
type Files map[string][]File

const (
	splits    = `(test|dev|validation|valid|val|train)`
	shard     = `(?:-(\d{5})-of-(\d{5}))?`
	endings   = `\.(parquet|jsonl|ndjson|json|csv|tsv)$`
	noSubject = "data all auxiliary_train" // folders that hold subjects, or of MMLU, that repeat the others or are for training
)

var (
	splitName   = regexp.MustCompile(`^` + splits + shard + endings)
	splitFolder = regexp.MustCompile(`^` + splits + `$`)
	ofSubject   = regexp.MustCompile(`^(.+)_` + splits + endings)
	inSplit     = regexp.MustCompile(`^(.+?)(?:_` + splits + `)?` + shard + endings)
	converted   = regexp.MustCompile(`^\d{4}\.parquet$`)
)

// Split says which split a file is of by its name, as in test.csv.
func Split(name string) (split string, ok bool) {
	if m := splitName.FindStringSubmatch(name); m != nil {
		return m[1], true
	}
	return "", false
}

// Find looks for the files in a folder, then in its folder data. shown is how people name the folder, split the one that it must have.
func Find(folder fs.FS, shown, split string) (Files, error) {
	for _, place := range []string{".", "data"} {
		f := finder{folder, shown, Files{}}
		err := f.byName(place)
		if errors.Is(err, fs.ErrNotExist) && place != "." {
			continue
		}
		if err == nil && len(f.found[split]) == 0 {
			err = f.bySubject(place)
		}
		if err != nil || len(f.found) > 0 {
			return f.found, Bare(err)
		}
	}
	return nil, fmt.Errorf("no test file in the folder (looked for test.csv, .tsv, .json, .jsonl, .parquet, and "+
		"test-00000-of-00001.parquet, also in data/); a file of another name is given itself, as in %s", setting.Data.As("folder/questions.csv"))
}

// A finder collects the files of a folder.
type finder struct {
	folder fs.FS
	shown  string
	found  Files
}

func (f *finder) add(split, subject string, at ...string) {
	f.found[split] = append(f.found[split], File{
		Path: path.Join(at...), Shown: filepath.Join(f.shown, filepath.Join(at...)), Subject: strings.ReplaceAll(subject, "_", " "),
	})
}

// byName finds a file a split, or its shards.
func (f *finder) byName(place string) error {
	entries, err := fs.ReadDir(f.folder, place)
	for _, entry := range entries {
		if split, ok := Split(entry.Name()); ok && !entry.IsDir() {
			f.add(split, "", place, entry.Name())
		}
	}
	for _, files := range f.found {
		err = cmp.Or(err, Whole(files))
	}
	return err
}

// bySubject finds a file or a folder a subject.
func (f *finder) bySubject(place string) error {
	entries, err := fs.ReadDir(f.folder, place)
	for _, entry := range entries {
		name := entry.Name()
		switch m := ofSubject.FindStringSubmatch(name); {
		case !entry.IsDir() && m != nil:
			f.add(m[2], m[1], place, name)
		case entry.IsDir() && splitFolder.MatchString(name):
			err = cmp.Or(err, f.inSplit(name, place, name))
		case entry.IsDir() && !slices.Contains(strings.Fields(noSubject), name):
			err = cmp.Or(err, f.ofOne(name, place, name))
		}
	}
	return err
}

// inSplit finds the files, one a subject, in the folder of a split.
func (f *finder) inSplit(split string, at ...string) error {
	entries, err := fs.ReadDir(f.folder, path.Join(at...))
	for _, entry := range entries {
		if m := inSplit.FindStringSubmatch(entry.Name()); m != nil && !entry.IsDir() {
			f.add(split, m[1], append(at, entry.Name())...)
		}
	}
	return err
}

// ofOne finds the splits of one subject in its folder.
func (f *finder) ofOne(subject string, at ...string) error {
	entries, err := fs.ReadDir(f.folder, path.Join(at...))
	for _, entry := range entries {
		name := entry.Name()
		if split, ok := Split(name); ok && !entry.IsDir() {
			f.add(split, subject, append(at, name)...)
		}
		if !entry.IsDir() || !splitFolder.MatchString(name) {
			continue
		}
		parts, failed := fs.ReadDir(f.folder, path.Join(append(at, name)...))
		err = cmp.Or(err, failed)
		for _, part := range parts {
			if converted.MatchString(part.Name()) {
				f.add(name, subject, append(at, name, part.Name())...)
			}
		}
	}
	return err
}

// Copy writes a split's files into a folder, under names by which [Find] knows the split and their subjects, and returns these names.
// ending is that of a file's format.
func Copy(files []File, split string, ending func(File) string, to string) (names []string, err error) {
	for i, f := range files {
		name := path.Base(f.Path)
		if f.Subject != "" {
			name = path.Join(split, ofItsSubject(files, i)+ending(f))
		} else if is, ok := Split(name); !ok {
			name = split + ending(f)
		} else if is != split && (split == Test || !slices.Contains(Shots, is)) {
			name = split + strings.TrimPrefix(name, is)
		}
		place := filepath.Join(to, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			return nil, err
		}
		if err := maybe.WriteFile(place, f.Data, 0o644); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// ofItsSubject is a name for one of a split's files by which its subject is known, without an ending.
func ofItsSubject(files []File, i int) string {
	part, parts := 0, 0
	for j, f := range files {
		if f.Subject == files[i].Subject {
			if parts++; j < i {
				part++
			}
		}
	}
	name := strings.ReplaceAll(files[i].Subject, " ", "_")
	if parts > 1 {
		name += fmt.Sprintf("-%05d-of-%05d", part, parts)
	}
	return name
}

// Whole sorts files and checks that they are one split: a single file, or all its shards in one format.
func Whole(files []File) error {
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	place, first := filepath.Dir(files[0].Shown), splitName.FindStringSubmatch(path.Base(files[0].Path))
	if slices.ContainsFunc(files, func(f File) bool { return filepath.Dir(f.Shown) != place }) {
		return fmt.Errorf("the files of split %s lie in different folders: %s", first[1], Listed(files))
	}
	for i, f := range files {
		m := splitName.FindStringSubmatch(path.Base(f.Path))
		switch {
		case m[2] == "" && len(files) > 1 || m[3] != first[3] || m[4] != first[4]:
			return fmt.Errorf("more than one file for the split: %s; keep one, or give the file itself", Listed(files))
		case m[2] != "" && m[2] != fmt.Sprintf("%05d", i):
			return fmt.Errorf("shard %05d of %s is missing (found %s)", i, m[3], f.Path)
		}
	}
	if first[3] != "" && first[3] != fmt.Sprintf("%05d", len(files)) {
		return fmt.Errorf("only %d of %s shards are there: %s", len(files), first[3], Listed(files))
	}
	return nil
}

// Listed names files for people.
func Listed(files []File) string {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Shown
	}
	return strings.Join(paths, ", ")
}

// ReadFile reads a file that has an end: a pipe would have it wait, a device read until memory is full.
func ReadFile(name string) ([]byte, error) {
	return ReadFrom(os.DirFS(filepath.Dir(name)), filepath.Base(name))
}

// ReadFrom reads a file of a folder as [ReadFile] does.
func ReadFrom(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = errors.New("not a regular file but a pipe or a device: write what it gives to a file, and give that")
	}
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(folder, name)
}

// Bare takes the path out of an error whose message will name it anyway.
func Bare(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}
