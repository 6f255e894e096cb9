// Package terms explains the words of reports that not everybody knows, a line each: `proctor help terms` prints them,
// and HTML shows each where a pointer rests on its word.
package terms

import "strings"

// A Term is a word of reports and what it means.
type Term struct{ Name, Means string }

// All are the terms in the order of a run: what is asked, how it is kept, how it is marked, what a comparison adds.
var All = []Term{
	{"gold", "the letter that the dataset says is right"},
	{"shots", "worked examples before the question; MMLU-Pro has 5 of the same subject"},
	{"slot", "one of the sequences that the engine decodes at the same time"},
	{"prefix reuse", "prompt tokens kept from an earlier prompt that begins alike, not computed again"},
	{"journal", "the run's file, a line per answer; every report can be made again from it alone"},
	{"pp", "percentage points: from 40 % to 41 % is 1 pp"},
	{"Wilson", "a confidence interval for a share that also holds near 0 % and 100 %"},
	{"Clopper-Pearson", "an exact confidence interval for a share, wider than Wilson"},
	{"effective size", "how many independent questions would carry as much information as those asked"},
	{"Holm", "p-values raised for the number of subjects tested: fewer false alarms"},
	{"TPR", "true positive rate: the share of right options that the model called right"},
	{"TNR", "true negative rate: the share of wrong options that the model called wrong"},
	{"balanced accuracy", "the mean of TPR and TNR; guessing scores 50 %, however many options are wrong"},
	{"MCC", "Matthews correlation: 1 is perfect, 0 is guessing, -1 is always the opposite"},
	{"Tango", "a confidence interval for the difference of two runs on the same questions"},
	{"McNemar", "a test of the questions that only one of two runs answered right"},
	{"mid-p", "McNemar's p that counts the observed table half: less cautious than the exact p"},
	{"power", "how often a comparison of this size would show a difference that is really there"},
	{"e-value", "evidence that may be read after every question: 20 or more shows a claim at 5 %"},
}

// In is the first term that a heading contains as a word: "p (Holm)" contains Holm.
func In(heading string) (Term, bool) {
	words := " " + separators.Replace(strings.ToLower(heading)) + " "
	for _, t := range All {
		if strings.Contains(words, " "+strings.ToLower(t.Name)+" ") {
			return t, true
		}
	}
	return Term{}, false
}

// separators stand between the words of a heading, beside blanks.
var separators = strings.NewReplacer("(", " ", ")", " ", ",", " ", ":", " ", ";", " ")
