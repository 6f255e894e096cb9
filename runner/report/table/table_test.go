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
	"proctor/runner/report/html"
)

// runs are those of two models: MMLU-Pro of both, CircularEval of the first, Binary of the second.
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

func mustOpen(t *testing.T, paths []string, o Options) *Table {
	t.Helper()
	table, err := Open(paths, o)
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
	table := mustOpen(t, paths, Options{Groups: []combine.Group{{Name: "exact", Subjects: []string{"math", "bio"}}}})
	for _, task := range table.Tasks {
		for i := range task.Runs {
			task.Runs[i].Path = filepath.Base(task.Runs[i].Path)
		}
	}
	for name, format := range map[string]string{"table.txt": "text", "table.md": "markdown", "table.json": "json", "table.csv": "csv"} {
		golden.Assert(t, written(t, format, table), name)
	}
}

func TestACellStandsUnderItsModelAndBesideItsTask(t *testing.T) {
	table := mustOpen(t, runs(t), Options{})
	var names []string
	for _, m := range table.Models {
		names = append(names, m.Name)
	}
	got := strings.Join(names, " ")
	assert.Assert(t, got == "Q8_0 Q4_0" && len(table.Tasks) == 3, "models %s, %d tasks", got, len(table.Tasks))
	circular := table.Tasks[1]
	assert.Check(t, circular.Runs[1] == (Run{}) && circular.Rows[0].Measure == "acc_origin" && circular.Rows[1].Measure == "perf_circular",
		"%+v", circular)
	if row := circular.Rows[1]; row.Cells[1] != (Cell{}) || !row.Cells[0].Value.Defined() {
		t.Errorf("%+v", row)
	}
	for _, row := range table.Tasks[0].Rows {
		if row.Kind == OfAll && !(row.Cells[0].Value.Or(0) > row.Cells[1].Value.Or(1)) {
			t.Errorf("the better model scores %v, the other %v", row.Cells[0].Value, row.Cells[1].Value)
		}
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

func TestOptionsThatTheRunsLackAreErrors(t *testing.T) {
	paths := runs(t)
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{Metrics: []string{"accuracy", "bleu"}}, "metrics bleu: no run's task has that metric; there are accuracy, "},
		{Options{Groups: []combine.Group{{Name: "x", Subjects: []string{"chess"}}}}, `group x: unknown subject "chess"; the runs have biology`},
	} {
		_, err := Open(paths, test.o)
		assert.ErrorContains(t, err, test.want)
	}
}

func TestMetricsAreThoseOfTheTasksThatHaveThem(t *testing.T) {
	table := mustOpen(t, runs(t), Options{Metrics: []string{"mcc", "tpr"}})
	assert.Check(t, len(table.Tasks) == 1 && table.Tasks[0].Task == "mmlu_pro_binary" && table.Tasks[0].Rows[0].Measure == "mcc",
		"%+v", table.Tasks)
	got := written(t, "text", table)
	assert.Check(t, !strings.Contains(got, "n/a %") && strings.Contains(got, " to "), "a coefficient is written as a share:\n%s", got)
}

func TestAScoreThatIsNotValidIsMarked(t *testing.T) {
	h, records := journaltest.MCQ(60, func(_, _ int, _ string) journaltest.Answer { return journaltest.Answer{Capped: true} })
	cut := journaltest.Keep(t, filepath.Join(t.TempDir(), "cut.jsonl"), h, records)
	table := mustOpen(t, []string{cut}, Options{})
	got := written(t, "text", table)
	assert.Check(t, strings.HasPrefix(got, "tiny Q4_K_M, Bundled sample: Not a valid score: ") && strings.Count(got, "  not valid  ") == 3,
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
}

func TestCSVHasALineAFigure(t *testing.T) {
	table := mustOpen(t, runs(t), Options{Mean: combine.Plain})
	lines, err := csv.NewReader(strings.NewReader(written(t, "csv", table))).ReadAll()
	assert.NilError(t, err)
	want := 0
	for _, task := range table.Tasks {
		for _, row := range task.Rows {
			for _, c := range row.Cells {
				if c != (Cell{}) {
					want++
				}
			}
		}
	}
	assert.Check(t, len(lines)-1 == want && strings.Join(lines[0][:7], " ") == "task data kind of measure model value",
		"%d lines of %d figures: %v", len(lines)-1, want, lines[0])
}

func TestABrowsersFileDrawsEveryMeasure(t *testing.T) {
	table := mustOpen(t, runs(t), Options{})
	got := written(t, "html", table)
	for _, want := range []string{"acc origin by model", "perf circular by model", "balanced accuracy by model", "all questions, Q8_0",
		"STEM, Q4_0"} {
		assert.Check(t, strings.Contains(got, want), "no %q", want)
	}
	figures := Figures(table)
	assert.Assert(t, len(figures) == 4, "%d figures", len(figures))
	if rows := figures[0].Drawing.(html.Strips).Rows; len(rows) != 6 { // all, STEM, humanities × 2 models
		t.Errorf("%d lines of accuracy", len(rows))
	}
}
