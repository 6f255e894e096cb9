package items_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/report/items"
	"proctor/scripts/tests/errortest"
)

// one is a run of one item that knows its answer, as a test changes it.
func one(t *testing.T, change func(h *journal.Header, r *journal.Record)) string {
	t.Helper()
	h, records := journaltest.MCQ(1, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	change(&h, &records[0])
	return keep(t, h, records)
}

// only is the row of a run's only item.
func only(t *testing.T, run string) *items.Row {
	t.Helper()
	for row, err := range open(t, items.Options{Text: true}, run).Rows() {
		if err != nil {
			t.Fatal(err)
		}
		return row
	}
	t.Fatal("no row")
	return nil
}

func TestAnItemWithoutItsPromptIsShownByItsQuestion(t *testing.T) {
	for _, c := range []struct{ name, prompt, question, want string }{
		{"a prompt", "Which?", "", "Think. Which?"},
		{"both", "Which?", "Who?", "Think. Which?"},
		{"the question alone", "", "Who?", "Who?"},
		{"neither", "", "", "Think. "},
	} {
		row := only(t, one(t, func(h *journal.Header, r *journal.Record) {
			h.Preambles = map[string]string{r.Subject: "Think. "}
			r.Prompt, r.Question = c.prompt, c.question
		}))
		if *row.Prompt != c.want {
			t.Errorf("%s: %q", c.name, *row.Prompt)
		}
	}
}

func TestOnceIsNoRepeat(t *testing.T) {
	row := only(t, one(t, func(h *journal.Header, _ *journal.Record) { h.Repeats = 1 }))
	if row.Repeat != 0 {
		t.Errorf("repeat %d of an item that was asked once", row.Repeat)
	}
}

func TestAPageHasNoSectionForWhatThereIsNot(t *testing.T) {
	written := func(change func(*journal.Header, *journal.Record)) string {
		item, err := items.Find(one(t, change), "100", "")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := items.ItemFormats[0].Write(&out, item); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	bare := written(func(_ *journal.Header, r *journal.Record) { r.OptionTexts = nil })
	if strings.Contains(bare, "Options") || strings.Contains(bare, "of them thinking") {
		t.Errorf("options or thinking:\n%s", bare)
	}
	thought := written(func(_ *journal.Header, r *journal.Record) { r.Usage.ThinkingTokens = 1 })
	if !strings.Contains(thought, "1 of them thinking") {
		t.Errorf("one token of thinking is left out:\n%s", thought)
	}
}

func TestAJournalThatChangesWhileItIsReadIsAnError(t *testing.T) {
	run := exam(t)
	list := open(t, items.Options{Text: true, Where: where(t, "id=103")}, run)
	path := filepath.Join(run, journal.FileName)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(before, []byte("mmlu_pro/103"), []byte("mmlu_pro/903")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range list.Rows() {
		errortest.Says(t, err, "was changed while it was read: where mmlu_pro/103 was is mmlu_pro/903")
	}
}
