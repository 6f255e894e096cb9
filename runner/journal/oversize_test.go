package journal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
)

const readersLimit = 64 << 20

// TestTheWriterKeepsToWhatAReaderTakes: a line of exactly the limit is read, and of a longer one nothing is written.
func TestTheWriterKeepsToWhatAReaderTakes(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	w, err := journal.Create(run, header())
	assert.NilError(t, err)
	small, before := record(1), size(t, run)
	assert.NilError(t, w.Append(small))
	room := readersLimit - int(size(t, run)-before)
	longest, longer, escaped := record(2), record(3), record(4)
	longest.Text += strings.Repeat("x", room)
	longer.Text += strings.Repeat("x", room+1)
	escaped.OptionTexts = append(make([]string, 9), strings.Repeat("\x01", 12_000_000)) // six bytes each in JSON
	for _, r := range []journal.Record{longest, longer, escaped, record(5)} {
		err := w.Append(r)
		oversize := (*journal.OversizeError)(nil)
		want := r.ID == longer.ID || r.ID == escaped.ID
		assert.Check(t, errors.As(err, &oversize) == want && (!want || oversize.ID == r.ID), "%s: %v", r.ID, err)
	}
	assert.NilError(t, w.Close())
	if kept := load(t, run); len(kept.Records) != 3 || kept.Records[1].Text != longest.Text || kept.Records[2].ID != "mmlu_pro/5" {
		t.Errorf("%d records", len(kept.Records))
	}
}

func TestAHeaderThatNoReaderTakesIsRefused(t *testing.T) {
	h := wider()
	h.Preambles["math"] = strings.Repeat("\x01", 12_000_000)
	refused := func(err error) {
		t.Helper()
		if oversize := (*journal.OversizeError)(nil); !errors.As(err, &oversize) ||
			!strings.Contains(err.Error(), "the run's own line would have 68 MiB, and a journal's may have 64 MiB") {
			t.Errorf("error %v", err)
		}
	}
	folder := filepath.Join(t.TempDir(), "run")
	_, err := journal.Create(folder, h)
	refused(err)
	_, err = os.Stat(folder)
	assert.Check(t, errors.Is(err, fs.ErrNotExist), "it left a folder: %v", err)
	refused(journal.Compose(folder, h, nil))

	file := write(t, header(), record(1))
	before := size(t, file)
	refused(journal.Extend(file, h))
	kept := load(t, file)
	assert.Check(t, size(t, file) == before && len(kept.Records) == 1, "the run to be extended was changed: %+v", kept.Header)
}

func TestAnOversizeItemIsNotAskedAgain(t *testing.T) {
	large, late := failed(1, 1), failed(2, 1)
	large.Cause, late.Cause = backends.CauseOversize, backends.CauseTruncated
	file := write(t, header(), large, late, record(3))
	w, resume, err := journal.OpenAppend(file, header())
	assert.NilError(t, err)
	defer w.Close()
	assert.Check(t, resume.Done[large.ID] && !resume.Done[late.ID] && len(resume.Failed) == 1,
		"done %v, failed %v", resume.Done, resume.Failed)
	r, err := journal.Open(file)
	assert.NilError(t, err)
	defer r.Close()
	for record, err := range r.Records() {
		assert.Check(t, err == nil && record.Again() == (record.ID == late.ID), "%+v, %v", record, err)
	}
}

func size(t *testing.T, run string) int64 {
	t.Helper()
	info, err := os.Stat(journal.File(run))
	assert.NilError(t, err)
	return info.Size()
}
