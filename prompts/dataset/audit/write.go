package audit

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"proctor/prompts/dataset"
)

// WriteText prints the audit for people: counts first, then what deserves a look.
func (a Audit) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  sha256 %s\n", a.Name, a.SHA256)
	for _, split := range a.Splits {
		split.print(&b)
	}
	fmt.Fprintf(&b, "\n%s\n", dataset.Counted(len(a.AskedToo), "validation question", "asked too (left out as shots)"))
	for _, both := range a.AskedToo {
		fmt.Fprintf(&b, "  validation question %d: test question %d\n", both.Validation, both.Test)
	}
	fmt.Fprintf(&b, "%s\n", dataset.Counted(len(a.Contradictions), "contradiction", "between answer and answer_index (answer decides)"))
	for _, c := range a.Contradictions {
		fmt.Fprintf(&b, "  %s\n", c)
	}
	fmt.Fprintf(&b, "%s\n", dataset.Counted(len(a.BadRows), "bad row", "left out"))
	for _, bad := range a.BadRows {
		fmt.Fprintf(&b, "  %s\n", bad)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (a SplitAudit) print(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s: %s, %s, sha256 %s\n", a.Name, dataset.Counted(a.Rows, "question", ""), strings.Join(a.Files, " "), a.SHA256)
	fmt.Fprintf(b, "  %-20s %s\n", "read as", a.Read())
	for _, s := range a.Subjects {
		fmt.Fprintf(b, "  %-20s %6d\n", s.Subject, s.Questions)
	}
	line := func(name, format string, values ...any) {
		fmt.Fprintf(b, "  %-20s "+format+"\n", append([]any{name}, values...)...)
	}
	var counts []string
	for _, c := range a.OptionCounts {
		counts = append(counts, fmt.Sprintf("%d×%d", c.Options, c.Questions))
	}
	line("options × questions", "%s", strings.Join(counts, "  "))
	line("duplicates", "%s", a.duplicates())
	line("option twice", "%s%s", dataset.Counted(len(a.RepeatedOptions), "question", ""), examples(a.RepeatedOptions))
	line("filler N/A", "%s; before real options in %s%s", dataset.Counted(a.FillerOptions, "option", ""),
		dataset.Counted(len(a.FillerInside), "question", ""), examples(a.FillerInside))
	line("leading space", "%s", a.LeadingSpace)
	line("of the above", "%s", a.OfTheAbove)
	line("without reasoning", "%s", dataset.Counted(a.WithoutReasoning, "question", ""))
}

// duplicates counts the questions that share a text, and those of them that share their options too.
func (a SplitAudit) duplicates() string {
	if len(a.SameText) == 0 {
		return "none"
	}
	return fmt.Sprintf("%s shared by %d questions; with the same options too: %d shared by %d", dataset.Counted(len(a.SameText), "text", ""),
		len(slices.Concat(a.SameText...)), len(a.SameQuestion), len(slices.Concat(a.SameQuestion...)))
}

// String gives both shares in per cent.
func (l Leak) String() string {
	share := func(n, of int) string {
		if of == 0 {
			return "none"
		}
		return fmt.Sprintf("%d of %d (%.2f %%)", n, of, 100*float64(n)/float64(of))
	}
	return fmt.Sprintf("gold %s, others %s", share(l.Gold, l.Golds), share(l.Other, l.Others))
}

// examples names the first few ids.
func examples(ids []int) string {
	const shown = 5
	if len(ids) == 0 {
		return ""
	}
	words := strings.Trim(strings.ReplaceAll(fmt.Sprint(ids[:min(shown, len(ids))]), " ", ", "), "[]")
	if len(ids) > shown {
		words += ", …"
	}
	return " (" + words + ")"
}
