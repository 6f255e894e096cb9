package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"proctor/runner/mark/choice"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// ChoiceFormats are the formats of a choice of file, the default first. text and markdown are short, csv has a line per candidate, html is
// for a browser.
var ChoiceFormats = formatsOf(shortChoice, writeChoices, writeChoice)

// FullChoice are the same formats, with everything in text and markdown, too.
var FullChoice = formatsOf(fullChoice, writeChoices, writeChoice)

// choicePage has what short and full pages begin with.
func choicePage(c *choice.Choice) page.Page {
	p := page.Page{Title: fmt.Sprintf("Which file to run · %s", format.Several(len(c.Candidates), "candidate"))}
	p.Notices = slices.Clone(c.Notices)
	if c.Comparison != nil {
		p.Alert, p.Notices = c.Comparison.Invalid(), append(p.Notices, c.Comparison.Warnings...)
		_, of, _ := strings.Cut(titleOf(c.Comparison), " · ")
		p.Title += " · " + of
	}
	return p
}

// shortChoice is one screen: the file to run, and a line per candidate.
func shortChoice(c *choice.Choice) page.Page {
	p := choicePage(c)
	p.Notices = page.Few(p.Notices, 1)
	r := c.Recommendation
	s := page.Section{Title: "Recommendation", Notes: []string{r.Sentence}}
	if r.Ref != "" {
		s.Notes = append(s.Notes, "to use it: "+r.Ref)
	}
	if r.Run == "" && len(c.Wanted) > 0 {
		s.Notes = append(s.Notes, r.Open...)
	}
	table := candidateSection(c)
	table.Title = ""
	table.Table.DropEmpty()
	table.Table.Narrow(page.FirstColumns, "prefill t/s", "bits", "questions/min", "flips", "memory", "size", "KLD", "decode t/s")
	table.Table.Shorten(page.FirstColumns)
	if !slices.Contains(table.Table.Head, "KLD") {
		table.Notes = slices.DeleteFunc(table.Notes, func(note string) bool { return strings.HasPrefix(note, "KLD: ") })
	}
	table.Notes = append(table.Notes, page.Few(c.Alike(), 1)...)
	if compared := c.Comparison; compared != nil {
		table.Notes = append(table.Notes, page.Few(compared.FellBack(), 1)...)
		if open := undecided(compared); open != "" {
			table.Notes = append(table.Notes, open)
		}
	}
	if c.Saved != "" {
		p.More = fmt.Sprintf("saved in %s; choice.html is for a browser, choice.txt has everything", c.Saved)
	}
	p.Add(s, table)
	return p
}

// fullChoice is the page with everything.
func fullChoice(c *choice.Choice) page.Page {
	p := choicePage(c)
	r := c.Recommendation
	p.Add(page.Section{Title: "Recommendation", Notes: append([]string{r.Sentence}, r.Lines()...)}, candidateSection(c),
		page.Section{Title: "Recipes", Notes: c.Recipes()})
	if compared := c.Comparison; compared != nil {
		p.Add(verdictSection(compared))
		p.Add(sections(compared)...)
		p.Footnotes = footnotes(compared)
	}
	return p
}

// candidateSection has a line per candidate, with the figures to choose by.
func candidateSection(c *choice.Choice) page.Section {
	reference := &c.Candidates[0]
	measure := "accuracy"
	if c.Comparison != nil {
		measure = c.Comparison.Pairs[0].MeasureName()
	}
	s := page.Section{Title: "Candidates", Drawings: lossDrawings(c), Table: &page.Grid{Head: []string{
		"model", "size", "bits", "memory", "prefill t/s", "decode t/s", "KLD", "flips", measure, "questions/min", "verdict",
	}}}
	for i := range c.Candidates {
		it := &c.Candidates[i]
		cells := []string{it.Name, format.Size(it.Info.SizeBytes, format.Undefined), bits(it.Info.BitsPerWeight),
			format.Size(it.Memory, format.Undefined), ranged(it.Prefill), ranged(it.Decode),
			changedBy(it), "", "", "", verdictOf(it, i == 0)}
		if it.Pair != nil {
			cells[7] = format.Percent(it.Pair.Flips)
		}
		if it.Run != nil {
			cells[8], cells[9] = withHalfWidth(&it.Run.Headline), it.Run.PerMinute()
		}
		s.Table.Add(cells...)
	}
	compared := fmt.Sprintf("compared with %s", reference.Name)
	if c.Comparison != nil {
		p := &c.Comparison.Pairs[0]
		compared += fmt.Sprintf(" on %s; guessing %s; ± half a %s", format.Several(p.Questions, "question"),
			format.Percent(c.Comparison.Runs[0].Headline.Baseline), intervalName(c.Comparison))
	}
	s.Notes = []string{compared}
	if reference.KLD != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("KLD: nat a token, at least, on %s; that of %s itself is noise",
			format.Several(reference.KLD.Questions, "answer"), reference.Name))
	}
	if sizes := c.Sizes(); sizes != "" {
		s.Notes = append(s.Notes, sizes)
	}
	return s
}

