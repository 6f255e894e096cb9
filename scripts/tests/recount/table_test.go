package recount

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"proctor/runner/mark/combine"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/table"

	"gotest.tools/v3/assert"
	"proctor/scripts/tests/sharedtest"
)

// A plainPart holds the figures of some subjects of a run, by the subjects' names.
type plainPart map[string]map[string]float64

// figure is a measure of some subjects, and what guessing scores of it.
func (parts plainPart) figure(r *plainRun, measure string, subjects []string) (value, guess float64) {
	key := strings.Join(subjects, ",")
	if parts[key] == nil {
		of := plainRun{task: r.task, pattern: r.pattern, want: map[string]float64{}, trials: map[string]trial{}}
		items := keep(r.items, func(it *plainItem) bool { return slices.Contains(subjects, it.Subject) })
		of.part("of.", items)
		of.put("of.origin_baseline", meanOf(each(originals(scoredOf(items)), chanceOf)))
		of.put("of.coin_baseline", 0.5)
		parts[key] = of.want
	}
	names := map[string][2]string{
		"accuracy":          {"accuracy", "baseline"},
		"balanced_accuracy": {"balanced_accuracy", "coin_baseline"},
		"acc_origin":        {"acc_origin", "origin_baseline"},
		"perf_circular":     {"perf", "perf_baseline.drawn_anew"},
	}[measure]
	for i, x := range []*float64{&value, &guess} {
		var known bool
		if *x, known = parts[key]["of."+names[i]]; !known {
			*x = math.NaN()
		}
	}
	return value, guess
}

func TestASecondPlainComputationOfGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 2))
	given := []combine.Group{{Name: "exact", Subjects: []string{"math", "law"}}}
	for i := range sharedtest.Count(6, 24) {
		h, records := anyRun(random, i)
		path := writeJournal(t, h, records)
		r, parts := plainRunOf(t, path), plainPart{}
		report, err := metrics.Open(path, metrics.Options{})
		assert.NilError(t, err)
		made, err := table.Of([][]*metrics.Summary{{report}}, table.Options{Groups: given})
		assert.NilError(t, err)
		subjectsOf := map[string][]string{"STEM": {"biology", "math", "physics"}, "humanities": {"law"},
			"exact": {"law", "math"}}
		for _, part := range by(r.items, subjectOf) {
			subjectsOf["all"] = append(subjectsOf["all"], part[0].Subject)
			subjectsOf[part[0].Subject] = []string{part[0].Subject}
		}
		for _, row := range made.Tasks[0].Rows {
			value, guess := parts.figure(r, row.Measure, subjectsOf[row.Of])
			name := fmt.Sprintf("run %d, %s: %s of %s", i, h.Task, row.Measure, row.Of)
			for what, pair := range map[string]struct {
				got  stats.Number
				want float64
			}{"value": {row.Cells[0].Value, value}, "guessing": {row.Cells[0].Baseline, guess}} {
				x, known := pair.got.Get()
				if known == math.IsNaN(pair.want) || known && math.Abs(x-pair.want) > 1e-9 {
					t.Errorf("%s: %s is %v, plainly %.12g", name, what, pair.got, pair.want)
				}
			}
		}
	}
}
