package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// SyncFolder makes a new file's name as durable as its content. Some file systems (vboxsf, some network drives, Windows) can't do
// that; there the system writes the name when it likes, and that is no error.
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

// Writable refuses a folder that can't be made or written into. It leaves nothing behind.
func Writable(folder string) error {
	info, err := os.Stat(folder)
	missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	if parent := filepath.Dir(folder); missing && parent != folder {
		return Writable(parent)
	}
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "write into", Path: folder, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return err
	}
	try, err := os.MkdirTemp(folder, ".proctor-")
	if err != nil {
		return err
	}
	return os.Remove(try)
}

// Vacant refuses a folder that holds something, or that can't be made or written into.
func Vacant(folder string) error {
	if entries, _ := os.ReadDir(folder); len(entries) > 0 {
		return fmt.Errorf("%s is not empty: name a new folder", folder)
	}
	return Writable(folder)
}

// MkdirAll makes a folder and those above it. undo removes those that it made, unless something is in them.
func MkdirAll(folder string) (undo func(), err error) {
	var made []string
	for at := filepath.Clean(folder); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		made = append(made, at)
	}
	return func() {
		for _, at := range made {
			os.Remove(at)
		}
	}, os.MkdirAll(folder, 0o755)
}

// NewFolder makes a folder, which has to be vacant, from what fill writes: whole or not at all.
func NewFolder(folder string, fill func(folder string) error) error {
	if linked, err := filepath.EvalSymlinks(folder); err == nil {
		folder = linked
	}
	above := filepath.Dir(filepath.Clean(folder))
	if err := Vacant(folder); err != nil {
		return err
	}
	undo, err := MkdirAll(above)
	defer undo() // once staging is gone
	if err != nil {
		return err
	}
	staging, err := os.MkdirTemp(above, ".proctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	if err := errors.Join(os.Chmod(staging, 0o755), fill(staging)); err != nil { // MkdirTemp makes it private
		return err
	}
	_ = os.Remove(folder) // on Windows a rename does not replace a folder
	if err := os.Rename(staging, folder); err != nil {
		return err
	}
	return SyncFolder(above)
}

// cannotSync says whether an error means that folders can't be synced here, rather than that a disk fails.
func cannotSync(err error) bool {
	return slices.ContainsFunc([]error{errors.ErrUnsupported, fs.ErrPermission, syscall.EINVAL, syscall.EBADF, syscall.EISDIR},
		func(known error) bool { return errors.Is(err, known) })
}