// bits formats the bits per weight for people.
func bits(perWeight float64) string {
	if perWeight == 0 {
		return format.Undefined
	}
	return fmt.Sprintf("%.2f", perWeight)
}

// ranged formats a speed with its interval.
func ranged(m stats.Estimate) string {
	digits := 1
	if m.Value.Or(0) >= 100 {
		digits = 0
	}
	text := format.Decimal(m.Value, 1, digits, "")
	if ci := m.Interval; !ci.IsZero() {
		text += fmt.Sprintf(" (%.*f–%.*f)", digits, ci.Low, digits, ci.High)
	}
	return text
}

// changedBy formats a candidate's divergence with half the width of its interval.
func changedBy(it *choice.Candidate) string {
	if it.KLD == nil {
		return ""
	}
	text := format.Decimal(it.KLD.MeanKLD, 1, 4, "")
	if ci := it.KLD.MeanKLDCI; !ci.IsZero() {
		text += " ± " + format.Decimal(ci.HalfWidth(), 1, 4, "")
	}
	return text
}

// verdictOf words the outcome of a candidate.
func verdictOf(it *choice.Candidate, first bool) string {
	text := "not asked"
	switch {
	case len(it.Fails) > 0 && first:
		return "reference, not as wanted"
	case len(it.Fails) > 0:
		return "not as wanted"
	case first:
		text = "reference"
	case it.Pair != nil:
		text = decisionWord(it.Pair)
	case it.Out != "":
		text = "not needed"
	}
	if len(it.Undecided) > 0 {
		text += ", bound undecided"
	}
	return text
}

// lossDrawings draw the loss beside the reference against the model's size, and against its speed of generation; none if nothing was
// compared.
func lossDrawings(c *choice.Choice) []page.Drawing {
	if c.Comparison == nil {
		return nil
	}
	size := func(it *choice.Candidate) float64 { return float64(it.Info.SizeBytes) / (1 << 30) }
	decode := func(it *choice.Candidate) float64 { return it.Decode.Value.Or(0) }
	return []page.Drawing{html.Beside{
		lossDrawing(c, "the size of the model", "size of the model, GiB", size),
		lossDrawing(c, "how fast it generates, one request at a time", "decode, tokens a second", decode),
	}}
}

func lossDrawing(c *choice.Choice, against, xLabel string, x func(*choice.Candidate) float64) html.Scatter {
	var marks []html.Mark
	for i := range c.Candidates {
		it := &c.Candidates[i]
		at := fmt.Sprintf("%s: %s", xLabel, html.Plain(x(it)))
		switch {
		case x(it) == 0:
		case it.Pair != nil:
			marks = append(marks, changed(it.Pair, x(it), at))
		case it.Run != nil:
			marks = append(marks, html.Mark{Name: it.Name, X: x(it), Full: true, Says: it.Name + ", the reference: " + at})
		}
	}
	return changes(c.Comparison, against, xLabel, html.Plain, marks)
}

// writeChoices writes a line per candidate: its own figures, then those of its run and of its pair with the reference.
func writeChoices(w io.Writer, c *choice.Choice) error {
	var out page.Wide
	for i := range c.Candidates {
		it := &c.Candidates[i]
		line := out.Cells(it, []string{"name", "model", "info.quantization", "info.size_bytes", "info.bits_per_weight", "memory_bytes",
			"prefill_tokens_per_second", "decode_tokens_per_second", "kld.mean_kld"})
		if it.Run != nil {
			line = append(line, runCells(&out, it.Run)...)
		}
		if it.Pair != nil {
			line = append(line, pairCells(&out, it.Pair)...)
		}
		out.Add(line...)
	}
	return out.Write(w)
}

// writeChoice writes a file for a browser: the recommendation, the candidates, then the whole comparison.
func writeChoice(w io.Writer, c *choice.Choice) error {
	var out html.Document
	laid := choicePage(c)
	head := html.Head{Kind: "comparison", Alert: laid.Alert, Title: laid.Title, Verdict: c.Recommendation.Headline(),
		Decides: c.Recommendation.Lines(), Notices: laid.Notices}
	all := []page.Section{candidateSection(c), {Title: "Recipes", Notes: c.Recipes()}} // in the browser's order
	if c.Comparison == nil {
		out.Begin(head, all)
		return out.Write(w)
	}
	head.Decides = append(head.Decides, c.Comparison.Verdict, whyTwoModels+"; both in "+c.Comparison.Pairs[0].MeasureName())
	out.Begin(head, append(all, inBrowser(c.Comparison)...), html.Link{Href: "#flips", Text: "Flips"})
	if err := browse(c.Comparison, &out); err != nil {
		return err
	}
	return out.Write(w)
}

// undecided names the undecided pairs, and what would decide them. It is empty if there are none, and for a single pair, whose verdict says
// so.
func undecided(c *pairs.Comparison) string {
	names, questions := c.Undecided()
	if len(names) == 0 || len(c.Pairs) < 2 {
		return ""
	}
	open := "undecided: " + strings.Join(names, ", ")
	if questions > 0 {
		open += "; about " + format.Several(questions, "fresh question") + " in each run would decide all of it"
	}
	return open
}
