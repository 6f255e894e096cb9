// Package divergence writes a score, how far models differ from the one that wrote a run's completions: as text,
// Markdown, JSON, CSV and HTML. Neighbours: runner/mark/divergence has its figures, runner/report/page the formats.
package divergence

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

// Formats are the ways of writing a score, the default first: text and markdown are short, csv has a line for each model, each of its
// subjects and each item.
var Formats = formatsOf(short)

// Full are the same with everything in text and markdown, too.
var Full = formatsOf(full)

func formatsOf(layOut func(*divergence.Score) page.Page) page.Formats[*divergence.Score] {
	return append(page.FormatsOf(layOut), page.Format[*divergence.Score]{Name: "csv", Ext: ".csv", Write: writeCSV},
		page.Format[*divergence.Score]{Name: "html", Ext: ".html", Write: writeHTML})
}

func writeCSV(w io.Writer, s *divergence.Score) error {
	var out page.Wide
	for _, m := range s.Models {
		add := func(level, name string, f *divergence.Figures) {
			line := []page.Cell{{Name: "model", Value: m.Info.Ref}, {Name: "of", Value: level}, {Name: "name", Value: name}}
			out.Add(append(line, out.Cells(f, []string{"tokens", "items", "questions"})...)...)
		}
		add("run", s.Against, &m.Figures)
		for i := range m.Subjects {
			add("subject", m.Subjects[i].Subject, &m.Subjects[i].Figures)
		}
		for i := range m.ByItem {
			add("item", m.ByItem[i].ID, &m.ByItem[i].Figures)
		}
	}
	return out.Write(w)
}

// titled is a page with what all pages begin with.
func titled(s *divergence.Score) page.Page {
	t, _ := task.Lookup(s.Task)
	return page.Page{Title: "Score against " + s.Against + " · " + t.Title(s.Data.Title()), Notices: s.Warnings}
}

// fewNotices are those that the first screen shows of the score's, and of each model's.
const fewNotices = 1

// short is the first screen: how much each model differs, with its interval.
func short(s *divergence.Score) page.Page {
	p := titled(s)
	p.Notices = page.Few(p.Notices, fewNotices)
	several := len(s.Models) > 1
	if several {
		models := models(s).section(s)
		models.Table.Narrow(page.FirstColumns, "Maximum KLD", "RMS Δp", "99.0% KLD", "questions", "tokens", "size",
			"PPL(Q)/PPL(base)", "Same top p")
		models.Table.Shorten(page.FirstColumns)
		p.Add(models)
	}
	for _, m := range s.Models {
		section := section(s, m)
		if several {
			section = page.Section{Warnings: section.Warnings}
		}
		section.Warnings = page.Few(section.Warnings, fewNotices)
		section.Facts = slices.DeleteFunc(section.Facts, func(f page.Fact) bool { return slices.Contains(fullOnly, f.Name) })
		p.Add(section)
	}
	if s.Reference != nil {
		last := &p.Sections[len(p.Sections)-1]
		last.Notes = append(last.Notes, "a divergence says how much changed, not whether it became worse: `proctor compare` does")
	}
	p.More = "everything: the same command with " + setting.Full.String() + ", or -o FILE.html"
	return p
}

// fullOnly are the figures that the first screen leaves out.
var fullOnly = []string{"Median KLD", "Maximum KLD", "KLD a question", "Mean Δp", "RMS Δp", "Mean PPL(base)"}

// full has everything.
func full(s *divergence.Score) page.Page {
	p := titled(s)
	if len(s.Models) > 1 {
		p.Add(models(s).section(s))
	}
	for _, m := range s.Models {
		p.Add(section(s, m))
		for _, of := range parts(m) {
			if len(s.Models) == 1 {
				p.Add(of.section(s))
			}
		}
	}
	if s.Reference != nil {
		p.Footnotes = append(p.Footnotes, fmt.Sprintf("intervals: %g %%, by question", 100*s.Confidence),
			"a divergence says how much was changed, not whether it became worse (among good quants the two do not go together): "+
				"for that, run the model on the same questions and `proctor compare`")
	}
	return p
}

// groups are figures side by side: of several models, or of a model's tokens by context or by subject.
type groups struct {
	title, first, caption string // first heads the column of their names
	rows                  []row
}

// A row is the figures of some of the tokens.
type row struct {
	name, size string
	*divergence.Figures
}

func models(s *divergence.Score) groups {
	all := groups{"Models", "model", "all tokens of each model", nil}
	for _, m := range s.Models {
		all.rows = append(all.rows, row{m.Info.Ref, format.Size(m.Info.SizeBytes, format.Undefined), &m.Figures})
	}
	return all
}

// parts are a model's tokens by context and by subject, where there are several of them.
func parts(m *divergence.Model) []groups {
	contexts := groups{"By context of " + m.Info.Ref, "tokens before", "by how many tokens stand before a token", nil}
	for i := range m.ByContext {
		c := &m.ByContext[i]
		contexts.rows = append(contexts.rows, row{format.Count(c.From) + "–" + format.Count(c.To), "", &c.Figures})
	}
	subjects := groups{"Subjects of " + m.Info.Ref, "subject", "by subject", nil}
	for i := range m.Subjects {
		subjects.rows = append(subjects.rows, row{m.Subjects[i].Subject, "", &m.Subjects[i].Figures})
	}
	return slices.DeleteFunc([]groups{contexts, subjects}, func(g groups) bool { return len(g.rows) < 2 })
}

