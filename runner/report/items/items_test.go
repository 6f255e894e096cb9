package items_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	"gotest.tools/v3/golden"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/report/items"
	"proctor/scripts/tests/errortest"
)

// hostile is a text with which a model may attack the reader's terminal.
const hostile = "\x1b[2J\x1b]0;owned\a \u202eevil\u2066\r\u009b31m\x7f\n"

// keep writes a run, shuffled.
func keep(t *testing.T, h journal.Header, records []journal.Record) string {
	t.Helper()
	return journaltest.Keep(t, t.TempDir(), h, journaltest.Shuffled(records))
}

// exam is a run with some of everything: texts of options, some hostile, thinking, an error that was asked again.
func exam(t *testing.T) string {
	h, records := journaltest.MCQ(9, func(q, _ int, gold string) journaltest.Answer {
		switch q {
		case 2:
			return journaltest.Answer{Failed: backends.CauseTimeout}
		case 4:
			return journaltest.Answer{Capped: true}
		case 5:
			return journaltest.Answer{Letter: "A"}
		}
		return journaltest.Answer{Letter: gold}
	})
	h.Preambles = map[string]string{"biology": "Think.\n", "law": "Think.\n", "math": "Think.\n"}
	for i := range records {
		r := &records[i]
		r.Prompt = "Question:\nWhich?\nAnswer:"
		for option := range r.Options {
			r.OptionTexts = append(r.OptionTexts, " text "+string(rune('a'+option)))
		}
	}
	records[3].Text, records[3].OptionTexts[0] = hostile+records[3].Text+hostile, hostile
	again := records[8]
	again.Attempt, again.Finish, again.Cause, again.Error, again.Text = 2, backends.FinishStop, "", "", "é, Answer: C"
	records[8].Finish, records[8].Cause, records[8].Error = backends.FinishError, backends.CauseConnection, "away"
	return keep(t, h, append(records, again))
}

func open(t *testing.T, o items.Options, runs ...string) *items.List {
	t.Helper()
	list, err := items.Open(runs, o)
	assert.NilError(t, err)
	t.Cleanup(func() { list.Close() })
	return list
}

func TestGoldenLists(t *testing.T) {
	run := exam(t)
	for _, format := range items.Formats {
		for name, text := range map[string]bool{"list": false, "texts": true} {
			var out bytes.Buffer
			assert.NilError(t, format.Write(&out, open(t, items.Options{Text: text}, run)))
			golden.Assert(t, out.String(), name+format.Ext)
		}
	}
}

func TestGoldenItems(t *testing.T) {
	run := exam(t)
	for _, id := range []string{"102", "103", "104", "108"} {
		item, err := items.Find(run, id, "")
		assert.NilError(t, err)
		for _, format := range items.ItemFormats {
			var out bytes.Buffer
			assert.NilError(t, format.Write(&out, item))
			golden.Assert(t, out.String(), "item"+id+format.Ext)
		}
	}
}

func TestTheAnswerStandsWhereTheRowSays(t *testing.T) {
	for row, err := range open(t, items.Options{Text: true}, exam(t)).Rows() {
		assert.NilError(t, err)
		assert.Assert(t, (row.Start != nil) == (row.ParsedAnswer != ""), "%+v", row)
		if row.Start != nil && !strings.HasSuffix((*row.Completion)[*row.Start:*row.End], row.ParsedAnswer) {
			t.Errorf("%s: %q is not %s", row.ID, (*row.Completion)[*row.Start:*row.End], row.ParsedAnswer)
		}
		assert.Check(t, strings.HasPrefix(*row.Prompt, "Think.\nQuestion:"), "%s: prompt %q", row.ID, *row.Prompt)
	}
}

func TestVariantsAndRepeatsAreItemsOfTheirOwn(t *testing.T) {
	h, records := journaltest.Examples()["binary"]()
	h, records = journaltest.Again(h, records[:12], 2, nil)
	run := keep(t, h, records)
	var ids []string
	for row, err := range open(t, items.Options{Filter: items.Filter{IDs: []string{"101"}}}, run).Rows() {
		assert.NilError(t, err)
		ids = append(ids, row.ID+" "+row.Variant+" "+string(rune('0'+row.Repeat)))
	}
	want := "mmlu_pro_binary/101/A A 1, mmlu_pro_binary/101/B B 1, mmlu_pro_binary/101/C C 1, mmlu_pro_binary/101/D D 1, " +
		"mmlu_pro_binary/101/A#2 A 2, mmlu_pro_binary/101/B#2 B 2, mmlu_pro_binary/101/C#2 C 2, mmlu_pro_binary/101/D#2 D 2"
	assert.Check(t, is.Equal(strings.Join(ids, ", "), want))
	item, err := items.Find(run, "101/B", "binary-first")
	if err != nil || item.Variant != "B" || len(item.Others) != 7 || item.Marks[0].RuleSet != "binary-first" || len(item.Marks) < 3 {
		t.Errorf("%+v, %v", item, err)
	}
}

