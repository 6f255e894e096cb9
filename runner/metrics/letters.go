package metrics

import (
	"proctor/runner/results"
	"proctor/runner/stats"
)

// Letters compares the letters that were picked with those that are gold.
type Letters struct {
	Counts    []Letter     `json:"counts,omitempty"`
	ChiSquare stats.Number `json:"chi_square,omitzero"` // picked against gold shares; where items are independent
	DF        int          `json:"df,omitempty"`
	PValue    stats.Number `json:"p_value,omitzero"`
}

// A Letter is one letter's counts over the scored items.
type Letter struct {
	Letter      string       `json:"letter"`
	Gold        int          `json:"gold"`
	GoldShare   stats.Number `json:"gold_share,omitzero"`
	Picked      int          `json:"picked"`
	PickedShare stats.Number `json:"picked_share,omitzero"` // of the answered items
	Recall      stats.Number `json:"recall,omitzero"`       // of the items with this gold letter, answered right
}

func (r *Summary) letters(v results.View, independent bool) {
	r.Letters.Counts = letterCounts(v)
	if !independent {
		return
	}
	var picked, gold []int
	for _, letter := range r.Letters.Counts {
		picked, gold = append(picked, letter.Picked), append(gold, letter.Gold)
	}
	test := stats.LetterBias(picked, gold)
	r.Letters.ChiSquare, r.Letters.DF, r.Letters.PValue = test.Statistic, test.DF, test.P
	r.warn(AboutLetters, test.Warnings...)
}

// letterCounts are those of the letters that are gold or picked, in their order: some rule sets find letters beyond the
// options.
func letterCounts(v results.View) []Letter {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	picked, gold, right := map[string]int{}, map[string]int{}, map[string]int{}
	answered, scored := 0, 0
	for a := range v.Scored() {
		scored++
		gold[a.Gold]++
		if a.Answered() {
			picked[a.Letter]++
			answered++
		}
		if a.Correct {
			right[a.Gold]++
		}
	}
	var counts []Letter
	for i := range letters {
		letter := letters[i : i+1]
		if picked[letter]+gold[letter] == 0 {
			continue
		}
		counts = append(counts, Letter{
			Letter: letter, Gold: gold[letter], GoldShare: stats.Ratio(gold[letter], scored),
			Picked: picked[letter], PickedShare: stats.Ratio(picked[letter], answered), Recall: stats.Ratio(right[letter], gold[letter]),
		})
	}
	return counts
}
