package journaltest

import (
	"errors"
	"testing"

	"proctor/runner/journal"
)

// Keep writes a run's journal, with records in the order given, to path as [journal.Create] takes it, and returns path.
func Keep(tb testing.TB, path string, h journal.Header, records []journal.Record) string {
	tb.Helper()
	w, err := journal.Create(path, h)
	if err != nil {
		tb.Fatal(err)
	}
	for _, r := range records {
		if err := w.Append(r); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Resume opens a run's journal to continue it under a header.
func Resume(run string, h journal.Header) (*journal.Writer, *journal.Continuation, error) {
	c, err := journal.Continue(run)
	if err != nil {
		return nil, nil, err
	}
	if err := c.Refuses(&h); err != nil {
		return nil, nil, errors.Join(err, c.Close())
	}
	w, err := c.Commit(&h)
	if err != nil {
		return nil, nil, errors.Join(err, c.Close())
	}
	return w, c, nil
}

// A Journal is a whole journal in memory.
type Journal struct {
	Header   journal.Header
	Records  []journal.Record  // each id once, as its last line has it, in the order the ids first appeared
	Interims []journal.Interim // by number; none but where the run was to stop by itself
	Warnings []string          // what was tolerated, a sentence each
}

// Load reads a run's journal, given as the run's folder or the file itself.
func Load(run string) (*Journal, error) {
	r, err := journal.Open(run)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var records []journal.Record
	at := map[string]int{}
	for record, err := range r.Records() {
		if err != nil {
			return nil, err
		}
		if i, seen := at[record.ID]; seen {
			records[i] = record
			continue
		}
		at[record.ID] = len(records)
		records = append(records, record)
	}
	return &Journal{r.Header, records, r.Interims(), r.Warnings()}, nil
}
