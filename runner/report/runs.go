package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

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
	Done     int            `json:"done"`              // items with a completion
	Planned  int            `json:"planned,omitempty"` // 0 where the journal does not say
	Headline string         `json:"headline,omitempty"`
	Covers   string         `json:"covers,omitempty"` // what the score is of, as in a report's headline
	Score    stats.Number   `json:"score,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"` // of the score
	Created  string         `json:"created,omitempty"`
	Complete bool           `json:"complete"`
	Problem  string         `json:"problem,omitempty"` // why it cannot be read
}

// Runs lists the runs in a folder and in its runs' folders, one for each task, the oldest first and those that cannot be read
// at the end.
func Runs(dir string) ([]Listed, error) {
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
		return nil, fmt.Errorf("%s holds no runs: %w; give the folder that runs were written to", dir, fs.ErrNotExist)
	}
	slices.SortStableFunc(list, func(a, b Listed) int {
		return cmp.Or(strings.Compare(a.Problem, b.Problem), strings.Compare(a.Created, b.Created))
	})
	return list, nil
}

func listed(run string) Listed {
	s, err := metrics.Open(run, metrics.Options{})
	if err != nil {
		return Listed{Run: run, Problem: err.Error()}
	}
	return Listed{
		Run: run, Task: s.Task, Model: cmp.Or(s.Model.Name, s.Model.Ref), Done: s.Items - s.Completeness.Errors,
		Planned: s.Completeness.Planned, Headline: s.Headline.Name, Covers: s.Headline.Covers, Score: s.Headline.Value,
		CI: s.Headline.CI, Created: s.Run.Created, Complete: s.Completeness.Complete,
	}
}

// RunsFormats are those of a list of runs.
var RunsFormats = append(page.FormatsOf(runsPage), page.Format[[]Listed]{Name: wideFormat, Ext: ".csv", Write: runsCSV})

func runsPage(list []Listed) page.Page {
	section := page.Section{Table: &page.Grid{
		Head: []string{"run", "task", "model", "items", "score", "95 % interval", "of", "made", "complete"},
	}}
	for _, r := range list {
		if r.Problem != "" {
			section.Table.Add(r.Run, "unreadable")
			section.Warnings = append(section.Warnings, r.Problem)
			continue
		}
		items, complete := fmt.Sprint(r.Done), "yes"
		if r.Planned > 0 {
			items = fmt.Sprintf("%d/%d", r.Done, r.Planned)
		}
		if !r.Complete {
			complete = "no"
		}
		section.Table.Add(r.Run, r.Task, r.Model, items, format.Percent(r.Score), format.Bounds(r.CI), r.Headline+metrics.Part(r.Covers),
			r.Created, complete)
	}
	if slices.ContainsFunc(list, func(r Listed) bool { return !r.Complete && r.Problem == "" }) {
		section.Notes = append(section.Notes, "`proctor run --resume RUN` goes on with one that is not complete")
	}
	out := page.Page{Title: "Runs"}
	out.Add(section)
	return out
}

func runsCSV(w io.Writer, list []Listed) error {
	var lines [][]page.Cell
	for _, r := range list {
		cells, err := page.Wide(r, nil, nil, nil, nil)
		if err != nil {
			return err
		}
		lines = append(lines, cells)
	}
	return page.CSVWide(w, lines)
}
