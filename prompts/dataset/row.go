package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A row is what a file says, both schemas in one, before it is checked. Nil means absent.
type row struct {
	QuestionID  *int64   `json:"question_id"`
	Question    string   `json:"question"`
	Options     []string `json:"options"`
	Choices     []string `json:"choices"`
	Answer      *string  `json:"answer"`
	AnswerIndex *int64   `json:"answer_index"`
	CotContent  string   `json:"cot_content"`
	Category    string   `json:"category"`
	Subject     string   `json:"subject"`
	Src         string   `json:"src"`

	number int
	bad    string // why the row could not even be decoded
}

// question makes a question of a row. A non-empty reason says why it cannot be a question.
func (r row) question() (q Question, warning, reason string) {
	if r.bad == "" && r.Options != nil && r.Choices != nil && !slices.Equal(r.Options, r.Choices) {
		r.bad = "options and choices differ"
	}
	if r.Options == nil {
		r.Options = r.Choices
	}
	r.Category = cmp.Or(r.Category, r.Subject, DefaultSubject)
	if reason := cmp.Or(r.bad, r.flaw()); reason != "" {
		return Question{}, "", reason
	}
	gold, reason := r.gold()
	if reason != "" {
		return Question{}, "", reason
	}
	q = Question{
		ID:          r.number,
		Subject:     r.Category,
		Text:        r.Question,
		Options:     r.Options,
		Answer:      Letter(gold),
		AnswerIndex: gold,
		CoT:         r.CotContent,
		Src:         r.Src,
		Row:         r.number,
	}
	if r.QuestionID != nil {
		q.ID = int(*r.QuestionID)
	}
	if r.AnswerIndex != nil {
		q.AnswerIndex = int(*r.AnswerIndex)
	}
	if q.AnswerIndex != gold {
		warning = fmt.Sprintf("question %d: answer %s disagrees with answer_index %d; answer decides", q.ID, q.Answer, q.AnswerIndex)
	}
	return q, warning, ""
}

// flaw checks everything but the gold.
func (r row) flaw() string {
	for _, text := range slices.Concat([]string{r.Question, r.CotContent, r.Category, r.Src}, r.Options) {
		if !utf8.ValidString(text) {
			return "text is not UTF-8"
		}
	}
	switch n := len(r.Options); {
	case strings.TrimSpace(r.Question) == "":
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

// gold is the index of the right option: answer's letter, else answer_index.
func (r row) gold() (index int, reason string) {
	n := len(r.Options)
	if r.Answer != nil {
		letter := strings.TrimSpace(*r.Answer)
		index := strings.Index(letters, letter)
		if len(letter) != 1 || index < 0 || index >= n {
			return 0, fmt.Sprintf("gold answer %q is not one of A–%s", *r.Answer, Letter(n-1))
		}
		return index, ""
	}
	if r.AnswerIndex == nil {
		return 0, "neither answer nor answer_index"
	}
	if index := *r.AnswerIndex; index < 0 || index >= int64(n) {
		return 0, fmt.Sprintf("answer_index %d is out of range for %d options (0–%d)", index, n, n-1)
	}
	return int(*r.AnswerIndex), ""
}

// A BadRow is a row that cannot be a question.
type BadRow struct {
	File   string `json:"file"`
	Row    int    `json:"row"` // 1-based: a row of a parquet file, a line of a JSON Lines file
	Reason string `json:"reason"`
}

func (b BadRow) String() string { return fmt.Sprintf("%s:%d: %s", b.File, b.Row, b.Reason) }

// BadRowsError refuses a set because of its rows.
type BadRowsError struct{ Rows []BadRow }

// Error names the first few rows: one is enough to start mending, hundreds would hide the remedy.
func (e *BadRowsError) Error() string {
	const shown = 5
	var rows []string
	for _, bad := range e.Rows[:min(shown, len(e.Rows))] {
		rows = append(rows, bad.String())
	}
	if more := len(e.Rows) - shown; more > 0 {
		rows = append(rows, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("dataset: %s: %s (mend the file, or skip bad rows with --skip-bad-rows)",
		count(len(e.Rows), "bad row", ""), strings.Join(rows, "; "))
}
