package merge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"proctor/runner/journal"
)

// BenchmarkRuns merges MMLU-Pro Binary's 113,992 items in 16 shards, with prompts and completions of the usual lengths.
func BenchmarkRuns(b *testing.B) {
	const count, questions = 16, 3562 // of two items each
	folder := b.TempDir()
	var runs []string
	bytes := int64(0)
	for index := 1; index <= count; index++ {
		run := filepath.Join(folder, fmt.Sprint(index))
		h := headerOf(index, count, questions)
		h.Shard.IDsSHA256 = journal.DigestIDs(idsOf(index*10, questions))
		w, err := journal.Create(run, h)
		if err != nil {
			b.Fatal(err)
		}
		for i, id := range idsOf(index*10, questions) {
			r := recordOf(id, 10000*index+i/2)
			r.Prompt, r.Text = strings.Repeat("Is it the answer to this? ", 20), strings.Repeat("Let us think \"step\" by step. ", 35)
			if err := w.Append(r); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(w.Path())
		if err != nil {
			b.Fatal(err)
		}
		bytes += info.Size()
		runs = append(runs, run)
	}
	b.SetBytes(bytes)
	for b.Loop() {
		out := filepath.Join(b.TempDir(), "out")
		results, err := Runs(runs, out, false)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(results[0].Items), "items")
		os.RemoveAll(out)
	}
}
