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

// Controlled is a pair's difference with a control: what two other runs of the same models, such as direct ones, or a score, say of more
// questions than the pair has. The verdict rests on the difference alone.
type Controlled struct {
	RunA  string `json:"run_a"` // the control's; of a score the one that it is against
	RunB  string `json:"run_b,omitempty"`
	Score string `json:"score,omitempty"` // the file
	Of    int    `json:"questions"`       // that the control knows
	control.Estimate
}

// A covariate is what a control says of each question that it knows.
type covariate struct {
	of  map[key]float64
	all []float64 // in order
}

func (c *covariate) add(at key, value float64) {
	c.of[at], c.all = value, append(c.all, value)
}

// controlled estimates the difference with o's control; nil without one.
func (o Options) controlled(a, b *Run, m measure, questions []question) (*Controlled, error) {
	refuse := func(err error) (*Controlled, error) { return nil, fmt.Errorf("%s: %w", setting.Control, err) }
	x, from := Controlled{}, o.ofRuns
	var who string
	switch {
	case o.ControlScore != nil:
		from, x.Score, x.RunA = o.ControlScore.covariate, o.ControlScore.path, o.ControlScore.Against
		who = x.Score + " has"
	case len(o.Control) == 2:
		x.RunA, x.RunB = o.Control[0], o.Control[1]
		who = x.RunA + " and " + x.RunB + " have"
	case len(o.Control) == 0:
		return nil, nil
	default:
		return refuse(fmt.Errorf("%d runs: give two, as in A,B: the first of the first run's model, the second of the second's; or a file that "+
			"score -o FILE.json wrote", len(o.Control)))
	}
	if !m.tabled || m.weights != nil {
		return refuse(fmt.Errorf("%s and %s must ask each question once, in a draw that is in proportion to the set", a.Path, b.Path))
	}
	known, err := from(a, b)
	if err != nil {
		return refuse(err)
	}
	var c, d []float64
	for _, q := range questions {
		at := keyOf(q.a.Items[0])
		value, told := known.of[at]
		if !told {
			return refuse(fmt.Errorf("%s no answer to question %d: a control knows every question that is compared; finish it with %s",
				who, at.question, setting.Resume))
		}
		c = append(c, value)
		d = append(d, q.b.Tally().Accuracy().Or(0)-q.a.Tally().Accuracy().Or(0))
	}
	x.Of, x.Estimate = len(known.all), control.Of(d, c, known.all, o.Confidence)
	if !x.Difference.Defined() {
		return refuse(fmt.Errorf("these %d questions are too few, or the control is the same on all: it takes %s", len(d), control.Needs))
	}
	return &x, nil
}

// ofRuns is the difference of o's two runs.
func (o Options) ofRuns(a, b *Run) (covariate, error) {
	var sides [2]covariate
	c := covariate{of: map[key]float64{}}
	var known []key // of the first, in order
	for i, path := range o.Control {
		run, err := wholeRun(path, []*Run{a, b}[i])
		if err != nil {
			return c, err
		}
		sides[i].of = map[key]float64{}
		for part := range run.View(0).Questions() {
			if tally := part.Tally(); tally.Errors == 0 {
				at := keyOf(part.Items[0])
				if sides[i].add(at, tally.Accuracy().Or(0)); i == 0 {
					known = append(known, at)
				}
			}
		}
	}
	for _, at := range known {
		if here, both := sides[1].of[at]; both {
			c.add(at, here-sides[0].of[at])
		}
	}
	return c, nil
}

// covariate is the divergence of each question's completion: as a loss where the reference has it right, and else as a gain.
func (s *Score) covariate(a, b *Run) (covariate, error) {
	c := covariate{of: map[key]float64{}}
	if a.Model.FileSHA256 == "" || a.Model.FileSHA256 != s.Reference.FileSHA256 {
		return c, fmt.Errorf("%s has divergences from %s, which is not the file that %s was run with", s.path, s.Reference.Ref, a.Path)
	}
	run, err := wholeRun(s.Against, a)
	if err != nil {
		return c, err
	}
	for i := range s.Models {
		if s.Models[i].Info.FileSHA256 != b.Model.FileSHA256 {
			continue
		}
		divergence := map[string]stats.Number{}
		for _, item := range s.Models[i].ByItem {
			divergence[item.ID] = item.MeanKLD
		}
		for answer := range run.View(0).Scored() {
			if kld, told := divergence[answer.ID].Get(); told && answer.Correct {
				c.add(keyOf(answer.Item), -kld)
			} else if told {
				c.add(keyOf(answer.Item), kld)
			}
		}
		return c, nil
	}
	return c, fmt.Errorf("%s has no divergence of the file that %s was run with", s.path, b.Path)
}

// wholeRun opens a control's run, which asks the set as a run that is compared does.
func wholeRun(path string, compared *Run) (*results.Run, error) {
	run, err := results.OpenUnder(path, "")
	if err != nil {
		return nil, err
	}
	if of(run.Header.Model) != of(compared.Model) || run.Header.Dataset.SHA256 != compared.Marked.Header.Dataset.SHA256 {
		return nil, fmt.Errorf("%s is of another model or another set than %s", path, compared.Path)
	}
	if weights, _ := draw.Weights(&run.Header, run.View(0)); weights != nil {
		return nil, fmt.Errorf("%s asks a draw that is not in proportion to the set", path)
	}
	return run, nil
}

// of tells a model from others: by its file, or by its name at a server.
func of(m backends.ModelInfo) string { return cmp.Or(m.FileSHA256, m.Ref) }
