package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"proctor/runner/journal/output"
)

// absentError is an [fs.ErrNotExist] of a journal that is not there. One without a complete first line counts as absent, and [Create]
// overwrites it: the program was killed before the run started.
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

// Vacant refuses a folder, or a file, in which a run can't start: it can't be written, or holds a run already, maybe in a folder below.
// Then the error wraps [fs.ErrExist]. It leaves nothing behind.
func Vacant(run string) error {
	r, err := Open(run)
	if err == nil {
		r.Close()
	} else if below := Runs(run)[0][0]; below != run {
		return fmt.Errorf("%s holds runs already (%w), such as %s: resume what was started there, or name another folder", run, fs.ErrExist, below)
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
