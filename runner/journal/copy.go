package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"proctor/runner/journal/output"
)

// OpenLocked is [Open] for a journal that no process writes to, and keeps writers away until it is closed.
func OpenLocked(run string) (*Reader, error) {
	r, err := Open(run)
	if err != nil {
		return nil, err
	}
	unlocked, err := taken(r.file, lockShared)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if unlocked != "" {
		r.warnings = append(r.warnings, unlocked)
	}
	r.began = r.lines.end
	return r, nil
}

// Compose writes a new journal whose lines come from the function lines; Kind, Version and Fingerprint are filled in. The file appears
// whole or not at all. It never overwrites: where there is a journal already the error wraps [fs.ErrExist].
func Compose(run string, h Header, lines func(to io.Writer) error) error {
	h.Kind, h.Version, h.Fingerprint = KindRun, Version, h.Digest()
	path := File(run)
	if err := h.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: there is a journal already (%w); write elsewhere", path, fs.ErrExist)
	}
	undo, err := output.MkdirAll(filepath.Dir(path))
	if err == nil {
		err = output.Write(path, func(whole io.Writer) error {
			var header bytes.Buffer
			if err := encode(&header, h); err != nil {
				return err
			}
			if _, err := whole.Write(header.Bytes()); err != nil {
				return err
			}
			return lines(whole)
		})
	}
	if err != nil {
		undo()
	}
	return err
}

// Copy writes the lines that Records went through, byte for byte. OpenLocked must have opened the file.
func (r *Reader) Copy(to io.Writer) error {
	_, err := io.Copy(to, io.NewSectionReader(r.file, r.began, r.lines.end-r.began))
	if err == nil && r.unended {
		_, err = to.Write([]byte{'\n'})
	}
	if err != nil {
		return fmt.Errorf("copying %s: %w", r.name, err)
	}
	return nil
}
