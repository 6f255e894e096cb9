// Package runs lists the runs of a folder, by age or as a leaderboard: with scores, intervals, sizes and speeds. Package table compares
// given runs side by side.
package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// A Listed is a run of a folder, in short. Shares are fractions in 0–1.
type Listed struct {
	Run      string         `json:"run"` // its folder
	Task     string         `json:"task,omitempty"`
	Model    string         `json:"model,omitempty"`
	Done     int            `json:"done"`              // number of items with a completion
	Planned  int            `json:"planned,omitempty"` // number of planned items; 0 if the journal does not say
	Headline string         `json:"headline,omitempty"`
	Covers   string         `json:"covers,omitempty"` // the part of the set that the score covers, as in a report's headline
	Score    stats.Number   `json:"score,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`                   // interval of the score
	Bytes    int64          `json:"size_bytes,omitempty"`          // size of the model's tensors
	Baseline stats.Number   `json:"baseline,omitzero"`             // what guessing scores on the same items
	PerMin   stats.Number   `json:"questions_per_minute,omitzero"` // questions per minute of wall time
	Invalid  string         `json:"invalid,omitempty"`             // why the score is not valid
	Created  string         `json:"created,omitempty"`
	Complete bool           `json:"complete"`
	Problem  string         `json:"problem,omitempty"` // why the run cannot be read
}

// In lists the runs in a folder, a run of several tasks once per task. The oldest come first, unreadable ones last.
func In(dir string) ([]Listed, error) {
	journals, err := journal.In(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no folder %s (%w); give the one that runs were written to", dir, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("%w; give the folder that runs were written to", err)
	}
	list := []Listed{}
	for _, path := range journals {
		list = append(list, listed(filepath.Dir(path)))
	}
	if len(list) == 0 {
		return nil, emptyError(dir)
	}
	slices.SortStableFunc(list, func(a, b Listed) int {
		return cmp.Or(strings.Compare(a.Problem, b.Problem), strings.Compare(a.Created, b.Created))
	})
	return list, nil
}

// An emptyError is for a folder without runs. It matches fs.ErrNotExist, for callers that look for a run.
type emptyError string

func (e emptyError) Error() string {
	return string(e) + " holds no runs: give the folder that runs were written to; `proctor run` writes them to runs"
}

func (emptyError) Is(target error) bool { return target == fs.ErrNotExist }

func listed(run string) Listed {
	s, err := metrics.Open(run, metrics.Options{})
	if err != nil {
		return Listed{Run: run, Problem: err.Error()}
	}
	return Listed{
		Run: run, Task: s.Task, Model: s.Model.Title(), Done: s.Items - s.Completeness.Errors,
		Planned: s.Completeness.Planned, Headline: s.Headline.Name, Covers: s.Headline.Covers, Score: s.Headline.Value,
		CI: s.Headline.CI, Baseline: s.Headline.Baseline, Bytes: s.Model.SizeBytes, PerMin: s.Speed.PerMinute, Invalid: s.Validity.String(),
		Created: s.Run.Created.Format(time.RFC3339), Complete: s.Completeness.Complete,
	}
}

// Full are the formats of a list of runs, with all columns.
var Full = append(page.FormatsOf(asPage), page.Format[[]Listed]{Name: "csv", Ext: ".csv", Write: asCSV})

// Short are the same formats, but tables in text lose columns to fit the given number of characters.
func Short(columns int) page.Formats[[]Listed] {
	formats := slices.Clone(Full)
	for i := range formats {
		if formats[i].Name == "text" {
			formats[i].Write = func(w io.Writer, list []Listed) error { return narrow(list, columns).Text(w) }
		}
	}
	return formats
}

// least are the columns that a narrow table can lack, the least wanted first.
var least = []string{"made", "of", "complete", "size", "questions/min", "task", "items", "model", "95 % interval"}

