package table

import (
	"bytes"
	"encoding/csv"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/combine"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// runs are the runs of two models: MMLU-Pro of both, CircularEval of the first, Binary of the second.
func runs(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	keep := func(name, quantization string, h journal.Header, records []journal.Record) string {
		h.Model.Quantization = quantization
		return journaltest.Keep(t, filepath.Join(dir, name+".jsonl"), h, records)
	}
	says := func(right int) func(q, _ int, gold string) journaltest.Answer {
		return func(q, _ int, gold string) journaltest.Answer {
			return map[bool]journaltest.Answer{true: {Letter: gold}, false: {Letter: "J"}}[q%7 < right]
		}
	}
	first, ofFirst := journaltest.MCQ(60, says(5))
	second, ofSecond := journaltest.MCQ(60, says(3))
	circular, ofCircular := journaltest.Circular(journaltest.Header("mmlu_pro_circular"), []int{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},
		func(int) []string { return journaltest.Rotations(4) }, func(q int, pattern, gold string) journaltest.Answer {
			return map[bool]journaltest.Answer{true: {Letter: gold}, false: {Letter: "B"}}[q%3 > 0 || pattern[0] == 'A']
		})
	binary, ofBinary := journaltest.Binary(30, func(q, option, gold int) journaltest.Answer {
		return map[bool]journaltest.Answer{true: {Letter: "A"}, false: {Letter: "B"}}[option == gold && q%4 > 0]
	})
	return []string{keep("a", "Q8_0", first, ofFirst), keep("b", "Q4_0", second, ofSecond), keep("c", "Q8_0", circular, ofCircular),
		keep("d", "Q4_0", binary, ofBinary)}
}

// opened are the reports of runs, each by the folders of its tasks.
func opened(t *testing.T, paths []string) (runs [][]*metrics.Summary) {
	t.Helper()
	for _, path := range paths {
		var run []*metrics.Summary
		for _, task := range journal.Tasks(path) {
			r, err := metrics.Open(task, metrics.Options{})
			assert.NilError(t, err)
			run = append(run, r)
		}
		runs = append(runs, run)
	}
	return runs
}

func mustOpen(t *testing.T, paths []string, o Options) *Table {
	t.Helper()
	table, err := Of(opened(t, paths), o)
	assert.NilError(t, err)
	return table
}

func written(t *testing.T, format string, table *Table) string {
	t.Helper()
	f, err := Formats.Named(format)
	assert.NilError(t, err)
	var out bytes.Buffer
	assert.NilError(t, f.Write(&out, table))
	return out.String()
}

func TestGoldenTables(t *testing.T) {
	paths := runs(t)
	table := mustOpen(t, paths, Options{Groups: []combine.Group{{Name: "exact", Subjects: []string{"math", "bio"}}}, Full: true})
	for _, task := range table.Tasks {
		for i := range task.Runs {
			task.Runs[i].Path = filepath.Base(task.Runs[i].Path)
		}
	}
	for name, format := range map[string]string{"table.txt": "text", "table.md": "markdown", "table.json": "json", "table.csv": "csv"} {
		golden.Assert(t, written(t, format, table), name)
	}
}

func TestASecondRunOfOneModelHasAColumnOfItsOwn(t *testing.T) {
	paths := runs(t)
	table := mustOpen(t, []string{paths[0], paths[0], paths[2]}, Options{})
	assert.Assert(t, len(table.Models) == 2 && table.Models[0].Name != table.Models[1].Name, "%+v", table.Models)
	circular := table.Tasks[1]
	assert.Check(t, circular.Runs[0].Path != "" && circular.Runs[1].Path == "", "%+v", circular.Runs)
}

func TestRunsOfOneFolderStandInOneColumn(t *testing.T) {
	dir := t.TempDir()
	keep := func(folder string, h journal.Header, records []journal.Record) {
		h.Flags = map[string][]string{"tasks": {"mmlu_pro,mmlu_pro_binary"}}
		journaltest.Keep(t, filepath.Join(dir, folder), h, records)
	}
	says := func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} }
	mcq, questions := journaltest.MCQ(20, says)
	binary, options := journaltest.Binary(8, func(_, _, _ int) journaltest.Answer { return journaltest.Answer{Letter: "A"} })
	keep("first", mcq, questions)
	keep("second/mmlu_pro", mcq, questions)
	keep("second/mmlu_pro_binary", binary, options)
	t.Chdir(dir)
	table := mustOpen(t, []string{"first", "second"}, Options{})
	assert.Assert(t, len(table.Models) == 2 && table.Models[1].Name == "second", "%+v", table.Models)
	for _, task := range table.Tasks {
		if filepath.Dir(task.Runs[1].Path) != "second" || task.Task == "mmlu_pro_binary" && task.Runs[0] != (Run{}) {
			t.Errorf("%s: %+v", task.Task, task.Runs)
		}
	}
}

