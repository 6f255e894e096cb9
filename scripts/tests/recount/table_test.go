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

// plainMean is a group's figure: of its items together, or the weighted sum of its subjects' own that have one.
func plainMean(r *plainRun, measure string, subjects []string, mean string, uneven bool) (value, guess float64) {
	if mean == groups.Weighted && !uneven {
		return plainFigure(measure, inGroup(r, subjects))
	}
	if mean == groups.Weighted && measure == "balanced_accuracy" { // of weighted items, not of weighted subjects
		return weightedBalance(r, subjects), 0.5
	}
	whole := 0.0
	for _, subject := range subjects {
		x, g := plainFigure(measure, inGroup(r, []string{subject}))
		if math.IsNaN(x) {
			continue
		}
		w := 1.0
		if mean == groups.Weighted {
			w = float64(r.population[subject])
		}
		value, guess, whole = value+w*x, guess+w*g, whole+w
	}
	return value / whole, guess / whole
}

// weightedBalance is (TPR + TNR)/2 where each question stands for as many of its subject's.
func weightedBalance(r *plainRun, subjects []string) float64 {
	right, all := map[string]float64{}, map[string]float64{}
	for _, subject := range subjects {
		scored := scoredOf(inGroup(r, []string{subject}))
		weight := float64(r.population[subject]) / float64(len(by(scored, questionOf)))
		for _, it := range scored {
			right[it.Gold], all[it.Gold] = right[it.Gold]+weight*it.right, all[it.Gold]+weight
		}
	}
	return (right["A"]/all["A"] + right["B"]/all["B"]) / 2
}

// unevenly says whether a subject's share of the asked questions is off by a question or more.
func (r *plainRun) unevenly() bool {
	asked, whole := float64(len(by(r.items, questionOf))), 0.0
	for _, n := range r.population {
		whole += float64(n)
	}
	for _, part := range by(r.items, subjectOf) {
		n := float64(r.population[part[0].Subject])
		if r.population != nil && math.Abs(float64(len(by(part, questionOf)))-n*asked/whole) >= 1 {
			return true
		}
	}
	return false
}

func TestASecondPlainComputationOfGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 2))
	given := []groups.Group{{Name: "exact", Subjects: []string{"math", "law"}}}
	figures, unevenRuns := 0, 0
	for i := range 24 {
		task := []string{"mmlu_pro", "mmlu_pro_binary", "mmlu_pro_circular"}[i%3]
		h, records := randomRun(task, random)
		h.RuleSet = map[bool]string{true: "binary", false: "tiger-strict"}[task == "mmlu_pro_binary"]
		path := writeJournal(t, h, records)
		r := plainRunOf(t, path)
		uneven := r.unevenly()
		if uneven {
			unevenRuns++
		}
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
				value, guess := plainMean(r, row.Measure, subjectsOf[row.Of], of, uneven)
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
	t.Logf("%d figures, %d of 24 runs drawn unevenly", figures, unevenRuns)
	if unevenRuns < 4 || unevenRuns > 20 {
		t.Errorf("%d of 24 runs are drawn unevenly", unevenRuns)
	}
}
