package score

import (
	"fmt"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/results"
)

// lowerBound names how divergences are computed: from the likeliest tokens, all others as one.
const lowerBound = "lower_bound"

// A Score is the result of scoring a run's transcripts with models.
type Score struct {
	Against    string              `json:"against"` // the run
	Task       string              `json:"task"`
	Writer     backends.ModelInfo  `json:"writer"`              // the model that wrote the completions
	Reference  *backends.ModelInfo `json:"reference,omitempty"` // the model that divergences are from; absent where there are none
	Confidence float64             `json:"confidence"`
	Models     []*Model            `json:"models"`
	Warnings   []string            `json:"warnings,omitempty"`

	data journal.Dataset
	by   backends.EngineInfo // the engine of the kept log-probabilities
}

// A Model is the score of one model.
type Model struct {
	Info   backends.ModelInfo  `json:"model"`
	Engine backends.EngineInfo `json:"backend"`
	Method string              `json:"kld_method,omitempty"`
	Figures
	Subjects []Subject `json:"subjects"`
	// ByContext groups tokens by the number of tokens before them, in doubling ranges.
	ByContext []Context `json:"by_context,omitempty"`
	ByItem    []Item    `json:"by_item"`
	Failed    []Failure `json:"failed,omitempty"` // left out
	Seconds   float64   `json:"seconds"`          // that reading took, the model's loading left out
	// Others is the CPU use of other programs while the model read.
	Others backends.Load `json:"other_programs,omitzero"`
}

// A Subject is one subject's figures.
type Subject struct {
	Subject string `json:"subject"`
	Figures
}

// An Item is one item's figures, which have no intervals.
type Item struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Figures
}

// Score starts a score of the transcripts.
func (t *Transcripts) Score(confidence float64) *Score {
	h := &t.run.Header
	s := &Score{Against: t.path, Task: h.Task, Writer: h.Model, Confidence: confidence, Warnings: t.run.Warnings,
		data: h.Dataset, by: h.Backend}
	if t.kept != nil {
		s.Reference = &h.Model
	} else {
		s.Warnings = append(s.Warnings, "the run kept no log-probabilities, so there are no divergences, only how likely its texts are: "+
			"run it with "+setting.KeepLogprobs.String())
	}
	if failed := len(t.run.Items) - len(t.items); failed > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d of the run's %d items have no %s and are left out", failed,
			len(t.run.Items), unscored(t.kept != nil)))
	}
	return s
}

// figures sets the figures of all items, of each subject and of each item.
func (m *Model) figures(items []*scoredItem, confidence float64) {
	m.Figures = figuresOf(items, m.Method != "", confidence)
	for subject := range results.Groups(items, func(a, b *scoredItem) bool { return a.Subject == b.Subject }) {
		m.Subjects = append(m.Subjects, Subject{subject[0].Subject, figuresOf(subject, m.Method != "", confidence)})
	}
	m.ByContext = byContext(items, m.Method != "", confidence)
	for i, it := range items {
		m.ByItem = append(m.ByItem, Item{it.ID, it.Subject, figuresOf(items[i:i+1], m.Method != "", confidence)})
	}
}
