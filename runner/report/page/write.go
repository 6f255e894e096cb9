package page

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A form is how the parts of a page are written; %s stands for their text.
type form struct {
	alert, title, notice, section, warning, note string
	footnotes, footnote                          string // before all of them, and for each
	facts, grid                                  func(table.Writer) string
	wraps                                        bool // on a terminal

	indent string              // before the lines of a text
	mark   [2]string           // around the marked part of a text
	fence  func(string) string // before and after a text

	inert func(line string) string // makes a line outside of texts inactive
}

var plain = form{
	alert: "%s", title: "%s", notice: "! %s", section: "\n%s", warning: "  ! %s", note: "  %s",
	footnotes: "\n", footnote: "%s",
	facts: table.Writer.Render, grid: table.Writer.Render, wraps: true,
	indent: "  ", mark: brackets, fence: func(string) string { return "" },
	inert: func(line string) string { return line },
}

var brackets = [2]string{"⟦", "⟧"}

// coloured is plain for a terminal with reverse video.
var coloured = func() form {
	f := plain
	f.mark = [2]string{"\x1b[7m", "\x1b[27m"}
	return f
}()

var markdown = form{
	alert: "> **%s**\n", title: "# %s", notice: "\n> **%s**", section: "\n## %s\n", warning: "> **%s**\n", note: "\n%s",
	footnotes: "\n---\n", footnote: "\n%s",
	facts: func(t table.Writer) string {
		t.AppendHeader(table.Row{"", ""})
		return t.RenderMarkdown()
	},
	grid: table.Writer.RenderMarkdown,
	mark: brackets, fence: fence,
	inert: func(line string) string { return live.ReplaceAllString(line, `\$0`) },
}

// live matches where markdown would begin an HTML tag, or the target of a link or a picture; pages have none of these.
var live = regexp.MustCompile(`<[A-Za-z/!?]|\]\(|\]:`)

// fence is longer than any fence in the text.
func fence(text string) string {
	f := "```"
	for strings.Contains(text, f) {
		f += "`"
	}
	return f + "\n"
}

// A Terminal is a writer with a width in columns, 0 if that is unknown. Text is wrapped to it.
type Terminal interface {
	io.Writer
	Columns() int
}

// Text writes the page for people, with the marked parts of texts between ⟦ and ⟧.
func (p Page) Text(w io.Writer) error { return p.write(w, plain) }

// Coloured writes the page for a terminal, with the marked parts of texts in reverse video.
func (p Page) Coloured(w io.Writer) error { return p.write(w, coloured) }

// Markdown writes the page as markdown.
func (p Page) Markdown(w io.Writer) error { return p.write(w, markdown) }

func (p Page) write(w io.Writer, f form) error {
	out := &lines{Writer: bufio.NewWriter(w)}
	columns := 0
	if t, is := w.(Terminal); is && f.wraps {
		columns = t.Columns()
	}
	put := func(format string, texts ...string) {
		for _, text := range texts {
			out.block(Wrapped(f.inert(fmt.Sprintf(format, text)), columns))
		}
	}
	if p.Alert != "" {
		put(f.alert, p.Alert)
	}
	if p.Title != "" {
		put(f.title, p.Title)
	}
	put(f.notice, p.Notices...)
	for _, s := range p.Sections {
		if s.Title != "" {
			put(f.section, s.Title)
		} else {
			out.line("")
		}
		put(f.warning, s.Warnings...)
		if len(s.Facts) > 0 {
			out.block(f.inert(f.facts(factTable(s.Facts, columns))))
		}
		if s.Table != nil {
			out.block(f.inert(f.grid(figureTable(s.Table))))
		}
		if s.Text != nil {
			f.text(out, *s.Text)
		}
		put(f.note, s.Notes...)
	}
	if len(p.Footnotes) > 0 {
		out.block(strings.TrimSuffix(f.footnotes, "\n"))
		put(f.footnote, p.Footnotes...)
	}
	if p.More != "" {
		out.block(f.inert(fmt.Sprintf(f.note, p.More)))
	}
	return out.Flush()
}

// padded are the ends of the lines that the library wraps.
var padded = regexp.MustCompile(` *\n`)

// copied matches a line that ends in a command, which is to be copied in one piece.
var copied = regexp.MustCompile(": [^ `]*proctor [a-z]")

// Wrapped breaks lines at spaces to fit the columns, 0 for no limit. The rest of a line is indented by two more than its beginning.
func Wrapped(lines string, columns int) string {
	all := strings.Split(lines, "\n")
	for i, line := range all {
		words := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(words)]
		room := columns - len(indent) - len(between)
		if room > 0 && text.StringWidth(line) > columns && !copied.MatchString(line) {
			all[i] = indent + padded.ReplaceAllString(text.WrapSoft(words, room), "\n"+indent+between)
		}
	}
	return strings.Join(all, "\n")
}

// lines writes the lines of a page, with never two empty ones in a row.
type lines struct {
	*bufio.Writer
	empty bool // the last line is empty
}

func (l *lines) line(text string) {
	if text == "" && l.empty {
		return
	}
	l.empty = text == ""
	l.WriteString(text + "\n")
}

// block writes lines without the padding at their ends, and makes control characters visible, which a model's name may hold; errors come
// with Flush.
func (l *lines) block(text string) {
	for line := range strings.SplitSeq(Visible(text), "\n") {
		l.line(strings.TrimRight(line, " "))
	}
}

// text writes a text by others, made visible.
func (f form) text(out *lines, t Text) {
	text := Visible(t.Text)
	if t.Start < t.End {
		text = Visible(t.Text[:t.Start]) + f.mark[0] + Visible(t.Text[t.Start:t.End]) + f.mark[1] + Visible(t.Text[t.End:])
	}
	fence := f.fence(text)
	out.WriteString(fence)
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		out.WriteString(strings.TrimRight(f.indent+line, " ") + "\n")
	}
	out.WriteString(fence)
	out.empty = false
}

// bare is a table without lines, except under its head.
func bare() table.Writer {
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format = table.FormatOptions{}
	style.Box.PaddingLeft, style.Box.PaddingRight = between, ""
	t := table.NewWriter()
	t.SetStyle(style)
	return t
}

// factTable lays facts out, with their details in the remaining columns.
func factTable(facts Facts, columns int) table.Writer {
	t := bare()
	if columns > 0 {
		name, value := 0, 0
		for _, f := range facts {
			name, value = max(name, text.StringWidth(Visible(f.Name))), max(value, text.StringWidth(Visible(f.Value)))
		}
		room := max(columns-name-value-3*len(between), columns/3)
		t.SetColumnConfigs([]table.ColumnConfig{{Number: 3, WidthMax: room, WidthMaxEnforcer: text.WrapSoft}})
	}
	for _, f := range facts {
		if f.Detail != "" {
			t.AppendRow(table.Row{f.Name, f.Value, f.Detail})
			continue
		}
		t.AppendRow(table.Row{f.Name, f.Value})
	}
	return t
}

func figureTable(g *Grid) table.Writer {
	t := bare()
	t.AppendHeader(row(g.Head))
	for _, cells := range g.Rows {
		t.AppendRow(row(cells))
	}
	var columns []table.ColumnConfig
	for i := 2; i <= len(g.Head); i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}

func row(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, cell := range cells {
		r[i] = cell
	}
	return r
}