// section is a table with a line for each group.
func (g groups) section(s *divergence.Score) page.Section {
	grid := &page.Grid{Head: []string{g.first, "size", "questions", "tokens", "PPL", format.Confidence(s.Confidence)}}
	if s.Reference != nil {
		grid.Head = append(grid.Head[:4], "Mean KLD", format.Confidence(s.Confidence), "99.0% KLD", "Maximum KLD",
			"Same top p", "RMS Δp", "PPL(Q)/PPL(base)")
	}
	for _, r := range g.rows {
		cells := []string{r.name, r.size, format.Count(r.Questions), format.Count(r.Tokens), format.Short(r.PPL),
			format.Span(r.PPLCI)}
		if s.Reference != nil {
			cells = append(cells[:4], format.Nat(r.MeanKLD), format.NatSpan(r.MeanKLDCI), format.Nat(r.P99KLD),
				format.Nat(r.MaxKLD), format.Percent(r.SameTop), format.Percent(r.RMSDeltaP), format.Plain(r.PPLRatio))
		}
		grid.Add(cells...)
	}
	grid.DropEmpty()
	return page.Section{Title: g.title, Table: grid}
}

// section is one model's figures.
func section(s *divergence.Score, m *divergence.Model) page.Section {
	section := page.Section{Title: m.Info.Ref}
	f := &section.Facts
	f.Add("read", format.Several(m.Tokens, "token"), fmt.Sprintf("of %s, %s, in %s", format.Several(m.Items, "completion"),
		format.Several(m.Questions, "question"), format.Roughly(m.Seconds)))
	if m.Others.Busy() {
		f.Add("other programs", m.Others.Taken(), "while it read"+m.Others.Computed())
	}
	if n := len(m.Failed); n > 0 {
		section.Warnings = append(section.Warnings, fmt.Sprintf("%s could not be read and %s left out, such as %s: %s",
			format.Several(n, "completion"), map[bool]string{true: "is", false: "are"}[n == 1], m.Failed[0].ID, m.Failed[0].Error))
	}
	if s.Reference == nil {
		f.Add("Mean PPL", format.Short(m.PPL), format.Span(m.PPLCI))
		addGold(m, f)
		return section
	}
	if x, y := s.By.Kernels, cmp.Or(m.Engine.Kernels, m.Engine.Version); x != y && x != "" {
		section.Notes = append(section.Notes, fmt.Sprintf("the run was computed with %s's kernels and is read with %s's: differences below "+
			"about 0.002 nat are the kernels' own", x, y))
	}
	f.Add("Mean KLD", "at least "+format.Nat(m.MeanKLD),
		beside(format.NatSpan(m.MeanKLDCI), "nat a token from "+s.Reference.Ref+
			", by the likeliest tokens and all others as one"))
	f.Add("Median KLD", format.Nat(m.MedianKLD), "")
	f.Add("99.0% KLD", format.Nat(m.P99KLD), "")
	f.Add("Maximum KLD", format.Nat(m.MaxKLD), "")
	f.Add("KLD a question", format.Nat(m.KLDQuestion), beside(format.NatSpan(m.KLDQuestCI), "nat, all its tokens added up"))
	f.Add("Same top p", format.Percent(m.SameTop), beside(format.Bounds(m.SameTopCI), "of tokens have the same likeliest one"))
	f.Add("Mean Δp", format.Change(m.MeanDeltaP, 3), beside(format.ChangeSpan(m.MeanDeltaPCI, 3), "of the completions' tokens"))
	f.Add("RMS Δp", format.Percent(m.RMSDeltaP), beside(format.Bounds(m.RMSDeltaPCI), ""))
	f.Add("Mean PPL(Q)", format.Short(m.PPL), format.Span(m.PPLCI))
	f.Add("Mean PPL(base)", format.Short(m.PPLBase), "")
	f.Add("PPL(Q)/PPL(base)", format.Decimal(m.PPLRatio, 1, 5, ""), beside(format.Span(m.PPLRatioCI), ""))
	parting := "in none"
	if m.FirstParting.Defined() {
		parting = fmt.Sprintf("in half of those by token %s, where the reference's entropy is %s nat on average",
			format.Short(m.FirstParting), format.Short(m.EntropyThere))
	}
	f.Add("completions parting", format.Percent(m.ItemsParting), parting)
	addGold(m, f)
	return section
}

// beside joins an interval, where there is one, and what a figure is over.
func beside(interval, of string) string {
	if interval == format.Undefined {
		return of
	}
	return strings.TrimSpace(interval + " " + of)
}

// addGold adds the facts on the gold letter.
func addGold(m *divergence.Model, f *page.Facts) {
	if m.GoldItems == 0 {
		return
	}
	detail := fmt.Sprintf("where the answer of %s stands", format.Several(m.GoldItems, "completion"))
	if change, known := m.GoldChange.Get(); known {
		detail += fmt.Sprintf("; %+.4g against the reference", change)
		if !m.GoldChangeCI.IsZero() {
			detail += fmt.Sprintf(", %.4g … %.4g", m.GoldChangeCI.Low, m.GoldChangeCI.High)
		}
	}
	f.Add("ln p(gold letter)", format.Plain(m.GoldLogprob), detail)
}
