package journal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/errortest"
)

func TestARecordIsReadAgainByItsPlace(t *testing.T) {
	long := record(1)
	long.Text = strings.Repeat("x", 200_000) // more than is read at once
	path := write(t, header(), long, failed(2, 1), record(3))
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
		question, found := r.QuestionText(test.preamble)
		assert.Check(t, question == test.question && found == test.found, "%s: %q, %t", name, question, found)
		r.Question = "As logged?"
		question, found = r.QuestionText(test.preamble)
		assert.Check(t, question == r.Question && found, "%s, as a log says it: %q, %t", name, question, found)
	}
}

func TestWhatATrueOrFalseItemAsksIsTheSentenceOfTheReadme(t *testing.T) {
	const options, q = "\nOptions:\nA. True\nB. False\nAnswer:", "Is 'it', or 1 ok?"
	for prompt, want := range map[string]string{
		"Question:\nIs x y the correct answer to the question: '" + q + "'" + options:                 "x y",
		"Question:\nIs x y the correct answer to the question: '" + q + "'?" + options:                "x y",
		"Question: Is x y the correct answer to the question: '" + q + "'?\n(A) True\n(B) False\nLet": "x y",
		"Question:\nIs x y the correct answer to the question: " + q + "?" + options:                  "x y",
		"Question: " + q + "\nAnswer: x y\nLet’s think step by step ":                                 "x y",
		"Question:\nIs x y the correct answer to the question: '" + q + "', or not?":                  "",
		"Question:\nIs  the correct answer to the question: '" + q + "'?\nOr x?":                      "",
	} {
		r := record(1)
		r.Prompt, r.OptionTexts, r.OptionsOriginal = prompt, []string{"True", "False"}, 4
		question, found := r.QuestionText("About law.\n\nQuestion:\nIs a the correct answer to the question: 'b'" + options + " A\n\n")
		assert.Check(t, found == (want != "") && (!found || question == task.About{Option: want, Question: q}.String()), "%q: %q, %t", prompt,
			question, found)
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
	_, _, err = journaltest.Resume(file, h)
	refused(err)
	kept := load(t, file)
	assert.Check(t, size(t, file) == before && len(kept.Records) == 1, "the run to be extended was changed: %+v", kept.Header)
}

func TestAnOversizeItemIsNotRetried(t *testing.T) {
	large, late := failed(1, 1), failed(2, 1)
	large.Cause, late.Cause = backends.CauseOversize, backends.CauseTruncated
	file := write(t, header(), large, late, record(3))
	w, resume, err := journaltest.Resume(file, header())
	assert.NilError(t, err)
	defer w.Close()
	assert.Check(t, resume.Done[large.ID] && !resume.Done[late.ID] && len(resume.Attempts) == 3, "%+v", resume)
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

// partial is what an answer had some seconds after it was begun.
func partial(id string, seconds, from int, tokens ...int32) journal.Partial {
	p := journal.Partial{ID: id, From: from, Tokens: tokens, Began: time.Unix(1000, 0)}
	p.Total = time.Duration(seconds) * time.Second
	return p
}

// between makes a journal of lines between two records.
func between[Line any](t *testing.T, h journal.Header, add func(*journal.Writer, Line) error, lines ...Line) (run string) {
	t.Helper()
	w, err := journal.Create(t.TempDir(), h)
	assert.NilError(t, err)
	err = w.Append(record(1))
	for _, line := range lines {
		err = errors.Join(err, add(w, line))
	}
	assert.NilError(t, errors.Join(err, w.Append(record(2)), w.Close()))
	return w.Path()
}

func writePartials(t *testing.T, partials ...journal.Partial) (run string) {
	return between(t, header(), (*journal.Writer).AppendPartial, partials...)
}

func writeInterims(t *testing.T, interims ...journal.Interim) (run string) {
	return between(t, sequential(), (*journal.Writer).AppendInterim, interims...)
}

func TestAnUnfinishedAnswerIsPutTogetherOfItsLines(t *testing.T) {
	forked := partial("mmlu_pro/4", 60, 1, 30) // it went another way from its second token on
	run := writePartials(t, partial("mmlu_pro/3", 60, 0, 7, 8), partial("mmlu_pro/4", 50, 0, 10, 20), partial("mmlu_pro/3", 120, 2, 9),
		forked, partial("mmlu_pro/2", 60, 0, 1))
	w, resume, err := journaltest.Resume(run, header())
	assert.NilError(t, err)
	assert.NilError(t, w.Close())
	three, four := resume.Open["mmlu_pro/3"].Tokens, resume.Open["mmlu_pro/4"].Tokens
	assert.Check(t, slices.Equal(three, []int32{7, 8, 9}) && slices.Equal(four, []int32{10, 30}) && len(resume.Open) == 2,
		"open: %+v", resume.Open)
	assert.Check(t, resume.Ended.Equal(time.Unix(1120, 0)), "the run ended at %s, want when the last line was written", resume.Ended)
	r, err := journal.Open(run)
	assert.NilError(t, err)
	defer r.Close()
	items := 0
	for _, err := range r.Records() {
		assert.NilError(t, err)
		items++
	}
	assert.Check(t, items == 2 && len(r.Partials()) == 3, "%d items and %d partials, want 2 and 3", items, len(r.Partials()))
}

// TestReadingAnAnswersLinesIsLinear counts bytes of memory: with each line a copy of all earlier tokens would take 200
// times the file's size.
func TestReadingAnAnswersLinesIsLinear(t *testing.T) {
	const lines, each = 2000, 50
	var written []journal.Partial
	for i := range lines {
		written = append(written, partial("mmlu_pro/3", i, i*each, slices.Repeat([]int32{151_643}, each)...))
	}
	run := writePartials(t, written...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w, resume, err := journaltest.Resume(run, header())
	runtime.ReadMemStats(&after)
	assert.NilError(t, errors.Join(err, w.Close()))
	allocated, most := after.TotalAlloc-before.TotalAlloc, 20*uint64(size(t, run))
	assert.Check(t, len(resume.Open["mmlu_pro/3"].Tokens) == lines*each && allocated < most, "%d bytes, more than %d",
		allocated, most)
}

// BenchmarkReadingPartials reads ten lines of each of many answers, all begun at different times.
func BenchmarkReadingPartials(b *testing.B) {
	w, err := journal.Create(b.TempDir(), header())
	assert.NilError(b, err)
	for line := range 10 {
		for item := range 2000 {
			p := partial(fmt.Sprint(item), 60*line, 75*line, slices.Repeat([]int32{151_643}, 75)...)
			p.Began = p.Began.Add(time.Duration(item) * time.Second)
			assert.NilError(b, w.AppendPartial(p))
		}
	}
	assert.NilError(b, w.Close())
	info, err := os.Stat(w.Path())
	assert.NilError(b, err)
	b.SetBytes(info.Size())
	for b.Loop() {
		r, err := journal.Open(w.Path())
		assert.NilError(b, err)
		for range r.Records() {
		}
		assert.NilError(b, r.Close())
	}
}

// TestTokensAreReadHoweverTheyAreWritten: as this package writes them, as others may, and as nobody may.
func TestTokensAreReadHoweverTheyAreWritten(t *testing.T) {
	const whole = `"tokens":[7,151643]`
	run := writePartials(t, partial("mmlu_pro/3", 60, 0, 7, 151643))
	text := read(t, run)
	for _, test := range []struct {
		written string
		want    []int32 // nil where it is refused
	}{
		{whole, []int32{7, 151643}},
		{`"tokens":[ 7 ,151643 ]`, []int32{7, 151643}},
		{`"tokens" : [7,1]`, []int32{7, 1}},
		{`"tokens":[2147483647]`, []int32{2147483647}},
		{`"tokens":[]`, []int32{}},
		{`"tokens":[7,]`, nil}, {`"tokens":[07]`, nil}, {`"tokens":[00]`, nil}, {`"tokens":[7.5]`, nil},
		{`"tokens":[2147483648]`, nil},
		{`"tokens":["7"]`, nil}, {`"tokens":[7`, nil}, {`"tokens":[7]]`, nil},
	} {
		assert.NilError(t, os.WriteFile(run, []byte(strings.Replace(text, whole, test.written, 1)), 0o644))
		w, resume, err := journaltest.Resume(run, header())
		if test.want == nil {
			assert.Check(t, is.ErrorContains(err, "journal.jsonl:3: not a journal's line"), test.written)
			continue
		}
		assert.NilError(t, err, test.written)
		assert.Check(t, w.Close())
		assert.Check(t, slices.Equal(resume.Open["mmlu_pro/3"].Tokens, test.want), "%s: %v", test.written, resume.Open)
	}
}

func TestAPartialThatMakesNoSenseIsRefused(t *testing.T) {
	w, err := journal.Create(t.TempDir(), header())
	assert.NilError(t, err)
	defer w.Close()
	errortest.Says(t, w.AppendPartial(partial("", 1, 0)), "id is empty")
	errortest.Says(t, w.AppendPartial(partial("mmlu_pro/1", -1, 0)), "none can be negative")
	errortest.Says(t, w.AppendPartial(journal.Partial{ID: "mmlu_pro/1"}), "began is missing")

	_, _, err = journaltest.Resume(writePartials(t, partial("mmlu_pro/3", 1, 0, 7), partial("mmlu_pro/3", 2, 2, 9)), header())
	errortest.Says(t, err, "journal.jsonl:4: mmlu_pro/3: 2 tokens of its answer should stand on earlier lines, and 1 do: take the line out")
}

func interimAt(number int, value float64, stop journal.Stop) journal.Interim {
	return journal.Interim{Number: number, Questions: 100 * number, Errors: 1, RuleSet: "tiger",
		Value: &value, Confidence: 0.95, Stop: stop}
}

// sequential is the header of a run that stops by itself.
func sequential() journal.Header {
	h := header()
	h.Selection.UntilDecided = &journal.UntilDecided{Run: "runs/q8", Fingerprint: "f", Margin: 0.01, Alpha: 0.05}
	return h
}

func TestInterimAnalysesAreReadBesideTheRecords(t *testing.T) {
	without := interimAt(3, 0, journal.StopExhausted)
	without.Value = nil
	file := writeInterims(t, interimAt(2, 0.06, ""), interimAt(1, 0.09, ""), interimAt(2, 0.07, ""), without)
	want := []journal.Interim{interimAt(1, 0.09, ""), interimAt(2, 0.07, ""), without}
	for i := range want {
		want[i].Kind = journal.KindInterim
	}
	j := load(t, file)
	assert.Check(t, reflect.DeepEqual(j.Interims, want) && len(j.Records) == 2 && len(j.Warnings) == 0,
		"looks %+v, want %+v; %d records, warnings %q", j.Interims, want, len(j.Records), j.Warnings)
	w, resume, err := journaltest.Resume(file, sequential())
	assert.NilError(t, err)
	defer w.Close()
	assert.Check(t, reflect.DeepEqual(resume.Interims, want) && len(resume.Done) == 2,
		"resumed with looks %+v and %d items", resume.Interims, len(resume.Done))
}

func TestATornInterimAnalysisIsLeftOutAndCutOff(t *testing.T) {
	file := writeInterims(t, interimAt(1, 0.09, ""))
	lines := strings.SplitAfter(read(t, file), "\n")
	whole := lines[0] + lines[1]
	assert.NilError(t, os.WriteFile(file, []byte(whole+lines[2][:20]), 0o644))
	j := load(t, file)
	assert.Check(t, len(j.Interims) == 0 && len(j.Records) == 1 && len(j.Warnings) == 1, "%+v", j)
	w, resume, err := journaltest.Resume(file, sequential())
	assert.NilError(t, err)
	assert.NilError(t, errors.Join(w.AppendInterim(interimAt(1, 0.09, "")), w.Close()))
	assert.Check(t, is.Equal(read(t, file), whole+lines[2]))
	assert.Check(t, is.Len(resume.Interims, 0))
}

func TestAnInvalidInterimAnalysisIsAnErrorWithItsLine(t *testing.T) {
	head, _, _ := strings.Cut(read(t, write(t, sequential())), "\n")
	for line, says := range map[string]string{
		`{"kind":"look","look":0}`:                                       "look is 0, not 1 or more",
		`{"kind":"look","look":1,"questions":2,"errors":-3}`:             "-3 errors can't be",
		`{"kind":"look","look":1,"stop":"bored"}`:                        "stop is bored",
		`{"kind":"look","look":"one"}`:                                   "not a journal's line",
		`{"kind":"glance","look":1}`:                                     `kind is "glance"`,
		`{"kind":"item","id":"mmlu_pro/1#2","repeat":3,"attempt":1}`:     "repeat is 3",
		`{"kind":"item","id":"mmlu_pro/1","repeat":1,"attempt":1}`:       "repeat is 1",
		`{"kind":"item","id":"mmlu_pro/1#-2","repeat":-2,"attempt":1}`:   "repeat is -2",
		`{"kind":"item","id":"mmlu_pro/1","repeat":2,"attempt":1,"x":0}`: "repeat is 2",
	} {
		file := t.TempDir() + "/j.jsonl"
		assert.NilError(t, os.WriteFile(file, []byte(head+"\n"+line+"\n"), 0o644))
		_, err := journaltest.Load(file)
		errortest.For(t, line, err, "j.jsonl:2: ", says)
	}
}

func TestARepeatedItemHasAnIDOfItsOwn(t *testing.T) {
	for repeat, want := range map[int]string{0: "a/1", 1: "a/1", 2: "a/1#2", 12: "a/1#12"} {
		assert.Check(t, is.Equal(journal.RepeatID("a/1", repeat), want))
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	assert.NilError(t, err)
	return string(data)
}