func TestAGroupOfOtherSubjectsIsAnError(t *testing.T) {
	_, err := Of(opened(t, runs(t)), Options{Groups: []combine.Group{{Name: "x", Subjects: []string{"chess"}}}})
	assert.ErrorContains(t, err, `group x: unknown subject "chess"; the runs have biology`)
}

func TestAScoreThatIsNotValidIsMarked(t *testing.T) {
	h, records := journaltest.MCQ(60, func(_, _ int, _ string) journaltest.Answer { return journaltest.Answer{Capped: true} })
	cut := journaltest.Keep(t, filepath.Join(t.TempDir(), "cut.jsonl"), h, records)
	table := mustOpen(t, []string{cut}, Options{})
	got := written(t, "text", table)
	assert.Check(t, !strings.Contains(got, "Not a valid score") && strings.Count(got, "  not valid  ") == 1, "its report says why:\n%s", got)
	got = written(t, "text", mustOpen(t, []string{cut}, Options{Full: true}))
	assert.Check(t, strings.HasPrefix(got, "tiny Q4_K_M, Bundled sample: Not a valid score: ") && strings.Count(got, "  not valid  ") == 7,
		"%s", got)
	assert.Check(t, strings.Contains(written(t, "csv", table), "Not a valid score: "), "the csv lacks it")
}

