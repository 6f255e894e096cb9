package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"proctor/backends/setting"
)

// maxLine is the longest line that is read or written, in bytes with its line feed. It is far above any prompt, and bounds the memory
// that a file which is no journal can take.
const maxLine = 64 << 20

// An OversizeError refuses a line that no reader would take. The journal is as it was.
type OversizeError struct {
	ID    string // of the item; empty for the run's own line
	Bytes int    // of the line
}

func (e *OversizeError) Error() string {
	what, remedy := "the line of "+e.ID, ""
	if e.ID == "" {
		what = "the run's own line"
		remedy = fmt.Sprintf(": the texts that each subject's prompts begin with are too long together; lower %s, or ask fewer %s", setting.Shots,
			setting.Subjects)
	}
	return fmt.Sprintf("%s would have %d MiB, and a journal's may have %d MiB%s", what, e.Bytes>>20, maxLine>>20, remedy)
}

// Line is the record's line in a journal, with its line feed.
func (r Record) Line() ([]byte, error) {
	r.Kind = KindItem
	if err := r.check(); err != nil {
		return nil, err
	}
	var line bytes.Buffer
	err := encode(&line, r)
	return line.Bytes(), err
}

// encode writes a line with its line feed, unless it is longer than a reader takes.
func encode(to *bytes.Buffer, line any) error {
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(line); err != nil {
		return err
	}
	if to.Len() <= maxLine {
		return nil
	}
	oversize := &OversizeError{Bytes: to.Len()}
	if record, is := line.(Record); is {
		oversize.ID = record.ID
	}
	return oversize
}

// lines splits a stream at line feeds and counts lines and bytes. What next returns is valid until the next call.
type lines struct {
	in     *bufio.Reader
	buf    []byte
	number int   // of the line returned last, from 1
	start  int64 // byte offset of that line
	end    int64 // byte offset after it and its line feed
}

func newLines(in io.Reader) *lines { return &lines{in: bufio.NewReaderSize(in, 64<<10)} }

// next returns a line without its line feed, and whether it had one; io.EOF after the last.
func (l *lines) next() (line []byte, ended bool, err error) {
	l.buf = l.buf[:0]
	l.start = l.end
	for {
		chunk, err := l.in.ReadSlice('\n')
		l.end += int64(len(chunk))
		if err == nil && len(l.buf) == 0 {
			l.number++
			return chunk[:len(chunk)-1], true, nil
		}
		l.buf = append(l.buf, chunk...)
		switch {
		case len(l.buf) > maxLine:
			l.number++
			return nil, false, fmt.Errorf("longer than %d bytes: is this a journal?", maxLine)
		case err == nil:
			l.number++
			return l.buf[:len(l.buf)-1], true, nil
		case errors.Is(err, io.EOF) && len(l.buf) > 0:
			l.number++
			return l.buf, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}