func TestSeveralRunsAreToldApart(t *testing.T) {
	h, records := journaltest.Examples()["binary"]()
	binary, mcq := keep(t, h, records[:3]), exam(t)
	list := open(t, items.Options{}, mcq, binary)
	tasks := map[string]string{mcq: "mmlu_pro", binary: "mmlu_pro_binary"}
	for row, err := range list.Rows() {
		assert.Check(t, err == nil && row.Task != "" && row.Task == tasks[row.Run], "%+v, %v", row, err)
	}
}

func TestAnItemIsFoundByWhatOneTypes(t *testing.T) {
	run := exam(t)
	for id, want := range map[string]string{
		"0": `there is no item "0"; the nearest are mmlu_pro/100, mmlu_pro/101, mmlu_pro/102`, "-1": "there are such as mmlu_pro/100",
		"102": "mmlu_pro/102", "mmlu_pro/102": "mmlu_pro/102", "10": `"10" could be mmlu_pro/100, mmlu_pro/103`,
		"99":       `there is no item "99"; the nearest are mmlu_pro/100, mmlu_pro/101, mmlu_pro/102`,
		"104/C":    `there is no item "104/C"; the nearest are mmlu_pro/104, mmlu_pro/103, mmlu_pro/105`,
		"nonsense": `there is no item "nonsense"; there are such as mmlu_pro/100, mmlu_pro/101, mmlu_pro/102`,
		"":         `there is no item ""; there are such as`,
	} {
		item, err := items.Find(run, id, "")
		if err == nil && item.ID != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %s", id, item, err, want)
		}
	}
	h, records := journaltest.Examples()["circular"]()
	circular := keep(t, h, records)
	for id, want := range map[string]string{"101": "ABCD", "101/CD": "CDAB", "mmlu_pro_circular/101/B": "BCDA"} {
		item, err := items.Find(circular, id, "")
		assert.Check(t, err == nil && item.Variant == want && len(item.Others) == 3, "%q: %+v, %v; want %s", id, item, err, want)
	}
}

// one is a run of one item that knows its answer, changed by change.
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
		assert.NilError(t, err)
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
		assert.Check(t, *row.Prompt == c.want, "%s: %q", c.name, *row.Prompt)
	}
}

func TestOnceIsNoRepeat(t *testing.T) {
	row := only(t, one(t, func(h *journal.Header, _ *journal.Record) { h.Repeats = 1 }))
	assert.Check(t, row.Repeat == 0, "repeat %d of an item that was asked once", row.Repeat)
}

func TestAPageHasNoSectionForWhatThereIsNot(t *testing.T) {
	written := func(change func(*journal.Header, *journal.Record)) string {
		item, err := items.Find(one(t, change), "100", "")
		assert.NilError(t, err)
		var out bytes.Buffer
		assert.NilError(t, items.ItemFormats[0].Write(&out, item))
		return out.String()
	}
	bare := written(func(_ *journal.Header, r *journal.Record) { r.OptionTexts = nil })
	assert.Check(t, !strings.Contains(bare, "Options") && !strings.Contains(bare, "of them thinking"), "options or thinking:\n%s", bare)
	thought := written(func(_ *journal.Header, r *journal.Record) { r.Usage.ThinkingTokens = 1 })
	assert.Check(t, strings.Contains(thought, "1 of them thinking"), "one token of thinking is left out:\n%s", thought)
	for direct, tokens := range map[bool]string{false: "not counted", true: "0 tokens"} { // letters alone have none
		page := written(func(_ *journal.Header, r *journal.Record) {
			r.Usage.OutputTokens = 0
			for range r.Options {
				if direct {
					r.LetterLogprobs = append(r.LetterLogprobs, -9)
				}
			}
		})
		assert.Check(t, strings.Contains(page, "completion  "+tokens), "%s", page)
	}
}

func TestAJournalThatChangesWhileItIsReadIsAnError(t *testing.T) {
	run := exam(t)
	list := open(t, items.Options{Text: true, Filter: items.Filter{IDs: []string{"103"}}}, run)
	path := filepath.Join(run, journal.FileName)
	before, err := os.ReadFile(path)
	assert.NilError(t, err)
	assert.NilError(t, os.WriteFile(path, bytes.ReplaceAll(before, []byte("mmlu_pro/103"), []byte("mmlu_pro/903")), 0o600))
	for _, err := range list.Rows() {
		errortest.Says(t, err, "was changed while it was read: where mmlu_pro/103 was is mmlu_pro/903")
	}
}
