package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"proctor/runner/journal/output"
)

// noHeaderError is the error of a journal without a whole first line: whoever made it was ended before the run began. It holds nothing,
// so that it counts as one that is not there, an [fs.ErrNotExist], and [Create] begins it anew.
type noHeaderError struct{ text string }

func (e *noHeaderError) Error() string { return e.text }

// Is implements what [errors.Is] looks for.
func (e *noHeaderError) Is(target error) bool { return target == fs.ErrNotExist }

// beginsHeader says whether a line that is not whole may be what was written of a header: any other file is nobody's to empty.
func beginsHeader(line []byte) bool {
	const head = `{"kind":"run"`
	n := min(len(line), len(head))
	return string(line[:n]) == head[:n]
}

// Vacant says whether a run may begin in a folder, or at a file, and leaves nothing behind: where one has begun the error wraps
// [fs.ErrExist].
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

// claim opens a journal that is not there, or that holds nothing, for this process alone, and empties it; unlocked is as taken's.
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
	if err == nil { // another process may have begun it before it was locked
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
