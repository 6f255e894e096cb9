package pairs

import (
	"cmp"
	"fmt"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/mark/draw"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/stats/control"
)

// Controlled is a pair's difference with a control: what two other runs of the same models, such as direct ones, say of more questions
// than the pair has. The verdict rests on the difference alone.
type Controlled struct {
	RunA       string         `json:"run_a"` // the control's
	RunB       string         `json:"run_b"`
	Of         int            `json:"questions"` // that the control knows
	Rho        stats.Number   `json:"rho,omitzero"`
	Beta       stats.Number   `json:"beta,omitzero"`
	Difference stats.Number   `json:"difference,omitzero"`
	SE         stats.Number   `json:"difference_se,omitzero"`
	CI         stats.Interval `json:"difference_ci,omitzero"`
	Worth      stats.Number   `json:"worth,omitzero"` // as many times as many questions would tell as much
}

// controlled estimates the difference with o's control; nil without one.
func (o Options) controlled(a, b *Run, m measure, questions []question) (*Controlled, error) {
	if len(o.Control) == 0 {
		return nil, nil
	}
	refuse := func(format string, args ...any) (*Controlled, error) {
		return nil, fmt.Errorf(setting.Control.String()+": "+format, args...)
	}
	if len(o.Control) != 2 {
		return refuse("%d runs: give two, as in A,B: the first of the first run's model, the second of the second's", len(o.Control))
	}
	if !m.tabled || m.weights != nil {
		return refuse("%s and %s must ask each question once, in a draw that is in proportion to the set", a.Path, b.Path)
	}
	var sides [2]map[key]float64
	var known []key // of the first, in order
	for i, path := range o.Control {
		run, err := results.OpenUnder(path, "")
		if err != nil {
			return refuse("%w", err)
		}
		side := []*Run{a, b}[i]
		if of(run.Header.Model) != of(side.Model) || run.Header.Dataset.SHA256 != side.Marked.Header.Dataset.SHA256 {
			return refuse("%s is of another model or another set than %s", path, side.Path)
		}
		if weights, _ := draw.Weights(&run.Header, run.View(0)); weights != nil {
			return refuse("%s asks a draw that is not in proportion to the set", path)
		}
		sides[i] = map[key]float64{}
		for part := range run.View(0).Questions() {
			if tally := part.Tally(); tally.Errors == 0 {
				at := keyOf(part.Items[0])
				if sides[i][at] = tally.Accuracy().Or(0); i == 0 {
					known = append(known, at)
				}
			}
		}
	}
	var all, c, d []float64
	for _, at := range known {
		if here, both := sides[1][at]; both {
			all = append(all, here-sides[0][at])
		}
	}
	for _, q := range questions {
		at := keyOf(q.a.Items[0])
		there, first := sides[0][at]
		here, second := sides[1][at]
		if !first || !second {
			return refuse("%s and %s have no answer to question %d: a control knows every question that is compared; finish them with %s",
				o.Control[0], o.Control[1], at.question, setting.Resume)
		}
		c = append(c, here-there)
		d = append(d, q.b.Tally().Accuracy().Or(0)-q.a.Tally().Accuracy().Or(0))
	}
	e := control.Of(d, c, all, o.Confidence)
	if !e.Value.Defined() {
		return refuse("these %d questions are too few, or the control is the same on all: it takes %s", len(d), control.Needs())
	}
	return &Controlled{o.Control[0], o.Control[1], len(all), e.Rho, e.Beta, e.Value, e.SE, e.CI, e.Worth}, nil
}

// of tells a model from others: by its file, or by its name at a server.
func of(m backends.ModelInfo) string { return cmp.Or(m.FileSHA256, m.Ref) }
