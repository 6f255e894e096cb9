package bundle

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"proctor/runner/journal/output"
)

// Unpack writes the files of a bundle into the folder [Folder] of an existing one, checking them meanwhile, and returns its
// path. Nothing is left where anything is wrong, an error or a problem as of [Check], or where ready, which gets the folder with all
// files before it has its final name, returns an error.
func Unpack(
	ctx context.Context, path, into string, ready func(folder string, m Manifest) error, progress Progress,
) (Checked, string, error) {
	place := filepath.Join(into, Folder)
	if err := vacant(place, "unpack into another folder with -C"); err != nil {
		return Checked{}, "", err
	}
	info, err := stat(path)
	if err != nil {
		return Checked{}, "", err
	}
	if err := room(into, info.Size()); err != nil {
		return Checked{}, "", err
	}
	var checked Checked
	err = output.NewFolder(place, func(staging string) error {
		if checked, err = read(ctx, path, files(staging).create, progress); err == nil && len(checked.Problems) > 0 {
			err = errProblems
		}
		if err != nil {
			return err
		}
		return ready(staging, checked.Manifest)
	})
	switch {
	case errors.Is(err, errProblems):
		return checked, "", nil
	case err != nil:
		return checked, "", err
	}
	return checked, place, nil
}

// errProblems makes sure that a bundle with problems leaves no folder behind.
var errProblems = errors.New("it has problems")

// files is a folder to write to.
type files string

// create makes a new file and its parent folders. Only the program is executable, whatever the bundle says.
func (f files) create(path string) (io.WriteCloser, error) {
	mode := fs.FileMode(0o644)
	if path == Program {
		mode = 0o755
	}
	path = filepath.Join(string(f), filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}