// narrow is the page for a number of columns.
func narrow(list []Listed, columns int) page.Page {
	all := section(list)
	if left := all.Table.Narrow(columns, least...); len(left) > 0 {
		if slices.Contains(left, "of") {
			all.Notes = append(all.Notes, page.Few(ofParts(list), mostParts)...)
		}
		all.Notes = append(all.Notes, "left out: "+strings.Join(left, ", ")+"; "+setting.Full.String()+" has them")
	}
	out := page.Page{Title: "Runs"}
	out.Add(all)
	return out
}

// mostParts is how many parts a narrow table names.
const mostParts = 5

// ofParts names the part of the questions behind each score, unless the score covers all.
func ofParts(list []Listed) (lines []string) {
	for _, r := range list {
		if of := r.of(); r.Covers != "" && of != r.Headline && r.Problem == "" && r.Invalid == "" {
			lines = append(lines, r.Run+": "+of)
		}
	}
	return lines
}

// of names the run's score and its questions.
func (r Listed) of() string {
	return r.Headline + metrics.Part(r.Covers)
}

func asPage(list []Listed) page.Page {
	out := page.Page{Title: "Runs"}
	out.Add(section(list))
	return out
}

// section has a row per run.
func section(list []Listed) page.Section {
	section := page.Section{Table: &page.Grid{Head: slices.Clone(heads)}}
	for _, r := range list {
		if r.Problem != "" {
			section.Table.Add(r.Run, "unreadable")
			section.Warnings = append(section.Warnings, r.Problem)
			continue
		}
		section.Table.Add(r.Run, r.Task, r.Model, r.progress(), r.score(), format.Bounds(r.CI), r.of(),
			format.Size(r.Bytes, format.Undefined), format.Decimal(r.PerMin, 1, 1, ""), r.Created, format.YesNo(r.Complete))
		if r.Invalid != "" {
			section.Warnings = append(section.Warnings, r.Run+": "+r.Invalid)
		}
	}
	if slices.ContainsFunc(list, func(r Listed) bool { return !r.Complete && r.Problem == "" }) {
		section.Notes = append(section.Notes, "`proctor run "+setting.Resume.As("RUN")+"` continues one that is not complete")
	}
	return section
}

var heads = []string{"run", "task", "model", "items", "score", "95 % interval", "of", "size", "questions/min", "made", "complete"}

// progress is the number of completed items, and of all.
func (r Listed) progress() string {
	if r.Planned > 0 {
		return fmt.Sprintf("%d/%d", r.Done, r.Planned)
	}
	return fmt.Sprint(r.Done)
}

// score is the run's score, for people.
func (r Listed) score() string {
	if r.Invalid != "" {
		return "not valid"
	}
	return format.Percent(r.Score)
}

// rank is the sort key for runs: the score, below all others if it is not valid.
func (r Listed) rank() float64 {
	if r.Invalid != "" {
		return -1
	}
	return r.Score.Or(-1)
}

// Orders are the possible orders of a list, the order of [In] first. The best run comes first.
var Orders = []string{"made", "score", "speed", "size", "model"}

// Sort sorts a list, with unreadable runs at the end.
func Sort(list []Listed, by string) {
	slices.SortStableFunc(list, func(a, b Listed) int {
		order := 0
		switch by {
		case "score":
			order = cmp.Compare(b.rank(), a.rank())
		case "speed":
			order = cmp.Compare(b.PerMin.Or(-1), a.PerMin.Or(-1))
		case "size":
			order = cmp.Compare(a.Bytes, b.Bytes)
		case "model":
			order = cmp.Compare(a.Model, b.Model)
		}
		return cmp.Or(strings.Compare(a.Problem, b.Problem), order)
	})
}

// Matching are the runs with a text in their folder, model or task, in any case.
func Matching(list []Listed, text string) []Listed {
	return slices.DeleteFunc(list, func(r Listed) bool {
		return !strings.Contains(strings.ToLower(r.Run+"\n"+r.Model+"\n"+r.Task), strings.ToLower(text))
	})
}

func asCSV(w io.Writer, list []Listed) error {
	var out page.Wide
	for _, r := range list {
		out.Add(out.Cells(r, nil)...)
	}
	return out.Write(w)
}
