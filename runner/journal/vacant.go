package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"proctor/runner/journal/output"
)

// noHeaderError is the error of a journal without a complete first line: the program was killed before the run started. Such a file
// counts as absent, an [fs.ErrNotExist], and [Create] overwrites it.
type noHeaderError struct{ text string }

func (e *noHeaderError) Error() string { return e.text }

// Is makes [errors.Is] match [fs.ErrNotExist].
func (e *noHeaderError) Is(target error) bool { return target == fs.ErrNotExist }

// beginsHeader says whether an incomplete line may be the start of a header. Any other file must not be emptied.
func beginsHeader(line []byte) bool {
	const head = `{"kind":"run"`
	n := min(len(line), len(head))
	return string(line[:n]) == head[:n]
}

// Vacant says whether a run may start in a folder, or at a file, and leaves nothing behind. Where there is a journal already the error
// wraps [fs.ErrExist].
func Vacant(run string) error {
	r, err := Open(run)
	if errors.Is(err, fs.ErrNotExist) {
		return output.Writable(filepath.Dir(File(run)))
	}
	if err == nil {
		r.Close()
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
