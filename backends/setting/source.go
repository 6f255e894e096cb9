package setting

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Auto is the word for a choice that depends on the model.
const Auto = "auto"

// A Source is a setting's text, and the content of the file that it may name. A run keeps the content, so that it can
// be resumed without the file.
type Source struct {
	Given string // as it was given: a name, a text, or a file
	Text  string // the file's content; empty where there is no file
}

// Texts returns the setting's text, as a flag takes it.
func (s *Source) Texts() []string {
	if s.Given == "" {
		return nil
	}
	return []string{s.Given}
}

// Content is the file's content, or the setting's text.
func (s *Source) Content() string { return cmp.Or(s.Text, s.Given) }

// File is the content of the file that the setting names; empty for none.
func (s *Source) File() string { return s.Text }

// Keep sets the setting's text, and the content that its file had.
func (s *Source) Keep(given, text string) error {
	*s = Source{given, text}
	return nil
}

// maxText is the most that a setting's file may have.
const maxText = 64 << 10

// ReadText reads a small file.
func ReadText(path string) (string, error) {
	file, err := OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxText+1))
	if err == nil && len(content) > maxText {
		err = fmt.Errorf("%s: more than %d bytes: is this the right file?", path, maxText)
	}
	return string(content), err
}

// BehindAt is the content of the file in @FILE, or the text itself. what names the file's content in errors.
func BehindAt(text, what string) (content string, isFile bool, err error) {
	path, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return text, false, nil
	}
	if content, err = ReadText(path); err != nil {
		err = fmt.Errorf("%w: what follows @ is a file with %s", err, what)
	}
	return content, true, err
}

// OpenRegular is [os.OpenFile] for existing regular files and folders. It refuses pipes and devices, which could block
// for ever or fill the memory.
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

// CheckRegular refuses anything but a regular file or a folder; path names it in the error.
func CheckRegular(path string, info fs.FileInfo) error {
	if info.IsDir() || info.Mode().IsRegular() {
		return nil
	}
	kind := "something else"
	switch mode := info.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return fmt.Errorf("%s is not a regular file but %s: write its output to a file, and give that", path, kind)
}
