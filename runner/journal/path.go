package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"proctor/backends/setting"
	"proctor/runner/journal/output"
)

// FileName is the journal's name in its run's folder.
const FileName = "journal.jsonl"

// File gives the journal's path for a run that the user named by its folder or by the journal itself. A path that does not exist is a
// journal if it ends in .jsonl, else a folder.
func File(run string) string {
	info, err := os.Stat(run)
	switch {
	case err == nil && info.IsDir():
		return filepath.Join(run, FileName)
	case err == nil || strings.HasSuffix(run, ".jsonl"):
		return run
	}
	return filepath.Join(run, FileName)
}

// Beside gives the path of a further file of a run: in its folder, or, for a journal with a name of its own, next to it with that name
// in front, as the folder may have several.
func Beside(run, name string) string {
	file := File(run)
	if filepath.Base(file) == FileName {
		return filepath.Join(filepath.Dir(file), name)
	}
	return strings.TrimSuffix(file, filepath.Ext(file)) + "." + name
}

// Under lists the journals of a run: its own, or one a task from the folders below it. The error is an [fs.ErrNotExist] where there is
// none.
func Under(run string) ([]string, error) {
	path := File(run)
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return []string{path}, err
	}
	entries, err := os.ReadDir(run)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, entry := range entries {
		path := filepath.Join(run, entry.Name(), FileName)
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: there is no journal in it or in its folders: %w", run, fs.ErrNotExist)
	}
	return paths, nil
}

// Tasks lists the folders of a run's tasks; for a run of one task, its own folder. A path that can't be read, or that holds runs which
// were not started together, is returned as it is: opening it says what is wrong.
func Tasks(run string) []string {
	journals, err := Under(run)
	if err != nil || len(journals) < 2 {
		return []string{run}
	}
	var folders []string
	var first Header
	for i, path := range journals {
		reader, err := Open(path)
		if err != nil {
			return []string{run}
		}
		header := reader.Header
		reader.Close()
		if i == 0 {
			first = header
		}
		together := reflect.DeepEqual(header.Model, first.Model) && slices.Equal(header.Flags["tasks"], first.Flags["tasks"]) &&
			slices.Equal(header.Flags["data"], first.Flags["data"])
		if !together || len(first.Flags["tasks"]) == 0 {
			return []string{run}
		}
		folders = append(folders, filepath.Dir(path))
	}
	return folders
}

// Runs lists the runs at a path, each by its tasks' folders as [Tasks] gives them: one run, or all runs that a folder holds, oldest
// first.
func Runs(path string) (runs [][]string) {
	tasks := Tasks(path)
	if _, err := os.Stat(File(tasks[0])); !errors.Is(err, fs.ErrNotExist) {
		return [][]string{tasks}
	}
	entries, _ := os.ReadDir(path) // opening the path reports the error
	for _, entry := range entries {
		if run := filepath.Join(path, entry.Name()); entry.IsDir() {
			if _, err := Under(run); err == nil {
				runs = append(runs, Tasks(run))
			}
		}
	}
	if len(runs) == 0 {
		return [][]string{tasks}
	}
	created := func(run []string) time.Time {
		header, _ := HeaderOf(run[0]) // opening the run reports the error
		return header.History.First().Created
	}
	slices.SortStableFunc(runs, func(a, b []string) int { return created(a).Compare(created(b)) })
	return runs
}

// open opens a run's journal. Of a folder that holds several runs, or tasks, the error names one.
func open(run string, flag int) (*os.File, error) {
	path := File(run)
	f, err := setting.OpenRegular(path, flag)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if below := slices.Concat(Runs(run)...); below[0] != run {
		return nil, &absentError{fmt.Sprintf("%s has no journal of its own but holds %d below it: give one of their "+
			"folders, such as %s",
			run, len(below), below[0])}
	}
	return nil, fmt.Errorf("%s: there is no journal (%w); give a run's folder or its %s", path, fs.ErrNotExist, FileName)
}

// HeaderOf reads the header of a run's journal, or of the first of its tasks' journals. The error is an [fs.ErrNotExist] where there
// is none, else the reason why the first one cannot be read.
func HeaderOf(out string) (header Header, err error) {
	journals, err := Under(out)
	for _, path := range journals {
		var run *Reader
		if run, err = Open(path); err == nil {
			return run.Header, run.Close()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return header, err
}

// absentError is an [fs.ErrNotExist] of a journal that is not there. One without a complete first line counts as
// absent, and [Create] overwrites it: the program was killed before the run started.
type absentError struct{ text string }

func (e *absentError) Error() string { return e.text }

// Is makes [errors.Is] match [fs.ErrNotExist].
func (e *absentError) Is(target error) bool { return target == fs.ErrNotExist }

// beginsHeader says whether an incomplete line may be the start of a header. Any other file must not be emptied.
func beginsHeader(line []byte) bool {
	const head = `{"kind":"run"`
	n := min(len(line), len(head))
	return string(line[:n]) == head[:n]
}

// Vacant refuses a folder, or a file, in which a run can't start: it can't be written, or holds a run already, maybe in
// a folder below. Then the error wraps [fs.ErrExist]. It leaves nothing behind.
func Vacant(run string) error {
	r, err := Open(run)
	if err == nil {
		r.Close()
	} else if below := Runs(run)[0][0]; below != run {
		return fmt.Errorf("%s holds runs already (%w), such as %s: resume what was started there, or name another folder",
			run, fs.ErrExist, below)
	} else if errors.Is(err, fs.ErrNotExist) {
		return output.Writable(filepath.Dir(File(run)))
	}
	return exists(File(run))
}

func exists(path string) error {
	return fmt.Errorf("%s: there is a journal already (%w); resume it, or start the run elsewhere", path, fs.ErrExist)
}

// claim creates, or empties, the file of a new journal and locks it; unlocked is as taken's.
func claim(path string) (f *os.File, unlocked string, err error) {
	if err := Vacant(path); err != nil {
		return nil, "", err
	}
	if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, "", err
	}
	if unlocked, err = taken(f, LockExclusive); err == nil {
		err = still(f)
	}
	if err == nil { // another process may have started a run before the lock was taken
		if _, missing := NewReader(f, path); !errors.Is(missing, fs.ErrNotExist) {
			err = exists(path)
		}
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err != nil {
		return nil, "", errors.Join(err, f.Close())
	}
	return f, unlocked, nil
}
