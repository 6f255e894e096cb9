package journal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

func TestARecordIsReadAgainByItsPlace(t *testing.T) {
	path := write(t, header(), record(1), failed(2, 1), record(3))
	r, err := journal.Open(path)
	assert.NilError(t, err)
	defer r.Close()
	var places []journal.Place
	var records []journal.Record
	for record, err := range r.Records() {
		assert.NilError(t, err)
		places, records = append(places, r.Place(record.ID)), append(records, record)
	}
	for _, i := range []int{2, 0, 1} {
		again, err := r.At(places[i])
		assert.Check(t, err == nil && reflect.DeepEqual(again, records[i]), "line %d is read again as %+v, %v", i+2, again, err)
	}
	changed := strings.ReplaceAll(read(t, path), `"`+records[1].ID+`"`, `"mmlu_pro/9"`)
	assert.NilError(t, os.WriteFile(path, []byte(changed), 0o644))
	_, err = r.At(places[1])
	errortest.For(t, "another item's line", err, "where "+records[1].ID+" was is mmlu_pro/9")
	assert.NilError(t, os.Truncate(path, 100))
	_, err = r.At(places[1])
	assert.Check(t, err != nil, "a line is read again that is gone")
}

func TestOptionTextsBelongToLetters(t *testing.T) {
	r := record(1)
	r.OptionTexts = make([]string, r.Options)
	r.OptionTexts[1] = " the second "
	for letter, want := range map[string]string{"B": "the second", "A": "", "": "", "Z": "", "BB": "", "@": ""} {
		assert.Check(t, is.Equal(r.OptionText(letter), want), letter)
	}
	wrong := strings.Replace(read(t, write(t, header(), record(1))), `"finish"`, `"option_texts":["one"],"finish"`, 1)
	_, _, ok := readAll(t, []byte(wrong))
	assert.Check(t, !ok, "one text of several options is read")
}

func TestTheQuestionStandsBeforeItsOptions(t *testing.T) {
	const shots = "Answer.\n\nQuestion:\nOld?\nOptions:\nA. x\nB. y\nAnswer: A\n\n"
	for name, test := range map[string]struct {
		options                    []string
		preamble, prompt, question string
		found                      bool
	}{
		"after shots":                   {[]string{"x", "y"}, shots, "Question:\nNew?\nOptions:\nA. x\nB. y\nAnswer:", "New?", true},
		"with the head in the preamble": {[]string{"x", "y"}, shots + "Question:\n", "New?\nTwice?\nA) x\nB) y\n", "New?\nTwice?", true},
		"options that begin with white space": {[]string{"\nx", "\vy", "\u00a0z\n"}, shots,
			"Question:\nNew?\nOptions:\nA. \nx\nB. \vy\nC. \u00a0z\n\nAnswer:", "New?", true},
		"other options": {[]string{"x", "z"}, shots, "New?\nA. x\nB. y", "New?\nA. x\nB. y", false},
		"no options":    {nil, shots, "New?\nA. x\nB. y", "New?\nA. x\nB. y", false},
	} {
		r := record(1)
		r.Prompt, r.OptionTexts = test.prompt, test.options
		question, found := r.Asked(test.preamble)
		assert.Check(t, question == test.question && found == test.found, "%s: %q, %t", name, question, found)
		r.Question = "As logged?"
		question, found = r.Asked(test.preamble)
		assert.Check(t, question == r.Question && found, "%s, as a log says it: %q, %t", name, question, found)
	}
}

const readersLimit = 64 << 20

// TestTheWriterKeepsToWhatAReaderTakes: a line of exactly the limit is read, and of a longer one nothing is written.
func TestTheWriterKeepsToWhatAReaderTakes(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	w, err := journal.Create(run, header())
	assert.NilError(t, err)
	before := size(t, run)
	assert.NilError(t, w.Append(record(1)))
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
	all := load(t, run).Records
	assert.Check(t, len(all) == 3 && all[1].Text == longest.Text && all[2].ID == "mmlu_pro/5", "%d records", len(all))
}

func TestAHeaderThatNoReaderTakesIsRefused(t *testing.T) {
	h := wider()
	h.Preambles["math"] = strings.Repeat("\x01", 12_000_000)
	refused := func(err error) {
		t.Helper()
		_, oversize := errors.AsType[*journal.OversizeError](err)
		assert.Check(t, oversize, "%v", err)
		errortest.Says(t, err, "the run's own line would have 68 MiB, and a journal's may have 64 MiB")
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
	assert.Check(t, resume.Done[large.ID] && !resume.Done[late.ID] && len(resume.Failed) == 1, "%+v", resume)
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
