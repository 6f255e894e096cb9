// Package output writes files for people and for later runs. It alone decides how an existing path is treated:
//
//	regular file, or none   written under another name beside it, which is then renamed: it appears whole or not at all
//	link                    followed; the link stays, and these rules apply to its target
//	pipe, device            written through, as a shell's > does: a device must not be replaced
//	open file below /proc   appended to, such as /dev/stdout: other programs write to it, too
//
// With this in one place no command can replace /dev/null or lose a write error. Caches, which no person names, are written by
// renameio/maybe; a journal's lines are appended by package journal.
package output

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
)

// A File is being written; it gets its name when it is complete.
type File interface {
	io.Writer
	// CloseAtomicallyReplace gives a regular file its name, once the content is on the disk; it closes any other.
	CloseAtomicallyReplace() error
	// Cleanup removes a file that did not get its name. It does nothing after CloseAtomicallyReplace has succeeded.
	Cleanup() error
}

// Create starts a file. One that replaces another keeps its permissions.
func Create(path string) (File, error) {
	place, flag, err := target(path)
	if err != nil {
		return nil, err
	}
	if flag != 0 {
		return through(place, flag)
	}
	whole, err := begin(place)
	if err != nil {
		return nil, err
	}
	return &replacing{whole, filepath.Dir(place)}, nil
}

// target resolves a path, and gives the flag to open an existing pipe or device for writing; 0 for a file that is replaced.
func target(path string) (place string, flag int, err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return "", 0, fmt.Errorf("%s is a folder: name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		return path, os.O_WRONLY, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", 0, err
	}
	if place, err = follow(path); openFile.MatchString(place) {
		flag = os.O_WRONLY | os.O_APPEND
	}
	return place, flag, err
}

// Creatable fails where Create would, and leaves nothing behind.
func Creatable(path string) error {
	place, flag, err := target(path)
	if err != nil || flag != 0 {
		return err
	}
	folder := filepath.Dir(place)
	_, err = os.Stat(folder)
	return cmp.Or(err, Writable(folder))
}

// Replaces says whether Create would replace an existing file.
func Replaces(path string) bool {
	_, flag, err := target(path)
	_, missing := os.Stat(path)
	return err == nil && flag == 0 && missing == nil
}

// Write writes a file with the function write. An existing file stays where write fails.
func Write(path string, write func(to io.Writer) error) error {
	file, err := Create(path)
	if err != nil {
		return err
	}
	defer file.Cleanup()
	if err := write(file); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// WriteFile writes a file's whole content.
func WriteFile(path string, content []byte) error {
	return Write(path, func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	})
}

// replacing is a regular file that takes the place of another, or a new one.
type replacing struct {
	File
	folder string
}

// CloseAtomicallyReplace also syncs the folder, where that is possible. The file has been replaced by then, so a failure of that is
// not reported.
func (r *replacing) CloseAtomicallyReplace() error {
	if err := r.File.CloseAtomicallyReplace(); err != nil {
		return err
	}
	_ = SyncFolder(r.folder)
	return nil
}

// written is a pipe, a device or an open file, which is written through.
type written struct {
	*os.File
	closed bool
}

// through opens an existing pipe, device or /proc file; a pipe blocks until it has a reader.
func through(path string, flag int) (File, error) {
	file, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	return &written{File: file}, nil
}

func (w *written) CloseAtomicallyReplace() error {
	w.closed = true
	return w.Close()
}

func (w *written) Cleanup() error {
	if w.closed {
		return nil
	}
	return w.CloseAtomicallyReplace()
}

// mostLinks is how many links a path may lead through, as on Linux.
const mostLinks = 40

// follow resolves the links of a path, existing or not. Links to folders stay in it, since the system resolves ".." behind them
// otherwise than [filepath.Clean] does.
func follow(path string) (string, error) {
	for range mostLinks {
		to, err := os.Readlink(path)
		if err != nil || openFile.MatchString(path) {
			return inRealFolder(path)
		}
		if !filepath.IsAbs(to) {
			folder, _ := filepath.Split(path)
			to = folder + to
		}
		path = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
}

// inRealFolder resolves the folder that a path is in.
func inRealFolder(path string) (string, error) {
	folder, name := filepath.Split(path)
	if folder == "" || openFile.MatchString(path) {
		return path, nil
	}
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, name), nil
}

// openFile matches the system's name of a file that a process has open.
var openFile = regexp.MustCompile(`^(/proc/.+/fd|/dev/fd)/\d+$`)

// WriteJSON writes figures as indented JSON to a file: whole or not at all.
func WriteJSON(path string, figures any) error {
	err := Write(path, func(to io.Writer) error {
		encoder := json.NewEncoder(to)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(figures)
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
