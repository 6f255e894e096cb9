package pairs

import (
	"cmp"
	"fmt"

	"proctor/backends/setting"
	"proctor/runner/mark/divergence"
)

// Changed is how far two models' predictions are from a reference's, by a score. It does not say whether answers became worse.
type Changed struct {
	Score     string               `json:"score"`     // the file
	Against   string               `json:"against"`   // run whose completions both read
	Reference string               `json:"reference"` // model that the divergences are from
	Method    string               `json:"kld_method"`
	A         *divergence.Distance `json:"a,omitempty"` // nil of the reference itself
	B         *divergence.Distance `json:"b,omitempty"`
}

// distance finds a run's model by its file's SHA-256; nil where it is the reference.
func distance(s *divergence.Score, r *Run) (*divergence.Distance, string, error) {
	sum := r.Model.FileSHA256
	if sum == "" {
		return nil, "", fmt.Errorf("%s: the journal of %s has no SHA-256 of its model's file, so no score can be matched with it",
			setting.Score.As(s.Path), r.Path)
	}
	if sum == s.Reference.FileSHA256 {
		return nil, "", nil
	}
	for i := range s.Models {
		if m := s.Models[i]; m.Info.FileSHA256 == sum {
			return &m.Distance, m.Method, nil
		}
	}
	return nil, "", fmt.Errorf("%s: it is of other models: none of them, nor its reference, is the file that %s was run with (%s)",
		setting.Score.As(s.Path), r.Path, r.Model.Ref)
}

// changed compares two runs' models by the score.
func changed(s *divergence.Score, a, b *Run) (*Changed, error) {
	if s == nil {
		return nil, nil
	}
	first, methodA, errA := distance(s, a)
	second, methodB, errB := distance(s, b)
	if err := cmp.Or(errA, errB); err != nil {
		return nil, err // one line, for one run
	}
	return &Changed{
		Score: s.Path, Against: s.Against, Reference: s.Reference.Ref, Method: cmp.Or(methodA, methodB), A: first, B: second,
	}, nil
}
