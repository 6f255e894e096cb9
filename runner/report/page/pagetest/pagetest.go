// Package pagetest checks that what people see first fits a terminal of 80 columns and 24 lines.
package pagetest

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"proctor/runner/report/page"
)

// A Screen is a small terminal, which keeps what is written to it.
type Screen struct{ strings.Builder }

// Columns are a first screen's.
func (*Screen) Columns() int { return page.FirstColumns }

// longest is a first column of a table that still leaves room for figures, in characters.
const longest = 40

// FitsFirstScreen fails where more lines or columns are shown than a first screen has, of which others write so many lines, where a line
// is said twice, or where a line of facts begins with a long label.
func FitsFirstScreen(t testing.TB, screen *Screen, others int) {
	t.Helper()
	shown := screen.String()
	lines, seen := strings.Split(strings.TrimRight(shown, "\n"), "\n"), map[string]bool{}
	if n := len(lines) + others; n > page.FirstLines {
		t.Errorf("%d lines:\n%s", n, shown)
	}
	for _, line := range lines {
		if width := text.StringWidth(line); width > page.FirstColumns && !strings.HasPrefix(line, "  everything: ") { // which is to be copied
			t.Errorf("%d columns: %s", width, line)
		}
		label, _, fact := strings.Cut(strings.TrimSpace(line), "  ")
		if fact && text.StringWidth(label) > longest {
			t.Errorf("a label of %d characters: %s", text.StringWidth(label), label)
		}
		if seen[line] && strings.TrimSpace(line) != "" {
			t.Errorf("said twice: %s", line)
		}
		seen[line] = true
	}
}
