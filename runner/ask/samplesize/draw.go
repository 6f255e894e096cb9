package samplesize

import (
	"proctor/prompts/dataset"
	"proctor/runner/mark/stats"
)

// Draw says how many questions of a task to ask, of which the selection draws some.
func (a Aim) Draw(set *dataset.Set, selection dataset.Selection) (Size, error) {
	all := selection
	all.Limit, all.PerSubject, all.Share, all.First = 0, 0, 0, false
	questions, err := set.Select(all)
	if err != nil {
		return Size{}, err
	}
	limit := selection.Limit
	if selection.BySubject() {
		asked, err := set.Select(selection)
		if err != nil {
			return Size{}, err
		}
		limit = len(asked)
	}
	return a.Size(len(questions), limit, func(n int) float64 { return effective(set, selection, questions, n) })
}

// effective is the effective size of a draw of n questions. A report weights the subjects by their size, so a draw that is not in
// proportion carries less information than n questions.
func effective(set *dataset.Set, draw dataset.Selection, all []dataset.Question, n int) float64 {
	if !draw.BySubject() {
		draw.Limit = n
	}
	asked, err := set.Select(draw)
	if err != nil || draw.First || len(asked) != n {
		return float64(n)
	}
	return stats.EffectiveQuestions(bySubject(all), bySubject(asked))
}

func bySubject(questions []dataset.Question) map[string]int {
	counts := map[string]int{}
	for _, q := range questions {
		counts[q.Subject]++
	}
	return counts
}
