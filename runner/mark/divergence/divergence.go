// Package divergence measures how far models differ from the one that wrote a run's completions, by the
// log-probabilities that they give those completions' tokens.
//
//	Reading of each item ─ Model.Measure ─▶ Figures of all items, of subjects, by context, of each item
//
// Where the run kept its log-probabilities, that gives the Kullback–Leibler divergence of each token, else only how
// likely the texts are. Only the likeliest tokens' log-probabilities are kept, and all others count as one token: this
// divergence is never more than that over the whole vocabulary (data-processing inequality: Cover and Thomas 2006,
// §2.8), so it is reported as a lower bound. Names are those of llama-perplexity --kl-divergence.
//
// Tokens of one completion depend on each other, and so do a question's completions: intervals have questions as their
// units. Subjects are strata: only the variation within subjects enters an interval.
//
// A divergence says how much a model changed, not whether it became worse: comparing the answers (package pairs) shows
// that.
//
// Neighbours: runner/ask/score has models read the completions; runner/report/divergence writes a [Score].
package divergence

import (
	"encoding/json"
	"fmt"
	"io"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/results"
)

// LowerBound names how divergences are computed: from the likeliest tokens, all others as one.
const LowerBound = "lower_bound"

// A Score is the result of scoring a run's transcripts with models.
type Score struct {
	Against string             `json:"against"` // the run
	Task    string             `json:"task"`
	Writer  backends.ModelInfo `json:"writer"` // the model that wrote the completions
	// the model that divergences are from; absent where there are none
	Reference  *backends.ModelInfo `json:"reference,omitempty"`
	Confidence float64             `json:"confidence"`
	Models     []*Model            `json:"models"`
	Warnings   []string            `json:"warnings,omitempty"`

	Path string              `json:"-"` // of the file that it was read from
	Data journal.Dataset     `json:"-"`
	By   backends.EngineInfo `json:"-"` // the engine of the kept log-probabilities
}

// A Model is the score of one model.
type Model struct {
	Name   string              `json:"name,omitempty"` // of a sweep's candidate
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

// A Failure is an item that the model could not read.
type Failure struct {
	ID    string `json:"id"`
	Cause string `json:"cause,omitempty"`
	Error string `json:"error"`
}

// Measure sets the figures of all items, of each subject and of each item.
func (m *Model) Measure(items []*Reading, confidence float64) {
	m.Figures = figuresOf(items, m.Method != "", confidence)
	for subject := range results.Groups(items, func(a, b *Reading) bool { return a.Subject == b.Subject }) {
		m.Subjects = append(m.Subjects, Subject{subject[0].Subject, figuresOf(subject, m.Method != "", confidence)})
	}
	m.ByContext = byContext(items, m.Method != "", confidence)
	for i, it := range items {
		m.ByItem = append(m.ByItem, Item{it.ID, it.Subject, figuresOf(items[i:i+1], m.Method != "", confidence)})
	}
}

// Read reads the output of `score -o FILE.json`; path names the file in errors.
func Read(path string, from io.Reader) (*Score, error) {
	s := &Score{Path: path}
	if err := json.NewDecoder(from).Decode(s); err != nil || len(s.Models) == 0 {
		return nil, fmt.Errorf("%s: not what score writes: proctor score MODEL… %s -o FILE.json", setting.Score.As(path),
			setting.Against.As("RUN"))
	}
	if s.Reference == nil || !s.Models[0].MeanKLD.Defined() {
		return nil, fmt.Errorf("%s: it has no divergences: score against a run with %s", setting.Score.As(path),
			setting.KeepLogprobs)
	}
	return s, nil
}
