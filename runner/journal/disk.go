package journal

import (
	"io"
	"io/fs"
	"path/filepath"
)

// A file is what a writer does to a journal's file, so that tests can have each of it fail: an [*os.File].
type file interface {
	io.WriterAt
	io.ReaderAt
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
	Close() error
}

// target is the file that a path leads to, links followed; the path itself where that can't be found out.
func target(path string) string {
	if file, err := filepath.EvalSymlinks(path); err == nil {
		return file
	}
	return path
}
