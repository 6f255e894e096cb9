package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"proctor/runner/journal/output"
)

// OpenResting is [Open] of a journal that nobody writes to; nobody can until it is closed.
func OpenResting(run string) (*Reader, error) {
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

// Compose writes a journal of lines that lines hands over; Kind, Version and Fingerprint are filled in. It is there whole or not at
// all, and never overwrites: where there is a journal already the error wraps [fs.ErrExist].
func Compose(run string, h Header, lines func(to io.Writer) error) error {
	h.Kind, h.Version, h.Fingerprint = KindRun, Version, h.Digest()
	path := File(run)
	if err := h.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: there is a journal already (%w); write elsewhere", path, fs.ErrExist)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return output.Write(path, func(whole io.Writer) error {
		if err := EncodeLine(whole, h); err != nil {
			return err
		}
		return lines(whole)
	})
}

// EncodeLine writes a header, a record or an interim analysis as a journal has it.
func EncodeLine(to io.Writer, line any) error {
	var text bytes.Buffer
	if err := encode(&text, line); err != nil {
		return err
	}
	_, err := to.Write(text.Bytes())
	return err
}

// Copy writes the lines that Records went through, those of items byte for byte, and hands interim analyses to interims in the place
// of theirs. OpenResting must have opened the file.
func (r *Reader) Copy(to io.Writer, interims func(Interim) error) error {
	if _, err := r.file.Seek(r.began, io.SeekStart); err != nil {
		return err
	}
	all := newLines(io.LimitReader(r.file, r.lines.end-r.began))
	for {
		line, _, err := all.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var interim Interim
		switch {
		case err != nil:
		case gjson.GetBytes(line, "kind").Str == KindInterim:
			if err = decode(line, &interim); err == nil {
				err = interims(interim)
			}
		default:
			_, err = to.Write(append(slices.Clip(line), '\n'))
		}
		if err != nil {
			return fmt.Errorf("copying %s: %w", r.name, err)
		}
	}
}
