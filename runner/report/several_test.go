package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/combine"
	"proctor/runner/mark/metrics"
)

// ofSubject is a run of count questions of one subject, of which every step-th is answered right.
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
	return mustBuild(t, h, records, metrics.Options{})
}

func TestSeveralReportsAsJSONAreOneDocument(t *testing.T) {
	a, b := ofSubject(t, "law", 40, 2), ofSubject(t, "math", 120, 4)
	var out bytes.Buffer
	format, err := Formats.Named("json")
	assert.NilError(t, err)
	assert.NilError(t, WriteSeveral(&out, format, []*metrics.Summary{a, b}))
	var all []struct {
		Task  string
		Score float64
		Macro struct {
			Value, Baseline float64
			CI              struct{ Low, High float64 }
		}
		Pooled struct {
			Value float64
			Items int
		}
		Shared bool `json:"shared_questions"`
	}
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		t.Fatalf("not one document: %v", err)
	}
	assert.Assert(t, len(all) == 3 && all[0].Task == "mmlu_pro" && all[2].Task == "combined", "elements %+v", all)
	c := all[2]
	assert.Check(t, c.Score == (0.5+0.25)/2 && c.Macro.Value == c.Score && c.Pooled.Value == 50.0/160 && c.Pooled.Items == 160 && !c.Shared,
		"combined %+v", c)
	down := math.Hypot(a.Accuracy.Or(9)-a.CI.Low, b.Accuracy.Or(9)-b.CI.Low) / 2
	assert.Check(t, math.Abs(c.Macro.CI.Low-(c.Score-down)) <= 1e-9, "low %g, want %g", c.Macro.CI.Low, c.Score-down)
	if want := (a.Baseline.Expected.Or(9) + b.Baseline.Expected.Or(9)) / 2; math.Abs(c.Macro.Baseline-want) > 1e-9 {
		t.Errorf("baseline %g, want %g", c.Macro.Baseline, want)
	}

	out.Reset()
	err = WriteSeveral(&out, format, []*metrics.Summary{a})
	assert.Check(t, err == nil && json.Unmarshal(out.Bytes(), &struct{}{}) == nil, "one report is no object: %v", err)
}

func TestSeveralReportsForPeopleEndInWhatTheyComeToTogether(t *testing.T) {
	a, b := ofSubject(t, "law", 40, 2), ofSubject(t, "math", 120, 4)
	var out bytes.Buffer
	assert.NilError(t, WriteSeveral(&out, Formats[0], []*metrics.Summary{a, b}))
	_, end, found := strings.Cut(out.String(), "Combined · 2 tasks")
	assert.Check(t, found && strings.Contains(end, "mean of the tasks  37.50 %") && strings.Contains(end, "pooled accuracy    31.25 %"),
		"%s", end)
	other := *b
	other.Model.Name = "another"
	out.Reset()
	err := WriteSeveral(&out, Formats[0], []*metrics.Summary{a, &other})
	assert.Check(t, err == nil && !strings.Contains(out.String(), "Combined"), "reports of two models are combined (%v)", err)
	h, records := journaltest.Examples()["binary"]()
	binary := mustBuild(t, h, records, metrics.Options{}) // asks about law, too
	out.Reset()
	assert.NilError(t, WriteSeveral(&out, Formats[0], []*metrics.Summary{a, binary}))
	if _, end, _ := strings.Cut(out.String(), "Combined"); strings.Contains(end, "pooled") || !strings.Contains(end, "may be correlated") ||
		!strings.Contains(end, "no mean of the tasks") {
		t.Errorf("%s", end)
	}
}

func TestATaskOfManySubjectsHasAShortName(t *testing.T) {
	a, b := ofSubject(t, "law", 40, 2), ofSubject(t, "math", 120, 4)
	a.Run.Selection.Subjects = []string{"law", "math", "biology", "business", "chemistry", "physics"}
	together := combine.Of([]*metrics.Summary{a, b})
	if got := combinedPage(together).Sections[0].Table.Rows[0][0]; got != "Bundled sample (law, math, 4 more)" {
		t.Error(got)
	}
	if got := together.Tasks[0].Subjects; !slices.Equal(got, a.Run.Selection.Subjects) {
		t.Errorf("JSON has %q", got)
	}
}

func TestTasksTogetherLinkTheirReports(t *testing.T) {
	a, b := ofSubject(t, "law", 40, 2), ofSubject(t, "math", 120, 4)
	a.Path, b.Path = "runs/two/mmlu_pro_law", "runs/two/a task"
	format, err := CombinedFormats.Named("html")
	assert.NilError(t, err)
	var out bytes.Buffer
	assert.NilError(t, format.Write(&out, combine.Of([]*metrics.Summary{a, b})))
	for _, want := range []string{`href="mmlu_pro_law/report.html"`, `href="a%20task/report.html"`, "mean of the tasks", "37.50 %"} {
		assert.Check(t, strings.Contains(out.String(), want), "%s is missing", want)
	}
}

func TestSeveralReportsAsCSVAreOneTable(t *testing.T) {
	a, b := ofSubject(t, "law", 40, 2), ofSubject(t, "math", 120, 4)
	a.Path, b.Path = "runs/a", "runs/b"
	format, err := Formats.Named("csv")
	assert.NilError(t, err)
	var out bytes.Buffer
	assert.NilError(t, WriteSeveral(&out, format, []*metrics.Summary{a, b}))
	rows, err := csv.NewReader(&out).ReadAll()
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
