package samplesize

import (
	"fmt"

	"proctor/backends/setting"
	"proctor/prompts/dataset"
	"proctor/runner/ask/stopping"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// Draw says how many questions of a task to ask, of which the selection draws some.
func (a Aim) Draw(set *dataset.Set, task string, selection dataset.Selection) (Size, error) {
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
	s, err := a.Size(len(questions), limit, func(n int) float64 { return effective(set, selection, questions, n) })
	if err == nil && a.Detect > 0 && a.Run != "" {
		s.Detection.Weighted = a.weighted(task, set.SHA256, len(questions))
	}
	return s, err
}

// Weighted is how many questions decide where more of those are asked whose answers may flip, as a finished run tells.
type Weighted struct {
	Run       string       `json:"run"`
	Questions stats.Number `json:"questions,omitzero"`       // on average
	Ninety    int          `json:"ninety_percent,omitempty"` // in 9 of 10 runs at most
	Strata    int          `json:"strata,omitempty"`
	Flips     stats.Number `json:"flips,omitzero"`    // share of the questions
	Uniform   stats.Number `json:"uniform,omitzero"`  // on average, where all subjects are asked in proportion
	Unknown   string       `json:"unknown,omitempty"` // why nothing is told
}

func (a Aim) weighted(task, set string, questions int) *Weighted {
	until := stopping.Until{Run: a.Run, Doubt: a.Doubt, Margin: a.Detect, Alpha: 1 - a.Confidence}
	e, err := until.Expected(task, set, questions, a.Discordance)
	if err != nil {
		return &Weighted{Run: a.Run, Unknown: err.Error()}
	}
	return &Weighted{Run: a.Run, Questions: stats.Of(e.Mean), Ninety: e.Ninety, Strata: e.Strata, Flips: stats.Of(e.Flips), Uniform: e.Uniform}
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

// line is for people.
func (w *Weighted) line() string {
	if w.Unknown != "" {
		return "it can't be said what a weighted draw takes: " + w.Unknown
	}
	return fmt.Sprintf("run %s asks more of the questions whose answers may flip: about %s on average where both are equally good "+
		"and %s of the answers flip, in 9 of 10 runs at most %s; in proportion about %s", setting.UntilDecided.As(w.Run),
		format.Several(int(w.Questions.Or(0)), "question"), format.Percent(w.Flips), format.Count(w.Ninety), format.Count(int(w.Uniform.Or(0))))
}
