package journal_test

import (
	"os"
	"strings"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

func BenchmarkAppending(b *testing.B) {
	w, err := journal.Create(b.TempDir(), header())
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	r := long(1)
	for b.Loop() {
		if err := w.Append(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoading113992Items(b *testing.B) {
	const items = 113_992
	var records []journal.Record
	for id := range items {
		records = append(records, long(id))
	}
	file := write(b, header(), records...)
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		j, err := journaltest.Load(file)
		if err != nil || len(j.Records) != items {
			b.Fatalf("%d records: %v", len(j.Records), err)
		}
	}
}

// long is a record of a real one's size.
func long(id int) journal.Record {
	r := record(id)
	r.Prompt = strings.Repeat("Is this the right option, or that?\n", 15)
	r.Text = strings.Repeat("We think step by step. ", 25) + "The answer is (I)."
	return r
}
