package audit

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"proctor/prompts/dataset"
)

//go:embed audit.gotmpl
var auditText string

var auditTemplate = template.Must(template.New("audit").Funcs(template.FuncMap{
	"counted": dataset.Counted, "join": strings.Join, "examples": examples,
}).Parse(auditText))

// WriteText prints the audit for people: counts first, then what deserves a look.
func (a Audit) WriteText(w io.Writer) error { return auditTemplate.Execute(w, a) }

// Duplicates counts the questions that share a text, and those of them that share their options too.
func (a SplitAudit) Duplicates() string {
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
