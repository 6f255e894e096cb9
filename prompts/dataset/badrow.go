package dataset

import (
	"fmt"
	"strings"
)

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
	rows := make([]string, 0, shown+1)
	for _, bad := range e.Rows[:min(shown, len(e.Rows))] {
		rows = append(rows, bad.String())
	}
	if more := len(e.Rows) - shown; more > 0 {
		rows = append(rows, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("dataset: %s: %s (mend the file, or skip bad rows with --skip-bad-rows)",
		count(len(e.Rows), "bad row", ""), strings.Join(rows, "; "))
}
