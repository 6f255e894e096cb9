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
	_, err = r.At(places[1])
	assert.Check(t, err != nil, "a line is read again that is gone")
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

func TestTheQuestionStandsBeforeItsOptions(t *testing.T) {
	const shots = "Answer.\n\nQuestion:\nOld?\nOptions:\nA. x\nB. y\nAnswer: A\n\n"
	for name, test := range map[string]struct {
		options  []string
		preamble string
		prompt   string
		question string
		found    bool
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
