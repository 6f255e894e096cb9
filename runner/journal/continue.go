package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"proctor/backends/setting"
	"proctor/runner/journal/output"
)

// Held is what the journal of a resumed run already holds. The zero value stands for a new journal.
type Held struct {
	Done     map[string]bool    // ids of items that are done
	Attempts map[string]int     // of all items that were asked, done or not
	Logprobs map[string]Span    // of the done ids, where the run keeps log-probabilities
	Open     map[string]Partial // ids of unfinished items, with the tokens their answers have
	Interims []Interim          // by number
	Ended    time.Time          // when the last answer came; zero where no line has a time
	Warnings []string           // what was tolerated, a sentence each
}

// A Continuation is the journal of a run to resume: locked, read through once, and unchanged until Commit.
type Continuation struct {
	Header Header // in the file
	Held

	file     *os.File
	unlocked string
	lines    int64 // where those behind the header begin
	end      int64 // of the last whole line
	unended  bool  // that one lacks its line feed
}

// Continue locks a run's journal and reads it. The error is an [fs.ErrNotExist] where no run has started.
func Continue(run string) (*Continuation, error) {
	f, err := open(run, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	c := &Continuation{file: f}
	if err := c.read(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

func (c *Continuation) read() (err error) {
	if c.unlocked, err = taken(c.file, LockExclusive); err != nil {
		return err
	}
	if err := still(c.file); err != nil {
		return err
	}
	r, err := NewReader(c.file, c.file.Name())
	if err != nil {
		return err
	}
	c.Header, c.lines = r.Header, r.lines.end
	c.Held = Held{Done: map[string]bool{}, Attempts: map[string]int{}, Logprobs: map[string]Span{}}
	times := []time.Time{{}}
	for record, err := range r.Records() {
		if err != nil {
			return err
		}
		if !record.Began.IsZero() {
			times = append(times, record.Began.Add(record.Timing.Total))
		}
		c.Attempts[record.ID] = record.Attempt
		if record.Again() {
			delete(c.Done, record.ID)
			continue
		}
		c.Done[record.ID] = true
		if record.Logprobs != nil {
			c.Logprobs[record.ID] = *record.Logprobs
		}
	}
	for _, p := range r.Partials() {
		times = append(times, p.Ended())
	}
	c.Ended = slices.MaxFunc(times, time.Time.Compare)
	c.Open, c.Interims, c.Warnings = r.open, r.Interims(), r.Warnings()
	if c.unlocked != "" {
		c.Warnings = append(c.Warnings, c.unlocked)
	}
	c.end, c.unended = r.lines.end, r.unended
	return nil
}

// grows says what a session's header adds to the journal: more questions, a larger cap, or neither.
func (c *Continuation) grows(h *Header) (extends, raises bool) {
	was, now := c.Header.History.Last(), h.History.Last()
	return now.Questions != was.Questions, now.MaxTokens > was.MaxTokens
}

// Refuses says with a [*FingerprintError] why the journal can't be continued under a session's header, whose history
// has one part: what the session asks. Settings differ, or the part is of another shard. Its draw may be larger than
// the journal's, and so may its cap.
func (c *Continuation) Refuses(h *Header) error {
	now := *h
	now.History = c.Header.History
	extends, raises := c.grows(h)
	if extends { // compare the questions that both have
		now.Selection.IDsSHA256 = c.Header.Selection.IDsSHA256
		now.Preambles = maps.Clone(h.Preambles)
		maps.DeleteFunc(now.Preambles, func(subject, _ string) bool {
			_, had := c.Header.Preambles[subject] // with nothing before its questions, maybe
			return !had
		})
	}
	if raises {
		now.Sampling.MaxTokens = c.Header.Sampling.MaxTokens
	}
	if diffs := append(c.Header.Differs(&now), c.Header.Differs(h, OfJournal)...); len(diffs) > 0 {
		return &FingerprintError{c.file.Name(), diffs}
	}
	return nil
}

// Commit cuts off an unfinished last line and starts to append. Where the session has a larger draw or cap, the file is
// first replaced, atomically, by one whose header has these and the session's part of the history. Nothing is changed
// before Commit; the caller has asked Refuses.
func (c *Continuation) Commit(h *Header) (*Writer, error) {
	var err error
	if extends, raises := c.grows(h); extends || raises {
		anew := c.Header
		anew.History = append(slices.Clone(anew.History), h.History.Last())
		anew.Selection, anew.Preambles, anew.Sampling.MaxTokens = h.Selection, h.Preambles, h.Sampling.MaxTokens
		anew.Backend.Context = max(anew.Backend.Context, h.Backend.Context) // enough for the longest of all prompts
		anew.Flags = maps.Clone(anew.Flags)
		for _, flag := range []string{"limit", "max-tokens"} {
			if value, given := h.Flags[flag]; given && anew.Flags != nil {
				anew.Flags[flag] = value
			}
		}
		anew.Fingerprint = anew.Digest()
		err = c.replace(anew, output.Create)
	} else if err = c.file.Truncate(c.end); err != nil {
		err = fmt.Errorf("cutting off the unfinished last line: %w", err)
	} else if c.unended {
		var n int
		n, err = c.file.WriteAt([]byte("\n"), c.end)
		c.end += int64(n)
	}
	if err != nil {
		return nil, err
	}
	w := &Writer{file: c.file, path: c.file.Name(), size: c.end}
	c.file = nil
	return w, w.sync()
}

// replace rewrites the journal under another header; writing continues in the new file.
func (c *Continuation) replace(h Header, create func(path string) (output.File, error)) error {
	var line bytes.Buffer
	if err := encode(&line, h); err != nil {
		return err
	}
	name := c.file.Name()
	whole, err := create(name)
	if err != nil {
		return err
	}
	defer whole.Cleanup()
	if _, err := io.Copy(whole, io.MultiReader(&line, io.NewSectionReader(c.file, c.lines, c.end-c.lines))); err != nil {
		return err
	}
	if c.unended {
		if _, err := io.WriteString(whole, "\n"); err != nil {
			return err
		}
	}
	if runtime.GOOS == "windows" { // gives no file the name of one that is open; others that open it now have the rename fail
		err = c.Close()
	}
	if err := errors.Join(err, whole.CloseAtomicallyReplace()); err != nil {
		return fmt.Errorf("giving %s its new header: %w", name, err)
	}
	anew, err := setting.OpenRegular(name, os.O_RDWR)
	if err != nil {
		return err
	}
	if _, err := taken(anew, LockExclusive); err != nil {
		return errors.Join(err, anew.Close())
	}
	if c.end, err = anew.Seek(0, io.SeekEnd); err != nil {
		return errors.Join(err, anew.Close())
	}
	err = c.Close()
	c.Header, c.file = h, anew
	return err
}

// Close releases a journal that was not committed. It is safe to call twice.
func (c *Continuation) Close() error {
	if c == nil || c.file == nil {
		return nil
	}
	file := c.file
	c.file = nil
	return file.Close()
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
