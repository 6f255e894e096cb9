package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/table"
)

// ofSubject is a run of count questions of one subject; every step-th one is answered right.
func ofSubject(t *testing.T, subject string, count, step int) *metrics.Summary {
	t.Helper()
	h, records := journaltest.MCQ(count, func(q, options int, gold string) journaltest.Answer {
		if q%step == 0 {
			return journaltest.Answer{Letter: gold}
		}
		return journaltest.Answer{}
	})
	h.Selection.Subjects = []string{subject}
	for i := range records {
		records[i].Subject = subject
	}
	r, err := metrics.Open(journaltest.Keep(t, filepath.Join(t.TempDir(), subject), h, records), metrics.Options{})
	assert.NilError(t, err)
	return r
}

// tableOf is the table of reports, each a run.
func tableOf(t *testing.T, reports []*metrics.Summary) *table.Table {
	t.Helper()
	var runs [][]*metrics.Summary
	for _, r := range reports {
		runs = append(runs, []*metrics.Summary{r})
	}
	made, err := table.Of(runs, table.Options{})
	assert.NilError(t, err)
	return made
}

func writeSeveral(t *testing.T, format string, reports ...*metrics.Summary) string {
	t.Helper()
	f, err := Formats.Named(format)
	assert.NilError(t, err)
	var out bytes.Buffer
	assert.NilError(t, WriteSeveral(&out, f, reports, tableOf(t, reports)))
	return out.String()
}

func TestSeveralReportsAsJSONAreOneDocument(t *testing.T) {
	a, b := ofSubject(t, "law", 40, 2), ofSubject(t, "math", 120, 4)
	var all []struct {
		Task    string
		Models  []struct{ Name string }
		Average struct {
			Cells []struct{ Value float64 }
		}
	}
	if err := json.Unmarshal([]byte(writeSeveral(t, "json", a, b)), &all); err != nil {
		t.Fatalf("not one document: %v", err)
	}
	assert.Assert(t, len(all) == 3 && all[0].Task == "mmlu_pro" && len(all[2].Models) == 1, "elements %+v", all)
	assert.Check(t, all[2].Average.Cells[0].Value == (0.5+0.25)/2, "%+v", all[2])
}

func TestSeveralReportsForPeopleEndInTheirTable(t *testing.T) {
	a, b := ofSubject(t, "law", 40, 2), ofSubject(t, "math", 120, 4)
	_, end, found := strings.Cut(writeSeveral(t, "text", a, b), " · 2 tasks\n")
	assert.Check(t, found && strings.Contains(end, "average") && strings.Contains(end, "37.50 %"), "%s", end)
	page := writeSeveral(t, "html", a, b)
	assert.Check(t, strings.Contains(page, "37.50 %") && !strings.Contains(page, `id="items"`), "the page is not the table alone")
}

func TestSeveralReportsAsCSVAreOneTable(t *testing.T) {
	a, b := ofSubject(t, "law", 40, 2), ofSubject(t, "math", 120, 4)
	a.Path, b.Path = "runs/a", "runs/b"
	rows, err := csv.NewReader(strings.NewReader(writeSeveral(t, "csv", a, b))).ReadAll()
	assert.Assert(t, err == nil && len(rows) == 3, "%d lines, %v", len(rows), err)
	value := func(row int, column string) string { return rows[row][slices.Index(rows[0], column)] }
	for column, want := range map[string][2]string{
		"path": {"runs/a", "runs/b"}, "accuracy": {"0.5", "0.25"}, "items": {"40", "120"}, "subjects.law.accuracy": {"0.5", ""},
		"subjects.math.accuracy": {"", "0.25"}, "rules.lm-eval.accuracy": {"0.5", "0.25"}, "failure_counts.NO_ANSWER": {"20", "90"},
	} {
		assert.Check(t, is.Equal([2]string{value(1, column), value(2, column)}, want), "%s", column)
	}
	if rows[0][0] != "path" || rows[0][1] != "task" || slices.ContainsFunc(rows[0], func(name string) bool {
		return strings.HasPrefix(name, "letters") || strings.HasPrefix(name, "by_options")
	}) {
		t.Errorf("columns %q", rows[0])
	}
}
