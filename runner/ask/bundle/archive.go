package bundle

import (
	"io"
	"io/fs"
	"path"
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
