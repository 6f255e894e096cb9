package journal

import (
	"fmt"
	"io/fs"
	"os"
)

// OpenRegular is [os.OpenFile] of what is there already, for regular files and folders. A pipe or a device that is taken for a file,
// by mistake or by somebody's design, has a program wait for ever or read until memory is full.
func OpenRegular(path string, flag int) (*os.File, error) {
	info, err := os.Stat(path) // first: to open a pipe waits for who writes to it
	if err == nil {
		err = CheckRegular(path, info)
	}
	if err != nil {
		return nil, err
	}
	return os.OpenFile(path, flag, 0)
}

// CheckRegular refuses what is neither a regular file nor a folder; path is how the error names it.
func CheckRegular(path string, info fs.FileInfo) error {
	if info.IsDir() || info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is not a regular file but %s: write what it gives to a file, and give that", path, kindOf(info.Mode()))
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
