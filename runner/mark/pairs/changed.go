package pairs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/mark/stats"
)

// Changed is how far two models' predictions are from a reference's, by a score. It does not say whether answers became worse.
type Changed struct {
	Score     string    `json:"score"`     // the file
	Against   string    `json:"against"`   // run whose completions both read
	Reference string    `json:"reference"` // model that the divergences are from
	Method    string    `json:"kld_method"`
	A         *Distance `json:"a,omitempty"` // nil of the reference itself
	B         *Distance `json:"b,omitempty"`
}

// A Distance is a model's from the reference, under the names of package score; divergences are in nat a token.
type Distance struct {
	Tokens    int            `json:"tokens"`
	Questions int            `json:"questions"`
	MeanKLD   stats.Number   `json:"mean_kld,omitzero"`
	MeanKLDCI stats.Interval `json:"mean_kld_ci,omitzero"`
	P99KLD    stats.Number   `json:"p99_kld,omitzero"`
	SameTop   stats.Number   `json:"same_top,omitzero"`
	SameTopCI stats.Interval `json:"same_top_ci,omitzero"`
}

// A Score is the part of package score's file that is used here.
type Score struct {
	path      string
	Against   string              `json:"against"`
	Reference *backends.ModelInfo `json:"reference"`
	Models    []struct {
		Info   backends.ModelInfo `json:"model"`
		Method string             `json:"kld_method"`
		Distance
	} `json:"models"`
}

// ReadScore reads the output of `score -o FILE.json`; path names the file in errors.
func ReadScore(path string, from io.Reader) (*Score, error) {
	s := &Score{path: path}
	if err := json.NewDecoder(from).Decode(s); err != nil || len(s.Models) == 0 {
		return nil, fmt.Errorf("%s: not what score writes: proctor score MODEL… %s -o FILE.json", setting.Score.As(path), setting.Against.As("RUN"))
	}
	if s.Reference == nil || !s.Models[0].MeanKLD.Defined() {
		return nil, fmt.Errorf("%s: it has no divergences: score against a run with %s", setting.Score.As(path),
			setting.KeepLogprobs)
	}
	return s, nil
}

// distance finds a run's model by its file's SHA-256; nil where it is the reference.
func (s *Score) distance(r *Run) (*Distance, string, error) {
	sum := r.Model.FileSHA256
	if sum == "" {
		return nil, "", fmt.Errorf("%s: the journal of %s has no SHA-256 of its model's file, so no score can be matched with it",
			setting.Score.As(s.path), r.Path)
	}
	if sum == s.Reference.FileSHA256 {
		return nil, "", nil
	}
	for i := range s.Models {
		if m := &s.Models[i]; m.Info.FileSHA256 == sum {
			return &m.Distance, m.Method, nil
		}
	}
	return nil, "", fmt.Errorf("%s: it is of other models: none of them, nor its reference, is the file that %s was run with (%s)",
		setting.Score.As(s.path), r.Path, r.Model.Ref)
}

// changed compares two runs' models by the score.
func (s *Score) changed(a, b *Run) (*Changed, error) {
	if s == nil {
		return nil, nil
	}
	first, methodA, errA := s.distance(a)
	second, methodB, errB := s.distance(b)
	if err := cmp.Or(errA, errB); err != nil {
		return nil, err // one line, for one run
	}
	return &Changed{
		Score: s.path, Against: s.Against, Reference: s.Reference.Ref, Method: cmp.Or(methodA, methodB), A: first, B: second,
	}, nil
}