func TestRunsOfOtherQuestionsAreWarnedOf(t *testing.T) {
	paths := runs(t)
	if table := mustOpen(t, paths[:2], Options{}); strings.Join(table.Warnings, "\n") !=
		"all runs: bundled sample: not MMLU-Pro; for trying out only" {
		t.Errorf("of the same questions: %q", table.Warnings)
	}
	h, records := journaltest.MCQ(40, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	h.Model.Quantization = "Q6_K"
	other := journaltest.Keep(t, filepath.Join(t.TempDir(), "other.jsonl"), h, records)
	table := mustOpen(t, []string{paths[0], other}, Options{})
	got := strings.Join(table.Warnings, "\n")
	assert.Check(t, strings.Contains(got, "Q6_K: beside Q8_0: not the same evaluation"), "%q", got)
	assert.Check(t, strings.Contains(written(t, "text", table), "! Q6_K: beside Q8_0"), "the text lacks the warning")
	assert.Check(t, !strings.Contains(written(t, "text", table), "for trying out only"), "the text repeats what reports say")
}

func TestABrowsersFileDrawsEveryMeasure(t *testing.T) {
	table := mustOpen(t, runs(t), Options{})
	got := written(t, "html", table)
	for _, want := range []string{"acc origin by model", "perf circular by model", "balanced accuracy by model", "all questions, Q8_0",
		"STEM, Q4_0"} {
		assert.Check(t, strings.Contains(got, want), "no %q", want)
	}
	var drawings []page.Drawing
	for _, section := range table.parts() {
		drawings = append(drawings, section.Drawings...)
	}
	assert.Assert(t, len(drawings) == 5, "%d drawings", len(drawings))
	assert.Check(t, !strings.Contains(got, "href=\"a."), "a table that lies nowhere has a link to a report")
	if rows := drawings[1].(html.Strips).Rows; len(rows) != 6 { // all, STEM, humanities × 2 models
		t.Errorf("%d lines of accuracy", len(rows))
	}
}

// several are two runs of one model, and one of another that lacks a task: MMLU-Pro of law, MMLU-Pro of math, and Binary.
func several(t *testing.T) (dir string, paths []string) {
	t.Helper()
	dir = t.TempDir()
	keep := func(folder, quantization, subject string, h journal.Header, records []journal.Record) {
		h.Model.Quantization = quantization
		if subject != "" {
			h.Selection.Subjects = []string{subject}
			for i := range records {
				records[i].Subject = subject
			}
		}
		paths = append(paths, filepath.Join(dir, folder))
		journaltest.Keep(t, filepath.Join(dir, folder), h, records)
	}
	ofStep := func(step int) func(q, _ int, gold string) journaltest.Answer {
		return func(q, _ int, gold string) journaltest.Answer {
			return map[bool]journaltest.Answer{true: {Letter: gold}}[q%step == 0]
		}
	}
	h, records := journaltest.MCQ(40, ofStep(2))
	keep("a task", "Q8_0", "law", h, records)
	h, records = journaltest.MCQ(120, ofStep(4))
	keep("b", "Q8_0", "math", h, records)
	h, records = journaltest.MCQ(40, ofStep(5))
	keep("c", "Q4_0", "law", h, records)
	return dir, paths
}

func TestTheAverageIsOfTheTasksScores(t *testing.T) {
	_, paths := several(t)
	table := mustOpen(t, paths, Options{Link: func(run string) string { return map[string]string{paths[0]: "a.html"}[run] }})
	assert.Assert(t, len(table.Tasks) == 2 && len(table.Models) == 2 && table.Tasks[0].Title == "Bundled sample (law)", "%+v", table.Tasks)
	a := table.Average
	assert.Check(t, a.Cells[1] == (Cell{}) && !a.Shared && strings.Join(a.Scores, " ") == "accuracy", "%+v", a)
	law, math := table.Tasks[0].Rows[0].Cells[0], table.Tasks[1].Rows[0].Cells[0]
	assert.Check(t, a.Cells[0] == combine.MeanOf([]combine.Figure{law, math}, false) &&
		a.Cells[0].Value.Or(0) == (0.5+0.25)/2, "%+v", a.Cells)
	got := written(t, "text", table)
	for _, want := range []string{"  average                accuracy  37.50 %  ", "Bundled sample (math)"} {
		assert.Check(t, strings.Contains(got, want), "%q is missing in\n%s", want, got)
	}
	assert.Check(t, !strings.Contains(got, "of different scores") && !strings.Contains(got, "\n  law "), "%s", got)
	page := written(t, "html", table)
	assert.Check(t, strings.Count(page, `href="a.html"`) == 1 && strings.Contains(page, "37.50 %") && !strings.Contains(page, `href=""`), "links")
	lines, err := csv.NewReader(strings.NewReader(written(t, "csv", table))).ReadAll()
	assert.NilError(t, err)
	last := lines[len(lines)-1]
	assert.Check(t, strings.Join(last[:7], " ") == "average  all all accuracy Q8_0 0.375", "%q", last)
}

func TestTheAverageOfDifferentScoresSaysSo(t *testing.T) {
	dir, paths := several(t)
	h, records := journaltest.Examples()["binary"]() // has law, too
	h.Model.Quantization = "Q8_0"
	paths = append(paths[:2], journaltest.Keep(t, filepath.Join(dir, "binary"), h, records))
	table := mustOpen(t, paths, Options{})
	a := table.Average
	assert.Check(t, a.Shared && strings.Join(a.Scores, ", ") == "accuracy, balanced_accuracy" && a.Cells[0].CI.Method == "sum of the tasks' intervals",
		"%+v", a)
	got := written(t, "text", table)
	assert.Check(t, strings.Contains(got, "the average is of different scores") && strings.Contains(got, "their errors may go together"), "%s", got)
}

func TestATaskOfManySubjectsHasAShortName(t *testing.T) {
	h, records := journaltest.MCQ(40, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	h.Selection.Subjects = []string{"law", "math", "biology", "business", "chemistry", "physics"}
	table := mustOpen(t, []string{journaltest.Keep(t, filepath.Join(t.TempDir(), "many"), h, records)}, Options{})
	task := table.Tasks[0]
	assert.Check(t, task.Title == "Bundled sample (6 subjects)" && len(task.Chosen) == 6, "%q, %q", task.Title, task.Chosen)
}
