package dataset

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// readFile reads a file that has an end: a pipe would have it wait, a device read until memory is full.
func readFile(path string) ([]byte, error) {
	return readFrom(os.DirFS(filepath.Dir(path)), filepath.Base(path))
}

func readFrom(folder fs.FS, path string) ([]byte, error) {
	info, err := fs.Stat(folder, path)
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = errors.New("not a regular file but a pipe or a device: write what it gives to a file, and give that")
	}
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(folder, path)
}
