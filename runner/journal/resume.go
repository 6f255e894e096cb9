package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Resume says what a journal that is being continued holds already.
type Resume struct {
	Header   Header             // the journal's own, which stays
	Done     map[string]bool    // ids that need not be asked again
	Failed   map[string]int     // ids whose last line is one to ask again, with that line's attempt
	Parts    map[string]Part    // of the done ids, where the run keeps log-probabilities
	Open     map[string]Partial // ids that were begun, with what their answers have
	Interims []Interim          // by number
	Ended    time.Time          // when the last answer came; zero where no line tells
	Warnings []string           // what was tolerated, a sentence each
}

// OpenAppend opens a run's journal to go on with it under the settings in h. It reads the journal through, cuts off an
// unfinished last line (and says so in Warnings), and returns which items it holds. Settings under which the fingerprint
// would be another, or another shard, are refused with a [*FingerprintError].
func OpenAppend(run string, h Header) (*Writer, *Resume, error) {
	f, err := open(run, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, nil, err
	}
	w, resume, err := continued(f, h)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return w, resume, nil
}

func continued(f *os.File, h Header) (*Writer, *Resume, error) {
	unlocked, err := taken(f, LockExclusive)
	if err != nil {
		return nil, nil, err
	}
	if err := still(f); err != nil {
		return nil, nil, err
	}
	r, err := NewReader(f, f.Name())
	if err != nil {
		return nil, nil, err
	}
	if err := r.fits(&h); err != nil {
		return nil, nil, err
	}
	resume := &Resume{Header: r.Header, Done: map[string]bool{}, Failed: map[string]int{}, Parts: map[string]Part{}}
	for record, err := range r.Records() {
		if err != nil {
			return nil, nil, err
		}
		if ended := record.Began.Add(record.Timing.Total); !record.Began.IsZero() && ended.After(resume.Ended) {
			resume.Ended = ended
		}
		if record.Again() {
			delete(resume.Done, record.ID)
			resume.Failed[record.ID] = record.Attempt
			continue
		}
		delete(resume.Failed, record.ID)
		resume.Done[record.ID] = true
		if record.Logprobs != nil {
			resume.Parts[record.ID] = *record.Logprobs
		}
	}
	for _, p := range r.Partials() {
		if p.Ended().After(resume.Ended) {
			resume.Ended = p.Ended()
		}
	}
	resume.Open, resume.Interims, resume.Warnings = r.open, r.Interims(), r.Warnings()
	w := &Writer{file: f, path: f.Name(), size: r.lines.end, unlocked: unlocked}
	if err := w.mend(r.unended); err != nil {
		return nil, nil, err
	}
	return w, resume, w.sync()
}

// Check refuses what OpenAppend would refuse of a run's settings, and leaves the journal as it is.
func Check(run string, h Header) error {
	r, err := Open(run)
	if err != nil {
		return err
	}
	return errors.Join(r.fits(&h), r.Close())
}

// fits refuses other settings than the journal's, with a [*FingerprintError].
func (r *Reader) fits(h *Header) error {
	// A shard is no part of the fingerprint, but its journal must hold no other shard's items.
	if diffs := append(r.Header.Differs(h), diff(r.Header.Shard.fields(), h.Shard.fields())...); len(diffs) > 0 {
		return &FingerprintError{r.name, diffs}
	}
	return nil
}

// still refuses a file that another process replaced by a longer run's before it was locked here.
func still(f *os.File) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(f.Name())
	if err != nil {
		return err
	}
	if !os.SameFile(opened, there) {
		return fmt.Errorf("%s was extended by another process just now: try again", f.Name())
	}
	return nil
}

// mend brings the file to the end of its last whole line, and ends that line where only its line feed is missing.
func (w *Writer) mend(unended bool) error {
	if err := w.file.Truncate(w.size); err != nil {
		return fmt.Errorf("cutting off the unfinished last line: %w", err)
	}
	if !unended {
		return nil
	}
	if _, err := io.WriteString(w.file, "\n"); err != nil {
		return err
	}
	w.size++
	return nil
}
