package logprobs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
)

// syncEvery is how much time may pass between syncs while parts come in.
const syncEvery = time.Second

const (
	magic   = "logprobs"
	version = 1
	header  = len(magic) + 2 + sha256.Size // bytes
)

// A Writer appends parts. It is used by one goroutine, while it holds the journal's lock.
type Writer struct {
	file   *os.File
	top    int
	end    int64 // of the last whole part
	buf    []byte
	synced time.Time
}

// Path names the file beside a run's journal.
func Path(run string) string { return journal.Beside(run, "logprobs.bin") }

// Continue opens a run's file to append to it, or creates it where parts is empty. parts are those that the journal's lines name, by
// item id; lost lists those that are damaged or missing. Anything behind the last part is cut off.
func Continue(run string, kept journal.Logprobs, parts map[string]journal.Span) (w *Writer, lost []string, err error) {
	if kept.Top < 1 || kept.Top > 255 {
		return nil, nil, fmt.Errorf("%d likeliest tokens: a file keeps 1 to 255", kept.Top)
	}
	vocabulary, err := hex.DecodeString(kept.VocabularySHA256)
	if err != nil || len(vocabulary) != sha256.Size {
		return nil, nil, fmt.Errorf("%q is no SHA-256 of a vocabulary", kept.VocabularySHA256)
	}
	head := append(append([]byte(magic), version, byte(kept.Top)), vocabulary...)
	f, err := os.OpenFile(Path(run), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, err
	}
	w = &Writer{file: f, top: kept.Top, end: int64(header)}
	if lost, err = w.mend(head, parts); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", f.Name(), err), f.Close())
	}
	return w, lost, nil
}

// mend cuts the file off after its last whole part.
func (w *Writer) mend(head []byte, parts map[string]journal.Span) (lost []string, err error) {
	for id, part := range parts {
		if read(w.file, part) == nil {
			lost = append(lost, id)
			continue
		}
		w.end = max(w.end, part.Start+int64(part.Length))
	}
	had := make([]byte, len(head))
	if _, err := w.file.ReadAt(had, 0); err == nil && !bytes.Equal(had, head) && w.end > int64(header) {
		return nil, errors.New("is of another vocabulary or version than its journal says: start a new run elsewhere")
	}
	if _, err := w.file.WriteAt(head, 0); err != nil {
		return nil, err
	}
	if err := w.file.Truncate(w.end); err != nil {
		return nil, err
	}
	return lost, w.sync()
}

// read is a part's bytes; nil where they are not all there.
func read(f *os.File, part journal.Span) []byte {
	info, err := f.Stat()
	if err != nil || part.Start < int64(header) || part.Length < 0 || part.Start > info.Size()-int64(part.Length) {
		return nil
	}
	content := make([]byte, part.Length)
	if _, err := f.ReadAt(content, part.Start); err != nil || digest(content) != part.SHA256 {
		return nil
	}
	return content
}

func digest(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// Append writes an item's part and returns its place, for the journal. After an error the file still ends with its last whole part.
func (w *Writer) Append(id string, predictions []backends.Prediction) (journal.Span, error) {
	content, err := encode(w.buf[:0], id, predictions, w.top)
	if err == nil {
		w.buf = content
		_, err = w.file.WriteAt(content, w.end)
	}
	if err == nil && time.Since(w.synced) >= syncEvery {
		err = w.sync()
	}
	if err != nil {
		return journal.Span{}, fmt.Errorf("%s: %s: %w", w.file.Name(), id, err)
	}
	part := journal.Span{Start: w.end, Length: len(content), SHA256: digest(content)}
	w.end += int64(len(content))
	return part, nil
}

func (w *Writer) sync() error {
	w.synced = time.Now()
	return w.file.Sync()
}

// Close syncs and closes the file. It is safe to call twice, and on nil.
func (w *Writer) Close() error {
	if w == nil || w.file == nil {
		return nil
	}
	err := errors.Join(w.sync(), w.file.Close())
	w.file = nil
	return err
}
