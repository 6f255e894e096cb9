package page

import (
	"bufio"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Markdown writes the page as markdown.
func (p Page) Markdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	put(out, "# "+p.Title)
	for _, notice := range p.Notices {
		put(out, "\n> **"+notice+"**")
	}
	for _, s := range p.Sections {
		put(out, "\n## "+s.Title+"\n")
		for _, warning := range s.Warnings {
			put(out, "> **"+warning+"**\n")
		}
		if len(s.Facts) > 0 {
			facts := factTable(s.Facts)
			facts.AppendHeader(table.Row{"", ""})
			put(out, facts.RenderMarkdown())
		}
		if s.Table != nil {
			put(out, figureTable(s.Table).RenderMarkdown())
		}
		for _, note := range s.Notes {
			put(out, "\n"+note)
		}
	}
	return out.Flush()
}
