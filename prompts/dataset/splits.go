package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// splitFiles are the files of one split, in order.
type splitFiles struct {
	name     string
	files    []file
	imported *Split // how the files of an imported set are read; nil for others
}

// A file is one that a set is made of.
type file struct {
	path  string // as the set lists it: slash-separated, relative to the folder that it was found in
	shown string // as people know it
	data  []byte
}

// shardName matches the names that folders are searched for: test.jsonl, test.csv and, as Hugging Face's
// repositories have them, test-00000-of-00001.parquet.
var shardName = regexp.MustCompile(`^(test|dev|validation|valid|val)(?:-(\d{5})-of-(\d{5}))?\.(parquet|jsonl|ndjson|json|csv|tsv)$`)

// shotNames are what the split that shots are made of may be called. The first of them that is there counts: where MMLU has a
// dev split, it is made for shots, and its validation split is not.
var shotNames = []string{"dev", ValidationSplit, "valid", "val"}

// findSplits looks for test and validation files in a folder, then in its folder data. Validation may be absent. shown is
// how people name the folder.
func findSplits(folder fs.FS, shown string) ([]splitFiles, error) {
	for _, place := range []string{".", "data"} {
		entries, err := fs.ReadDir(folder, place)
		if errors.Is(err, fs.ErrNotExist) && place != "." {
			continue
		}
		if err != nil {
			return nil, bareCause(err)
		}
		found := map[string][]file{}
		for _, entry := range entries {
			if m := shardName.FindStringSubmatch(entry.Name()); m != nil && !entry.IsDir() {
				found[m[1]] = append(found[m[1]], file{
					path: path.Join(place, entry.Name()), shown: filepath.Join(shown, place, entry.Name()),
				})
			}
		}
		for _, files := range found {
			if err := whole(files); err != nil {
				return nil, err
			}
		}
		if i := slices.IndexFunc(shotNames, func(name string) bool { return len(found[name]) > 0 }); i >= 0 {
			found[ValidationSplit] = found[shotNames[i]]
		}
		if len(found) > 0 {
			return arrange(found, func(f file) ([]byte, error) { return readFrom(folder, f.path) })
		}
	}
	return nil, errors.New("no test file in the folder (looked for test.jsonl, test.parquet, test-00000-of-00001.parquet, also in data/)")
}

// arrange reads the files found and turns them into splits, test first.
func arrange(found map[string][]file, read func(file) ([]byte, error)) ([]splitFiles, error) {
	if len(found[TestSplit]) == 0 {
		return nil, fmt.Errorf("%s: there is no test file, and a validation file alone has nothing to ask", listed(found[ValidationSplit]))
	}
	var splits []splitFiles
	for _, name := range []string{TestSplit, ValidationSplit} {
		files := found[name]
		for i, f := range files {
			data, err := read(f)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.shown, bareCause(err))
			}
			files[i].data = data
		}
		if len(files) > 0 {
			splits = append(splits, splitFiles{name: name, files: files})
		}
	}
	return splits, nil
}

// withShots puts a file in the place of the validation split; an empty name leaves all as it is.
func withShots(splits []splitFiles, name string) ([]splitFiles, error) {
	if name == "" {
		return splits, nil
	}
	data, err := readFile(name)
	if err != nil {
		return nil, fmt.Errorf("shots: %s: %w", name, bareCause(err))
	}
	splits = slices.DeleteFunc(splits, func(s splitFiles) bool { return s.name == ValidationSplit })
	return append(splits, splitFiles{name: ValidationSplit, files: []file{{path: filepath.Base(name), shown: name, data: data}}}), nil
}

// whole sorts files and checks that they are one split: a single file, or all its shards in one format.
func whole(files []file) error {
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	folder, first := filepath.Dir(files[0].shown), shardName.FindStringSubmatch(path.Base(files[0].path))
	if slices.ContainsFunc(files, func(f file) bool { return filepath.Dir(f.shown) != folder }) {
		return fmt.Errorf("the files of split %s lie in different folders: %s", first[1], listed(files))
	}
	for i, f := range files {
		m := shardName.FindStringSubmatch(path.Base(f.path))
		switch {
		case m[2] == "" && len(files) > 1 || m[3] != first[3] || m[4] != first[4]:
			return fmt.Errorf("more than one file for the split: %s; keep one, or give the file itself", listed(files))
		case m[2] != "" && m[2] != fmt.Sprintf("%05d", i):
			return fmt.Errorf("shard %05d of %s is missing (found %s)", i, m[3], f.path)
		}
	}
	if first[3] != "" && first[3] != fmt.Sprintf("%05d", len(files)) {
		return fmt.Errorf("only %d of %s shards are there: %s", len(files), first[3], listed(files))
	}
	return nil
}

func listed(files []file) string {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.shown
	}
	return strings.Join(paths, ", ")
}
