package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// syncEvery is how much time may pass between syncs while records come in.
const syncEvery = time.Second

// A Writer appends records to a journal. It is used by one goroutine; the file stays locked until Close.
type Writer struct {
	file   *os.File
	path   string
	size   int64 // bytes up to the end of the last whole line
	buf    bytes.Buffer
	synced time.Time
	broken error // a failed write that could not be taken back
}

// Create begins a journal, in a folder (made where there is none) or as a file named *.jsonl, and writes its header;
// Kind, Version and Fingerprint are filled in. It never overwrites: where there is a journal already the error wraps
// [fs.ErrExist].
func Create(run string, h Header) (*Writer, error) {
	h.Kind, h.Version, h.Fingerprint = KindRun, Version, h.Digest()
	path := File(run)
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: there is a journal already (%w); resume it, or start the run elsewhere", path, fs.ErrExist)
	}
	if err != nil {
		return nil, err
	}
	w := &Writer{file: f, path: path}
	if err := w.begin(h); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return w, nil
}

func (w *Writer) begin(h Header) error {
	if err := lock(w.file); err != nil {
		return err
	}
	if err := w.write(h); err != nil {
		return err
	}
	if err := w.sync(); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(w.file.Name()))
}

// Append writes one record; Kind is filled in. Its cost does not depend on what the journal holds already. After an
// error the journal is as it was before the call, or, where even that failed, refuses every further record.
func (w *Writer) Append(r Record) error {
	r.Kind = KindItem
	return w.append(r, r.check())
}

// AppendInterim writes an interim analysis as [Writer.Append] writes a record.
func (w *Writer) AppendInterim(i Interim) error {
	i.Kind = KindInterim
	return w.append(i, i.check())
}

// Path names the journal's file.
func (w *Writer) Path() string { return w.path }

func (w *Writer) append(line any, unsound error) error {
	if unsound != nil {
		return fmt.Errorf("%s: %w", w.path, unsound)
	}
	if err := w.write(line); err != nil {
		return err
	}
	if time.Since(w.synced) < syncEvery {
		return nil
	}
	return w.sync()
}

// encode writes a line with its line feed.
func encode(to *bytes.Buffer, line any) error {
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	return enc.Encode(line)
}

// write hands one line to the operating system in a single call.
func (w *Writer) write(line any) error {
	if w.broken != nil {
		return w.broken
	}
	w.buf.Reset()
	if err := encode(&w.buf, line); err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	if _, err := w.file.Write(w.buf.Bytes()); err != nil {
		if back := w.file.Truncate(w.size); back != nil {
			w.broken = fmt.Errorf("%w; resume the run once the cause is mended", errors.Join(err, back))
			return w.broken
		}
		return err
	}
	w.size += int64(w.buf.Len())
	return nil
}

func (w *Writer) sync() error {
	if err := w.file.Sync(); err != nil {
		return err
	}
	w.synced = time.Now()
	return nil
}

// Close syncs and closes the file, which gives up the lock. It is safe to call twice.
func (w *Writer) Close() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.sync(), w.file.Close())
	w.file = nil
	return err
}
