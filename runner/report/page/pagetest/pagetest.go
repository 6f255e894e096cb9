// Package pagetest checks that the first screen fits a terminal of 80 columns and 24 lines.
package pagetest

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"proctor/runner/report/page"
)

// A Screen is a small terminal that keeps its output.
type Screen struct{ strings.Builder }

// Columns is the width of a first screen.
func (*Screen) Columns() int { return page.FirstColumns }

// longest is the widest first column of a table that leaves room for figures, in characters.
const longest = 40

// FitsFirstScreen fails if a text needs more lines or columns than a first screen has, if it repeats a line, or if a line of facts has a
// long label. others is the number of lines that the screen needs for other output.
func FitsFirstScreen(t testing.TB, screen *Screen, others int) {
	t.Helper()
	shown := screen.String()
	lines, seen := strings.Split(strings.TrimRight(shown, "\n"), "\n"), map[string]bool{}
	if n := len(lines) + others; n > page.FirstLines {
		t.Errorf("%d lines:\n%s", n, shown)
	}
	for _, line := range lines {
		if width := text.StringWidth(line); width > page.FirstColumns && !strings.HasPrefix(line, "  everything: ") { // it is to be copied
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
