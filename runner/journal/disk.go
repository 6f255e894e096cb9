package journal

import (
	"io"
	"io/fs"
	"os"

	"github.com/google/renameio/v2"
)

// A file is what a writer does to a journal's file, so that tests can have each of it fail: an [*os.File].
type file interface {
	io.Writer
	io.ReaderAt
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
	Close() error
}

// A pending file is written under another name and then takes its own: a [*renameio.PendingFile].
type pending interface {
	io.Writer
	CloseAtomicallyReplace() error
	Cleanup() error
}

// newPending begins the file that is to replace another, and keeps that one's permissions.
func newPending(of *os.File) (pending, error) {
	return renameio.NewPendingFile(of.Name(), renameio.WithExistingPermissions())
}
