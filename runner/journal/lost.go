package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A LostError says that a journal was deleted or replaced while it was written.
type LostError struct {
	Path     string // that it had
	Replaced bool   // there is another file now
	Saved    string // the file that has the contents now; empty where saving failed
	Err      error  // why, else nil
}

func (e *LostError) Error() string {
	what := "was deleted"
	if e.Replaced {
		what = "was replaced by another file"
	}
	kept := "what was answered is saved in " + e.Saved
	if e.Err != nil {
		kept = fmt.Sprintf("what was answered could not be saved: %v", e.Err)
	}
	return fmt.Sprintf("%s %s while the run wrote it; %s", e.Path, what, kept)
}

func (e *LostError) Unwrap() error { return e.Err }

// there checks that the open file still has its name. Where it has not, it saves the file's contents beside it.
func (w *Writer) there() error {
	named, err := os.Stat(w.path)
	gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	if err != nil && !gone {
		return nil // the sync will report what is wrong with the disk
	}
	if !gone {
		opened, err := w.file.Stat()
		if err != nil || os.SameFile(opened, named) {
			return err
		}
	}
	lost := &LostError{Path: w.path, Replaced: !gone}
	lost.Saved, lost.Err = w.save()
	return lost
}

// save copies the open file's contents to a new file: in its folder, or, where that is gone too, beside the folder.
func (w *Writer) save() (path string, err error) {
	path, err = filepath.Abs(w.path)
	if err != nil {
		return "", err
	}
	folder, name := filepath.Split(path)
	for {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			break
		}
		folder, name = filepath.Split(filepath.Clean(folder))
	}
	f, err := os.CreateTemp(folder, strings.TrimSuffix(name, filepath.Ext(FileName))+"-saved-*"+filepath.Ext(FileName))
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, io.NewSectionReader(w.file, 0, w.size))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
