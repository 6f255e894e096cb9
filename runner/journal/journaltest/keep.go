package journaltest

import (
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
