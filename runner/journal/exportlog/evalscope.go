package exportlog

import (
	"cmp"
	"path/filepath"
	"strings"
)

// A scopeItem is what is written of an item.
type scopeItem struct {
	*Item
	Model, Subject string
	At             int // its place in the subject
	Total          int // tokens
}

type scopeSubset struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
	Num   int     `json:"num"`
}

// evalscope writes predictions and reviews a subject, and the report that its table reads.
func evalscope(run *Run) ([]file, error) {
	report := struct {
		Model       string
		Num         int
		Mean, Macro float64
		Subsets     []scopeSubset
	}{Model: cmp.Or(run.Header.Model.Name, run.Header.Model.Ref)}
	folder := modelFolder(report.Model, "_")
	var files []file
	var all share
	for _, s := range run.Subjects {
		items := make([]scopeItem, len(s.Items))
		for i := range s.Items {
			it := &s.Items[i]
			items[i] = scopeItem{it, report.Model, s.Name, i, it.Usage.PromptTokens + it.Usage.OutputTokens}
		}
		for _, kind := range []string{"review", "prediction"} {
			content, err := lines("evalscope-"+kind, items)
			if err != nil {
				return nil, err
			}
			name := "mmlu_pro_" + strings.ToLower(fileSafe(s.Name)) + ".jsonl"
			files = append(files, file{filepath.Join(kind+"s", folder, name), content})
		}
		one := shareOf(s.Items)
		all.add(one)
		report.Macro += one.Mean() / float64(len(run.Subjects))
		report.Subsets = append(report.Subsets, scopeSubset{strings.ToLower(s.Name), one.Mean(), one.Items})
	}
	report.Num, report.Mean = all.Items, all.Mean()
	content, err := shaped("evalscope-report", report, "    ")
	return append(files, file{filepath.Join("reports", folder, "mmlu_pro.json"), content}), err
}
