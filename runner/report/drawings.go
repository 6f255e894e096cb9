package report

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/validity"
	"proctor/runner/report/html"
)

// scale draws the headline on one line, and what it is compared with on the lines below.
func (d document) scale() html.Drawing {
	h := d.Headline
	s := html.Strips{
		Caption: d.headline(spelled(h.Name)) + " with its " + d.confidence(),
		Head:    []string{""},
		Rows:    []html.Strip{{Name: fmt.Sprintf("%s (%s)", format.Percent(h.Value), format.Bounds(h.CI)), Value: h.Value, Interval: h.CI}},
		Legend: []html.Sign{{Kind: html.Estimate, Text: "estimate"}, {Kind: html.Interval, Text: "interval"},
			{Kind: html.Against, Text: "baseline"}},
	}
	against := func(name string, score stats.Number) {
		if score.Defined() {
			s.Rows = append(s.Rows, html.Strip{Name: name + ", " + format.Percent(score), Baseline: score})
		}
	}
	against("guessing", h.Baseline)
	switch {
	case d.Binary != nil:
	case d.Circular != nil:
		against("one option in every order", d.Circular.Metric(h.Name).Guess.Content)
	default:
		if c := d.Baseline.Constant; c != nil {
			against("always "+c.Letter, c.Accuracy)
		}
		against("nominal", stats.Of(d.Baseline.Nominal))
	}
	s.Axis = s.Shares()
	return s
}

// strips draw the headline of parts of the run.
func (d document) strips(first, caption string, parts []part) html.Strips {
	own, _ := task.Lookup(d.Task)
	s := html.Strips{Caption: caption, Head: []string{first, spelled(d.Headline.Name), d.confidence(), "items"}}
	if d.Circular == nil {
		s.Head = append(s.Head, "guessing")
	}
	for _, p := range parts {
		value, interval, chance := headlineOf(own, p.figures)
		row := html.Strip{Name: p.name, Value: value, Interval: interval, Baseline: chance, Strong: p.strong,
			Cells: []string{format.Percent(value), format.Bounds(interval), format.Count(p.figures.Scored())}}
		if d.Circular == nil {
			row.Cells = append(row.Cells, format.Percent(chance))
		}
		if d.run != nil {
			row.Link = p.link
		}
		s.Rows = append(s.Rows, row)
	}
	s.Axis = s.Shares()
	s.Legend = []html.Sign{{Kind: html.Estimate, Text: spelled(d.Headline.Name)}, {Kind: html.Interval, Text: d.confidence()},
		{Kind: html.Against, Text: "guessing on the same items"}}
	return s
}

// place is a link that has the browser of items show those with a value.
func place(name, value string) string { return "#" + url.Values{name: {value}}.Encode() }

// failureListing lists what failed, why, what to do about it, and links to the items.
func (d document) failureListing() html.Listing {
	list := html.Listing{Head: []string{"", "items", "share", "what it means", "what to do", "examples"}}
	add := func(filter, name string, n int, is func(results.Answer) bool) {
		if n == 0 {
			return
		}
		e := grade.Explain(name)
		title := html.Cell{Text: grade.InWords(name)}
		examples := html.Cell{}
		if d.run != nil {
			failed := d.run.View(0).Where(func(it *results.Item) bool { return is(d.run.View(0).Of(it)) })
			e.Remedy = validity.Remedy(d.run, name, failed, false)
			title = html.Cell{Links: []html.Link{{Href: place(filter, name), Text: grade.InWords(name)}}}
			for _, id := range metrics.Examples(failed.Items) {
				examples.Links = append(examples.Links, html.Link{Href: place("item", id), Text: strings.TrimPrefix(id, d.Task+"/")})
			}
		}
		list.Rows = append(list.Rows, []html.Cell{title, {Text: format.Count(n)}, {Text: format.Percent(stats.Ratio(n, d.Items))},
			{Text: e.Means}, {Text: e.Remedy}, examples})
	}
	for _, tag := range grade.Tags {
		add("outcome", string(tag), d.FailureCounts[string(tag)], func(a results.Answer) bool { return a.Tag == tag })
	}
	for _, cause := range slices.Sorted(maps.Keys(d.Causes)) {
		add("cause", cause, d.Causes[cause], func(a results.Answer) bool { return string(a.Mark.Cause) == cause })
	}
	return list
}

// letterStrips draw how often each letter was picked.
func (d document) letterStrips() html.Strips {
	s := html.Strips{
		Caption: "how often each letter was picked, beside how often it is gold", Bars: true,
		Head:   []string{"letter", "picked", "right when gold"},
		Legend: []html.Sign{{Kind: html.Bar, Text: "picked (share of answered items)"}, {Kind: html.Against, Text: "gold"}},
	}
	for _, l := range d.Letters.Counts {
		row := html.Strip{Name: l.Letter, Value: l.PickedShare, Baseline: l.GoldShare,
			Cells: []string{format.Percent(l.PickedShare), format.Percent(l.Recall)}}
		if d.run != nil && l.Picked > 0 {
			row.Link = place("letter", l.Letter)
		}
		s.Rows = append(s.Rows, row)
	}
	s.Axis = s.Shares()
	return s
}
