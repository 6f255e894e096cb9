package journal_test

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
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
	text, err := os.ReadFile(path)
	assert.NilError(t, err)
	assert.NilError(t, os.WriteFile(path, bytes.ReplaceAll(text, []byte(`"`+records[1].ID+`"`), []byte(`"mmlu_pro/9"`)), 0o644))
	if _, err := r.At(places[1]); err == nil || !strings.Contains(err.Error(), "where "+records[1].ID+" was is mmlu_pro/9") {
		t.Errorf("a line is read again that is another item's: %v", err)
	}
	assert.NilError(t, os.Truncate(path, 100))
	if _, err := r.At(places[1]); err == nil {
		t.Error("a line is read again that is gone")
	}
}

func TestOptionTextsBelongToLetters(t *testing.T) {
	r := record(1)
	r.OptionTexts = make([]string, r.Options)
	r.OptionTexts[1] = " the second "
	for letter, want := range map[string]string{"B": "the second", "A": "", "": "", "Z": "", "BB": "", "@": ""} {
		got := r.OptionText(letter)
		assert.Check(t, got == want, "%q stands for %q, not %q", letter, got, want)
	}
	text, err := os.ReadFile(write(t, header(), record(1)))
	assert.NilError(t, err)
	wrong := strings.Replace(string(text), `"finish"`, `"option_texts":["one"],"finish"`, 1)
	_, _, ok := readAll(t, []byte(wrong))
	assert.Check(t, !ok, "one text of several options is read")
}
