package table

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// A Listed is a run of a folder, in short. Shares are fractions in 0–1.
type Listed struct {
	Run      string `json:"run"` // its folder
	Task     string `json:"task,omitempty"`
	Model    string `json:"model,omitempty"`
	Done     int    `json:"done"`              // number of items with a completion
	Planned  int    `json:"planned,omitempty"` // number of planned items; 0 if the journal does not say
	Headline string `json:"headline,omitempty"`
	// the part of the set that the score covers, as in a report's headline
	Covers   string         `json:"covers,omitempty"`
	Score    stats.Number   `json:"score,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`                   // interval of the score
	Bytes    int64          `json:"size_bytes,omitempty"`          // size of the model's tensors
	Baseline stats.Number   `json:"baseline,omitzero"`             // what guessing scores on the same items
	PerMin   stats.Number   `json:"questions_per_minute,omitzero"` // questions per minute of wall time
	Invalid  string         `json:"invalid,omitempty"`             // why the score is not valid
	Created  string         `json:"created,omitempty"`
	Complete bool           `json:"complete"`
	Problem  string         `json:"problem,omitempty"` // why the run cannot be read

	link string // address of its report, relative to the page; empty if there is none
}

// ListOf lists runs of one task each, given as their folders, task by task: the best first, those without a valid score
// behind them. The unreadable ones come last. link gives the addresses of reports, as in [Options].
func ListOf(folders []string, o metrics.Options, link func(run string) string) []Listed {
	list := []Listed{}
	for _, run := range folders {
		s, err := metrics.Open(run, o)
		if err != nil {
			list = append(list, Listed{Run: run, Problem: err.Error()})
			continue
		}
		list = append(list, Listed{
			Run: run, Task: s.Task, Model: s.Model.Title(), Done: s.Items - s.Completeness.Errors,
			Planned: s.Completeness.Planned, Headline: s.Headline.Name, Covers: s.Headline.Covers, Score: s.Headline.Value,
			CI: s.Headline.CI, Baseline: s.Headline.Baseline, Bytes: s.Model.SizeBytes, PerMin: s.Speed.PerMinute,
			Invalid: s.Validity.String(), Created: s.Run.Created.Format(time.RFC3339), Complete: s.Completeness.Complete,
			link: link(run),
		})
	}
	rank(list)
	return list
}

func rank(list []Listed) {
	score := func(r Listed) float64 {
		if r.Invalid != "" {
			return -1
		}
		return r.Score.Or(-1)
	}
	slices.SortStableFunc(list, func(a, b Listed) int {
		return cmp.Or(strings.Compare(a.Problem, b.Problem), strings.Compare(a.Task, b.Task), cmp.Compare(score(b), score(a)))
	})
}

// ListFormats are the formats of a list of runs, the default first. Tables in text lose columns to fit the given number
// of characters; with
// 0 they have all.
func ListFormats(columns int) page.Formats[[]Listed] {
	formats := append(page.FormatsOf(func(list []Listed) page.Page { return listPage(list, 0) }),
		page.Format[[]Listed]{Name: "csv", Ext: ".csv", Write: func(w io.Writer, list []Listed) error {
			var out page.Wide
			for _, r := range list {
				out.Add(out.Cells(r, nil)...)
			}
			return out.Write(w)
		}},
		page.Format[[]Listed]{Name: "html", Ext: ".html", Write: writeListHTML})
	formats[0].Write = func(w io.Writer, list []Listed) error { return listPage(list, columns).Text(w) }
	return formats
}

// least are the columns that a narrow table can lack, the least wanted first.
var least = []string{"made", "of", "complete", "size", "questions/min", "task", "items", "model", "interval"}

// mostParts is how many parts of the questions a narrow table names.
const mostParts = 5

// listPage is the list for a number of columns, 0 for all of them.
func listPage(list []Listed, columns int) page.Page {
	s := listSection(list)
	if columns > 0 {
		left := s.Table.Narrow(columns, least...)
		if slices.Contains(left, "of") { // a score that covers less than all questions is named below
			var parts []string
			for _, r := range list {
				if of := r.of(); r.Covers != "" && of != r.Headline && r.Problem == "" && r.Invalid == "" {
					parts = append(parts, r.Run+": "+of)
				}
			}
			s.Notes = append(s.Notes, page.Few(parts, mostParts)...)
		}
		if len(left) > 0 {
			s.Notes = append(s.Notes, "left out: "+strings.Join(left, ", ")+"; "+setting.Full.String()+" has them")
		}
	}
	out := page.Page{Title: "Runs"}
	out.Add(s)
	return out
}

// of names the run's score and its questions.
func (r Listed) of() string { return r.Headline + metrics.Part(r.Covers) }

// listSection has a row per run.
func listSection(list []Listed) page.Section {
	s := page.Section{Table: &page.Grid{
		Head: []string{"run", "task", "model", "items", "score", "interval", "of", "size", "questions/min", "made",
			"complete"}}}
	for _, r := range list {
		if r.Problem != "" {
			s.Table.Add(r.Run, "unreadable")
			s.Warnings = append(s.Warnings, r.Problem)
			continue
		}
		items, score := fmt.Sprint(r.Done), format.Percent(r.Score)
		if r.Planned > 0 {
			items = fmt.Sprintf("%d/%d", r.Done, r.Planned)
		}
		if r.Invalid != "" {
			score = notValid
			s.Warnings = append(s.Warnings, r.Run+": "+r.Invalid)
		}
		s.Table.Add(r.Run, r.Task, r.Model, items, score, format.Bounds(r.CI), r.of(), format.Size(r.Bytes, format.Undefined),
			format.Decimal(r.PerMin, 1, 1, ""), r.Created, format.YesNo(r.Complete))
	}
	if slices.ContainsFunc(list, func(r Listed) bool { return !r.Complete && r.Problem == "" }) {
		s.Notes = append(s.Notes, "`proctor run "+setting.Resume.As("RUN")+"` continues one that is not complete")
	}
	return s
}

// writeListHTML writes a file for a browser: a drawing of the scores, with links to the runs' reports, and every
// column.
func writeListHTML(w io.Writer, list []Listed) error {
	scores := html.Strips{Caption: "each run's score", Head: []string{"run", "score", "interval", "guessing"}}
	for _, r := range list {
		if r.Problem != "" || !r.Score.Defined() {
			continue
		}
		row := html.Strip{Name: r.Run, Link: r.link, Value: r.Score, Interval: r.CI, Baseline: r.Baseline,
			Cells: []string{format.Percent(r.Score), format.Bounds(r.CI), format.Percent(r.Baseline)}}
		if r.Invalid != "" {
			row.Interval, row.Cells[1] = stats.Interval{}, notValid
		}
		scores.Rows = append(scores.Rows, row)
	}
	scores.Axis = scores.Shares()
	s := listSection(list)
	s.Title = "Scores"
	if len(scores.Rows) > 0 {
		s.Drawings = []page.Drawing{scores}
	}
	var out html.Document
	out.Begin(html.Head{Kind: "runs", Title: format.Several(len(list), "run")}, []page.Section{s})
	return out.Write(w)
}
