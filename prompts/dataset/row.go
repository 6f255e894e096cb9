package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A row is a question as the file has it, before any check.
type row struct {
	id       *int64 // nil where the file has none
	text     string
	options  []string
	gold     int    // index of the right option
	index    *int64 // answer_index where the file has it beside an answer, which decides
	cot      string
	category string
	src      string

	number int    // that makes up for the id
	line   int    // as errors name it
	bad    string // why it can't be a question
	left   string // what is wrong with it by its own file, which has it left out; empty for one that is used
}

// question makes a question of a row. A non-empty reason says why it cannot be a question.
func (r row) question() (q Question, reason string) {
	if reason := cmp.Or(r.bad, r.flaw()); reason != "" {
		return Question{}, reason
	}
	q = Question{
		ID:          r.number,
		Subject:     cmp.Or(r.category, DefaultSubject),
		Text:        r.text,
		Options:     r.options,
		Answer:      Letter(r.gold),
		AnswerIndex: r.gold,
		CoT:         r.cot,
		Src:         r.src,
		Row:         r.line,
	}
	if r.id != nil {
		q.ID = int(*r.id)
	}
	if r.index != nil {
		q.AnswerIndex = int(*r.index)
	}
	return q, ""
}

// flaw checks everything but the gold.
func (r row) flaw() string {
	for _, text := range slices.Concat([]string{r.text, r.cot, r.category, r.src}, r.options) {
		if !utf8.ValidString(text) {
			return "text is not UTF-8"
		}
	}
	switch n := len(r.options); {
	case strings.TrimSpace(r.text) == "":
		return "empty question"
	case n == 0:
		return "no options"
	case n == 1:
		return "only one option"
	case n > MaxOptions:
		return fmt.Sprintf("%d options, at most %d have letters", n, MaxOptions)
	}
	return ""
}

// A BadRow is a row that cannot be a question.
type BadRow struct {
	File   string `json:"file"`
	Row    int    `json:"row"` // 1-based: a row of a parquet file, else a line
	Reason string `json:"reason"`
}

func (b BadRow) String() string { return fmt.Sprintf("%s:%d: %s", b.File, b.Row, b.Reason) }

// BadRowsError refuses a set because of its rows.
type BadRowsError struct{ Rows []BadRow }

func (e *BadRowsError) Error() string {
	return fmt.Sprintf("%s: %s; mend the file: `proctor data check` lists them",
		Counted(len(e.Rows), "bad row", ""), firstRows(e.Rows))
}

// firstRows names rows, as many as a person mends at once: hundreds would hide the remedy.
func firstRows(all []BadRow) string {
	const shown = 20
	var rows []string
	for _, bad := range all[:min(shown, len(all))] {
		rows = append(rows, bad.String())
	}
	if more := len(all) - shown; more > 0 {
		rows = append(rows, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(rows, "; ")
}
