// Package pagetest checks that the first screen fits a terminal of 80 columns and 24 lines, that a document for a
// browser has what the text has, and that no number is written that must not be.
package pagetest

import (
	"bytes"
	"html"
	"regexp"
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

var tags = regexp.MustCompile(`<[^>]*>`)

// Visible is what a reader sees of a document for a browser, with single spaces.
func Visible(document string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(document, " "))), " ")
}

// HasAll fails where a document for a browser lacks what people read in a text, in the same digits, or where the text
// has fewer than least facts. A text may begin with a capital there.
func HasAll(t testing.TB, document string, p page.Page, least int) {
	t.Helper()
	shown, wanted := " "+Visible(document)+" ", 0
	want := func(texts ...string) {
		for _, text := range texts {
			text = strings.Join(strings.Fields(text), " ")
			if wanted++; text == "" || strings.Contains(shown, " "+text+" ") {
				continue
			}
			if opening := strings.ToUpper(text[:1]) + text[1:]; !strings.Contains(shown, " "+opening+" ") {
				t.Errorf("the document lacks %q", text)
			}
		}
	}
	want(p.Title)
	want(p.Notices...)
	want(p.Footnotes...)
	for _, section := range p.Sections {
		want(section.Warnings...)
		want(section.Notes...)
		for _, fact := range section.Facts {
			want(fact.Name, fact.Value, fact.Detail)
		}
		if section.Table != nil {
			want(strings.Join(section.Table.Head, " "))
			for _, row := range section.Table.Rows {
				want(strings.Join(row, " "))
			}
		}
	}
	if wanted < least {
		t.Errorf("only %d texts were looked for", wanted)
	}
}

// unwritable matches numbers that must never be written: NaN, infinities, negative zero.
var unwritable = regexp.MustCompile(`NaN|[+-]?\bInf\b|(^|[^0-9A-Za-z])-0(\.0*)?([^0-9.]|$)`)

// Unwritable finds such a number, with its surroundings. The pattern is slow, so it only runs where it can match.
func Unwritable(text []byte) string {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Inf")) &&
		!bytes.Contains(text, []byte("-0")) {
		return ""
	}
	at := unwritable.FindIndex(text)
	if at == nil {
		return ""
	}
	return string(text[max(0, at[0]-60):min(len(text), at[1]+20)])
}
