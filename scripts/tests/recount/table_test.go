package recount

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"proctor/runner/mark/groups"
	"proctor/runner/mark/stats"
	"proctor/runner/report/table"
)

// inGroup are the plain run's items of some subjects.
func inGroup(r *plainRun, subjects []string) []*plainItem {
	return keep(r.items, func(it *plainItem) bool { return slices.Contains(subjects, it.Subject) })
}

// plainFigure is a measure of some items, what guessing scores of it, and how many items or questions it is over.
func plainFigure(measure string, items []*plainItem) (value, guess float64) {
	scored := scoredOf(items)
	switch measure {
	case "accuracy":
		return meanOf(each(scored, rightOf)), meanOf(each(scored, chanceOf))
	case "accuracy_answered":
		answered := answeredOf(scored)
		return meanOf(each(answered, rightOf)), meanOf(each(answered, chanceOf))
	case "balanced_accuracy":
		rights := keep(scored, func(it *plainItem) bool { return it.Gold == "A" })
		wrongs := keep(scored, func(it *plainItem) bool { return it.Gold == "B" })
		return (meanOf(each(rights, rightOf)) + meanOf(each(wrongs, rightOf))) / 2, 0.5
	case "acc_origin":
		origin := keep(scored, func(it *plainItem) bool { return it.Variant[0] == 'A' })
		return meanOf(each(origin, rightOf)), meanOf(each(origin, chanceOf))
	case "perf_circular":
		var all, chances []float64
		for _, question := range by(items, questionOf) {
			if len(scoredOf(question)) < question[0].Options {
				continue
			}
			whole := map[bool]float64{true: 1}[total(question, rightOf) == float64(len(question))]
			all, chances = append(all, whole), append(chances, math.Pow(chanceOf(question[0]), float64(len(question))))
		}
		return meanOf(all), meanOf(chances)
	}
	panic(measure)
}

// plainMean is a group's figure: of its items together, or the mean of its subjects' own that have one.
func plainMean(r *plainRun, measure string, subjects []string, mean string) (value, guess float64) {
	if mean == groups.Weighted {
		return plainFigure(measure, inGroup(r, subjects))
	}
	whole := 0.0
	for _, subject := range subjects {
		x, g := plainFigure(measure, inGroup(r, []string{subject}))
		if math.IsNaN(x) {
			continue
		}
		value, guess, whole = value+x, guess+g, whole+1
	}
	return value / whole, guess / whole
}

func TestASecondPlainComputationOfGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 2))
	given := []groups.Group{{Name: "exact", Subjects: []string{"math", "law"}}}
	figures := 0
	for i := range 24 {
		task := []string{"mmlu_pro", "mmlu_pro_binary", "mmlu_pro_circular"}[i%3]
		h, records := randomRun(task, random)
		h.RuleSet = map[bool]string{true: "binary", false: "tiger-strict"}[task == "mmlu_pro_binary"]
		path := writeJournal(t, h, records)
		r := plainRunOf(t, path)
		for _, mean := range groups.Means {
			measures := map[string][]string{"mmlu_pro": {"accuracy", "accuracy_answered"}, "mmlu_pro_binary": {"balanced_accuracy", "accuracy"},
				"mmlu_pro_circular": {"acc_origin", "perf_circular"}}[task]
			made, err := table.Open([]string{path}, table.Options{Metrics: measures, Mean: mean, Groups: given})
			if err != nil {
				t.Fatal(err)
			}
			subjectsOf := map[string][]string{"STEM": {"biology", "math", "physics"}, "humanities": {"law"}, "exact": {"law", "math"}}
			for _, part := range by(r.items, subjectOf) {
				subjectsOf["all"] = append(subjectsOf["all"], part[0].Subject)
				subjectsOf[part[0].Subject] = []string{part[0].Subject}
			}
			for _, row := range made.Tasks[0].Rows {
				of := mean
				if row.Kind == table.OfSubject {
					of = groups.Plain
				}
				value, guess := plainMean(r, row.Measure, subjectsOf[row.Of], of)
				name := fmt.Sprintf("run %d, %s, %s mean: %s of %s", i, task, mean, row.Measure, row.Of)
				for what, pair := range map[string]struct {
					got  stats.Number
					want float64
				}{"value": {row.Cells[0].Value, value}, "guessing": {row.Cells[0].Baseline, guess}} {
					x, known := pair.got.Get()
					if known == math.IsNaN(pair.want) || known && math.Abs(x-pair.want) > 1e-9 {
						t.Errorf("%s: %s is %v, plainly %.12g", name, what, pair.got, pair.want)
					}
					figures++
				}
			}
		}
	}
	t.Logf("%d figures", figures)
}
