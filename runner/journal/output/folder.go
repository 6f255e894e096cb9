package output

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// SyncFolder makes a new file's name as durable as its content. Where a file system cannot (vboxsf, some network drives,
// Windows), or the folder may not be read, the name is written when the system likes, which is no reason not to go on.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err == nil {
		err = errors.Join(folder.Sync(), folder.Close())
	}
	if cannotSync(err) {
		return nil
	}
	return err
}

// cannotSync says whether an error means that folders are not synced here, rather than that a disk fails.
func cannotSync(err error) bool {
	return slices.ContainsFunc([]error{errors.ErrUnsupported, fs.ErrPermission, syscall.EINVAL, syscall.EBADF, syscall.EISDIR},
		func(known error) bool { return errors.Is(err, known) })
}
