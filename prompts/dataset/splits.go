package dataset

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/dataset/folder"
	"proctor/prompts/dataset/table"
)

// splitFiles are the files of one split, in order.
type splitFiles struct {
	name     string
	files    []folder.File
	imported *Split // how the files of an imported set are read; nil for others
	notes    []string
}

// findSplits looks for the files in a folder of the split of the questions, test by default, and of one for shots, which may be absent.
// shown is how people name the folder.
func findSplits(in fs.FS, shown, chosen string) ([]splitFiles, error) {
	if chosen != "" && !slices.Contains(folder.Names, chosen) {
		return nil, fmt.Errorf("%s: a split is one of %s; a file of another name is given itself, as in %s", setting.Split.As(chosen),
			strings.Join(folder.Names, ", "), setting.Data.As("folder/questions.csv"))
	}
	found, err := folder.Find(in, shown, cmp.Or(chosen, folder.Test))
	if err != nil {
		return nil, err
	}
	if chosen != "" {
		if len(found[chosen]) == 0 {
			return nil, fmt.Errorf("%s: it has no such split; it has %s", setting.Split.As(chosen), strings.Join(slices.Sorted(maps.Keys(found)), ", "))
		}
		if chosen != folder.Test {
			found[folder.Test] = found[chosen]
			delete(found, chosen)
		}
	}
	return arrange(found, chosen != "", func(f folder.File) ([]byte, error) { return folder.ReadFrom(in, f.Path) })
}

// arrange reads the files found and turns them into splits, test first. Chosen files are used whatever is in them.
func arrange(found folder.Files, chosen bool, read func(folder.File) ([]byte, error)) ([]splitFiles, error) {
	test, shots := splitFiles{name: TestSplit, files: found[folder.Test]}, splitFiles{name: ValidationSplit}
	shotsFrom := slices.IndexFunc(folder.Shots, func(name string) bool { return len(found[name]) > 0 })
	if shotsFrom >= 0 {
		shots.files = found[folder.Shots[shotsFrom]]
	}
	if err := test.load(read); err != nil {
		return nil, err
	}
	// The gold of C-Eval's test files is kept secret: people use its val files.
	others := slices.IndexFunc(folder.Shots[shotsFrom+1:], func(name string) bool { return len(found[name]) > 0 })
	if !chosen && shotsFrom >= 0 && others >= 0 && found[folder.Shots[shotsFrom]][0].Subject != "" {
		name := folder.Shots[shotsFrom+1+others]
		if rows, has := test.gold(); !has {
			test.files = found[name]
			if rows > 0 {
				test.notes = append(test.notes, Counted(rows, "question", "of the test files left out, which have no answers: those of "+
					name+" are used"))
			}
			if err := test.load(read); err != nil {
				return nil, err
			}
		}
	}
	if len(test.files) == 0 {
		return nil, fmt.Errorf("there is no test file, and %s alone has nothing to ask: call a file test, or give the folder and %s",
			strings.Join(slices.Sorted(maps.Keys(found)), ", "), setting.Split.As("NAME"))
	}
	if len(shots.files) == 0 {
		return []splitFiles{test}, nil
	}
	return []splitFiles{test, shots}, shots.load(read)
}

func (s splitFiles) load(read func(folder.File) ([]byte, error)) error {
	slices.SortStableFunc(s.files, func(a, b folder.File) int { return cmp.Compare(a.Subject, b.Subject) })
	for i, f := range s.files {
		data, err := read(f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Shown, folder.Bare(err))
		}
		s.files[i].Data = data
	}
	return nil
}

// gold says whether any row of a split has an answer, and how many rows it has. Files that cannot be read have one: what is wrong
// with them is said where they are.
func (s splitFiles) gold() (rows int, has bool) {
	for _, f := range s.files {
		t, err := table.Open(f.Data, table.Options{Name: f.Shown})
		if err != nil || !t.Has("question") {
			return 0, true // MMLU's own files have no header
		}
		n, silent := t.Silent("answer")
		if !silent {
			return 0, true
		}
		rows += n
	}
	return rows, false
}

// withShots puts a file in the place of the validation split; an empty name leaves all as it is.
func withShots(splits []splitFiles, name string) ([]splitFiles, error) {
	if name == "" {
		return splits, nil
	}
	data, err := folder.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("shots: %s: %w", name, folder.Bare(err))
	}
	splits = slices.DeleteFunc(splits, func(s splitFiles) bool { return s.name == ValidationSplit })
	return append(splits, splitFiles{
		name: ValidationSplit, files: []folder.File{{Path: filepath.Base(name), Shown: name, Data: data}},
	}), nil
}
