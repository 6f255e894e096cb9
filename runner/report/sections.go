package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// A document is a run's figures, with the state of laying them out.
type document struct {
	*metrics.Summary
	methods *[]string // of the intervals written so far, for the footnote; nil if the page has no footnotes

	run *results.Run // for the items that documents for a browser list; nil without a journal
}

func documentOf(s *metrics.Summary) document {
	return document{Summary: s, methods: &[]string{}}
}

// fullPage is the page with everything.
func fullPage(s *metrics.Summary) page.Page {
	r := documentOf(s)
	p := page.Page{Alert: r.Validity.String(), Title: r.title(), Notices: r.About(metrics.AboutRun)}
	p.Add(r.runSection())
	p.Add(r.sections()...)
	p.Footnotes = r.methodNotes()
	return p
}

// sections are all figures, in their order; none if nothing was answered yet.
func (r document) sections() []page.Section {
	if r.Items == 0 {
		return nil
	}
	all := []page.Section{r.resultSection(), r.directSection(), r.binarySection(), r.circularSection(), decidedSection(r.Sequential, r.Validity.Valid)}
	all = slices.Concat(all, r.repeatSections(), r.thinkingSections())
	return append(all, r.subjectSection(), r.failureSection(), r.ruleSection(), r.letterSection(),
		r.speedSection())
}

func (r document) confidence() string { return format.Confidence(r.Confidence) }

// interval formats a share's interval, with a footnote mark for its method.
func (r document) interval(i stats.Interval) string { return r.marked(i, format.Bounds(i)) }

func (r document) marked(i stats.Interval, bounds string) string {
	if i.IsZero() {
		return r.confidence() + " " + format.TooFew
	}
	return r.confidence() + r.method(i) + " " + bounds
}

// intervalOf formats an interval of other figures, with the same mark.
func (r document) intervalOf(i stats.Interval, bounds func(stats.Interval) string) string {
	if i.IsZero() {
		return r.confidence() + " " + format.Undefined + ": " + format.TooFew + " questions, or all alike"
	}
	return r.confidence() + r.method(i) + " " + bounds(i)
}

// method is the mark of the footnote that names an interval's method.
func (r document) method(i stats.Interval) string {
	if r.methods == nil {
		return ""
	}
	method := format.Method(i)
	at := slices.Index(*r.methods, method)
	if at < 0 {
		at = len(*r.methods)
		*r.methods = append(*r.methods, method)
	}
	return superscript(at + 1)
}

// methodNotes are the footnotes of all marks.
func (r document) methodNotes() []string {
	var notes []string
	for i, method := range *r.methods {
		notes = append(notes, superscript(i+1)+" interval: "+method)
	}
	return notes
}

func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var text string
	for _, digit := range strconv.Itoa(n) {
		text += string(digits[digit-'0'])
	}
	return text
}

// failureSection counts the failures by tag and cause.
func (r document) failureSection() page.Section {
	s := page.Section{Title: "Failures", Table: &page.Grid{Head: []string{"", "items", "share"}}}
	if list := r.failureListing(); len(list.Rows) > 0 {
		s.Drawings, s.Fold = []page.Drawing{list}, "every tag and cause"
	}
	add := func(name string, n int) {
		if n > 0 {
			s.Table.Add(name, format.Count(n), format.Percent(stats.Ratio(n, r.Items)))
		}
	}
	for _, tag := range grade.Tags {
		add(grade.InWords(string(tag)), r.FailureCounts[string(tag)])
	}
	for _, cause := range slices.Sorted(maps.Keys(r.Causes)) {
		add("  cause: "+grade.InWords(cause), r.Causes[cause])
	}
	if r.CapHits > r.Causes[string(backends.CauseLength)] {
		add("  stopped by "+setting.MaxTokens.String()+", while thinking too", r.CapHits)
	}
	if len(s.Table.Rows) == 0 {
		s.Table = nil
	}
	for _, warning := range r.About(metrics.AboutFailures) {
		s.Notes = append(s.Notes, "! "+warning)
	}
	if len(r.About(metrics.AboutFailures)) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("`proctor show RUN ID` shows an item, `proctor report RUN %s %s` lists them", setting.Items,
			setting.Tag.As("TAG")))
	}
	return s
}

const lettersTitle = "Letters"

// letterSection draws how often each letter was picked, and says which one stands out, if any, beside the two picked
// most after it.
func (r document) letterSection() page.Section {
	s := page.Section{Title: lettersTitle}
	if len(r.Letters.Counts) == 0 {
		return s
	}
	s.Drawings = []page.Drawing{r.letterStrips()}
	l, over := results.TakesOver(r.Letters.Counts)
	if !over {
		return s
	}
	s.Warnings = []string{fmt.Sprintf("%s was picked for %s of the answered items; it is the right letter of %s", l.Letter,
		format.Percent(l.PickedShare), format.Percent(l.GoldShare))}
	most := slices.SortedStableFunc(slices.Values(r.Letters.Counts),
		func(a, b results.Letter) int { return b.Picked - a.Picked })
	s.Table = &page.Grid{Head: []string{"letter", "picked", "share", "gold", "share", "right when gold"}}
	for _, l := range most[:min(3, len(most))] {
		s.Table.Add(l.Letter, format.Count(l.Picked), format.Percent(l.PickedShare), format.Count(l.Gold),
			format.Percent(l.GoldShare), format.Percent(l.Recall))
	}
	return s
}
