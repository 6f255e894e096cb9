package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"proctor/backends/setting"
)

// A Reader streams a journal. It is used by one goroutine.
type Reader struct {
	Header Header

	name     string
	lines    *lines
	file     *os.File // nil where the caller owns the stream
	warnings []string
	interims map[int]Interim // by number
	partials []Partial
	tries    map[string]int     // by id: where in partials the last try is
	open     map[string]Partial // by id: unfinished answers that no record has replaced yet
	began    int64              // where the lines behind the header begin; set by OpenLocked
	unended  bool               // the last line read is whole but has no line feed
}

// Open opens a run's journal, given as the run's folder or the file itself, and reads its header.
func Open(run string) (*Reader, error) {
	f, err := open(run, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f, f.Name())
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

// NewReader reads the header from a stream; errors name it name.
func NewReader(in io.Reader, name string) (*Reader, error) {
	r := &Reader{name: name, lines: newLines(in), interims: map[int]Interim{}, tries: map[string]int{},
		open: map[string]Partial{}}
	line, ended, err := r.lines.next()
	if errors.Is(err, io.EOF) {
		return nil, &absentError{name + " is empty: no run was started here"}
	}
	if err != nil {
		return nil, r.failure(err)
	}
	if err := decode(line, &r.Header); err != nil {
		if !ended && beginsHeader(line) {
			err := r.failure(errors.New("the run's own line is unfinished, so nothing was asked yet: start it again"))
			return nil, &absentError{err.Error()}
		}
		if strings.HasPrefix(string(line), "GGUF") {
			return nil, fmt.Errorf("%s is a model, not a run: `proctor run %s` asks it, `proctor sweep` compares several", name,
				setting.Command(name))
		}
		if _, is := errors.AsType[*json.UnmarshalTypeError](err); is {
			return nil, r.failure(otherVersion(err))
		}
		return nil, r.failure(malformed(err))
	}
	if err := r.Header.check(); err != nil {
		return nil, r.failure(err)
	}
	strict := json.NewDecoder(bytes.NewReader(line))
	strict.DisallowUnknownFields()
	if err := strict.Decode(new(Header)); err != nil {
		return nil, r.failure(otherVersion(err))
	}
	r.unended = !ended
	if r.Header.Digest() != r.Header.Fingerprint {
		r.warn("the fingerprint does not match the header, which was changed after it was written")
	}
	return r, nil
}

// otherVersion is the error of a header whose fields are not this version's.
func otherVersion(err error) error {
	return fmt.Errorf("another version of proctor wrote it (%w): report it with that version, or ask again with this one",
		err)
}

// Records yields the records in the file's order, one for each line, and keeps interim analyses for [Reader.Interims]. A later line
// with the same id replaces the earlier one; see the package comment. It ends after the first error, which names file and line. It can
// be ranged over once.
func (r *Reader) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			record, err := r.next()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(Record{}, r.failure(err))
				return
			case record.Kind == KindItem && !yield(record, nil):
				return
			}
		}
	}
}

// next reads a line and returns a record; interim analyses and partial answers are put aside.
func (r *Reader) next() (record Record, err error) {
	line, ended, err := r.lines.next()
	if err != nil {
		return record, err
	}
	// as all of ours begin: most lines of a journal may be such
	if ended && bytes.HasPrefix(line, []byte(`{"kind":"partial",`)) {
		r.unended, record.Kind = false, KindPartial
		return record, r.takePartial(line)
	}
	if err := decode(line, &record); err != nil {
		if ended {
			return record, malformed(err)
		}
		r.lines.end = r.lines.start // a resumed run overwrites the torn line
		r.warn("the last line is unfinished and left out: the program was stopped while it wrote it")
		return record, io.EOF
	}
	r.unended = !ended
	switch record.Kind {
	case KindInterim:
		var interim Interim
		if err := decode(line, &interim); err != nil {
			return record, malformed(err)
		}
		r.interims[interim.Number] = interim
		return record, interim.check()
	case KindPartial:
		return record, r.takePartial(line)
	}
	delete(r.open, record.ID)
	return record, record.check()
}

// A Place locates an item's line in a journal's file.
type Place struct {
	start  int64 // in bytes
	length int
	id     string // of the item
}

// Place locates the record that Records yielded last. id is its item's.
func (r *Reader) Place(id string) Place {
	return Place{r.lines.start, int(r.lines.end - r.lines.start), id}
}

// At reads a record again; Open must have opened the file.
func (r *Reader) At(p Place) (record Record, err error) {
	line := make([]byte, p.length)
	if _, err := r.file.ReadAt(line, p.start); err != nil {
		return record, fmt.Errorf("%s: reading a line again: %w", r.name, err)
	}
	if err = decode(line, &record); err == nil {
		err = record.check()
	}
	if err == nil && record.ID != p.id {
		err = fmt.Errorf("where %s was is %s", p.id, record.ID)
	}
	if err != nil {
		return record, fmt.Errorf("%s: was changed while it was read: %w", r.name, err)
	}
	return record, nil
}

// Interims are the interim analyses among the lines read so far, by number.
func (r *Reader) Interims() []Interim {
	return slices.SortedFunc(maps.Values(r.interims), func(a, b Interim) int { return cmp.Compare(a.Number, b.Number) })
}

// Warnings lists the damage that was tolerated so far, a sentence each with file and line.
func (r *Reader) Warnings() []string { return r.warnings }

// Close closes the file that Open opened.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

func (r *Reader) warn(text string) {
	r.warnings = append(r.warnings, fmt.Sprintf("%s:%d: %s", r.name, r.lines.number, text))
}

func (r *Reader) failure(err error) error {
	return fmt.Errorf("%s:%d: %w", r.name, max(r.lines.number, 1), err)
}

func decode(line []byte, into any) error {
	if !utf8.Valid(line) { // encoding/json would put replacement characters in its place
		return errors.New("not UTF-8")
	}
	return json.Unmarshal(line, into)
}

func malformed(err error) error {
	return fmt.Errorf("not a journal's line (%w): restore the file, or take the line out and resume the run to ask its item again", err)
}
