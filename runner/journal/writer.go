package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"proctor/runner/journal/output"
)

// syncEvery is how long a record waits to be synced, and how often the file is looked for under its name.
const syncEvery = time.Second

// A Writer appends records to a journal. It is used by one goroutine; the file stays locked until Close.
type Writer struct {
	path     string
	unlocked string

	mutex    sync.Mutex // with the timer that syncs
	file     file
	size     int64 // bytes up to the end of the last whole line
	buf      bytes.Buffer
	checked  time.Time   // that the file is still there
	waiting  *time.Timer // until a batch is synced; nil where all is
	broken   error       // a failed write that could not be undone, a failed sync, or a lost file
	reported bool        // broken was returned
}

// Create starts a journal, in a folder (made where there is none) or as a file named *.jsonl, and writes its header; Kind, Version and
// Fingerprint are filled in. It never overwrites: where there is a journal already the error wraps [fs.ErrExist]. A file without a
// complete first line, which a killed process may leave, does not count.
func Create(run string, h Header) (*Writer, error) {
	h.Kind, h.Version, h.Fingerprint = KindRun, Version, h.Digest()
	path := File(run)
	err := h.check()
	if err == nil {
		err = encode(new(bytes.Buffer), h) // before there is a folder
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, unlocked, err := claim(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{file: f, path: path, unlocked: unlocked}
	if err := w.begin(h); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(target(path)))
	}
	return w, nil
}

func (w *Writer) begin(h Header) error {
	if err := w.write(h); err != nil {
		return err
	}
	if err := w.sync(); err != nil {
		return err
	}
	return output.SyncFolder(filepath.Dir(target(w.path)))
}

// Append writes one record; Kind is filled in. Its cost does not depend on the journal's length. A record that no reader would take is
// refused with an [*OversizeError]. After an error the journal is as it was before the call. Where that can't be achieved, after a
// failed sync, and once the file is gone (a [*LostError]), every further record is refused.
func (w *Writer) Append(r Record) error {
	r.Kind = KindItem
	return w.append(r, r.check())
}

// AppendInterim writes an interim analysis as [Writer.Append] writes a record.
func (w *Writer) AppendInterim(i Interim) error {
	i.Kind = KindInterim
	return w.append(i, i.check())
}

// Unlocked is a warning that the journal could not be locked, as its file system has no locks; empty where it is locked.
func (w *Writer) Unlocked() string { return w.unlocked }

// Path names the journal's file.
func (w *Writer) Path() string { return w.path }

func (w *Writer) append(line any, unsound error) error {
	if unsound != nil {
		return fmt.Errorf("%s: %w", w.path, unsound)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if err := w.write(line); err != nil {
		return err
	}
	if time.Since(w.checked) >= syncEvery {
		w.checked = time.Now()
		if w.broken = w.there(); w.broken != nil {
			return w.refuse()
		}
	}
	if w.waiting == nil {
		w.waiting = time.AfterFunc(syncEvery, w.syncBatch)
	}
	return nil
}

// syncBatch syncs what was written within the last second.
func (w *Writer) syncBatch() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.waiting != nil && w.file != nil && w.broken == nil {
		w.sync()
		w.reported = false // not reported yet: the next call does
	}
}

// write hands one line to the operating system in a single call.
func (w *Writer) write(line any) error {
	if w.broken != nil {
		return w.refuse()
	}
	w.buf.Reset()
	if err := encode(&w.buf, line); err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	if _, err := w.file.WriteAt(w.buf.Bytes(), w.size); err != nil {
		if back := w.file.Truncate(w.size); back != nil {
			w.broken = fmt.Errorf("%w, and taking it back: %w; resume the run once the cause is mended", err, back)
			return w.refuse()
		}
		return err
	}
	w.size += int64(w.buf.Len())
	return nil
}

// refuse reports what broke the writer.
func (w *Writer) refuse() error {
	w.reported = true
	return w.broken
}

// sync hands everything to the disk. After a failure it is unknown what has been written, and a second sync would not report it:
// nothing more is written.
func (w *Writer) sync() error {
	if w.waiting != nil {
		w.waiting.Stop()
		w.waiting = nil
	}
	if err := w.file.Sync(); err != nil {
		w.broken = fmt.Errorf("%w; resume the run once the cause is mended", err)
		return w.refuse()
	}
	return nil
}

// Close syncs and closes the file, which releases the lock. It reports what broke the writer, unless an earlier call did. It is safe
// to call twice.
func (w *Writer) Close() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.file == nil {
		return nil
	}
	var err error
	switch {
	case w.broken == nil:
		if w.broken = w.there(); w.broken == nil {
			w.sync()
		}
		err = w.broken
	case !w.reported:
		err = w.broken
	}
	if w.waiting != nil {
		w.waiting.Stop()
	}
	err = errors.Join(err, w.file.Close())
	w.file = nil
	return err
}

// A file is the part of [*os.File] that a writer uses, so that tests can make each method fail.
type file interface {
	io.WriterAt
	io.ReaderAt
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
	Close() error
}

// target resolves links in a path; it is the path itself where that fails.
func target(path string) string {
	if file, err := filepath.EvalSymlinks(path); err == nil {
		return file
	}
	return path
}

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

// Compose writes a new journal whose lines come from the function lines; Kind, Version and Fingerprint are filled in.
// The file appears whole or not at all. It never overwrites: where there is a journal already the error wraps
// [fs.ErrExist].
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
