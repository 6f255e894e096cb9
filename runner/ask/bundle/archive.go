package bundle

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// An archive is the files of a bundle where they lie in it, so that they can be read before they are unpacked.
type archive struct {
	from io.ReaderAt
	at   map[string]section // by path
}

// A section is where a file begins; a bundle is not compressed.
type section struct {
	fs.FileInfo
	offset int64
}

// An archived file is an [io.ReaderAt] as well.
type archived struct {
	*io.SectionReader
	info fs.FileInfo
}

func (a archived) Stat() (fs.FileInfo, error) { return a.info, nil }
func (a archived) Close() error               { return nil }

// Open opens a file. Folders can be read, see ReadDir, not opened.
func (a archive) Open(name string) (fs.File, error) {
	s, there := a.at[name]
	if !there {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return archived{io.NewSectionReader(a.from, s.offset, s.Size()), s.FileInfo}, nil
}

// ReadDir lists the files of a folder, without the folders in it.
func (a archive) ReadDir(folder string) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	for name, s := range a.at {
		if path.Dir(name) == folder {
			entries = append(entries, fs.FileInfoToDirEntry(s.FileInfo))
		}
	}
	if len(entries) == 0 {
		return nil, &fs.PathError{Op: "open", Path: folder, Err: fs.ErrNotExist}
	}
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	return entries, nil
}

// Unpack writes the files of a bundle into the folder [Folder] of an existing one, checking them meanwhile, and returns its
// path. Nothing is left where anything is wrong, an error or a problem as of [Check], or where ready, which gets the folder with all
// files before it has its final name, returns an error.
func Unpack(
	ctx context.Context, path, into string, usable Usable, ready func(folder string, m Manifest) error, tell Progress,
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
	staging, err := os.MkdirTemp(into, "."+Folder+"-*")
	if err != nil {
		return Checked{}, "", err
	}
	defer os.RemoveAll(staging)
	checked, err := read(ctx, path, files(staging).create, usable, tell)
	if err != nil || len(checked.Problems) > 0 {
		return checked, "", err
	}
	if err := os.Chmod(staging, 0o755); err != nil { // MkdirTemp makes it private
		return checked, "", err
	}
	if err := ready(staging, checked.Manifest); err != nil {
		return checked, "", err
	}
	if err := os.Rename(staging, place); err != nil {
		return checked, "", err
	}
	return checked, place, nil
}

// files is a folder to write to.
type files string

// create makes a new file and the folders that it lies in. Only the program can be executed, whatever the bundle says.
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
