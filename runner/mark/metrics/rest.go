package metrics

import (
	"fmt"

	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
)

// A Rest is the run's score without some questions, such as those with a wrong key.
type Rest struct {
	LeftOut       []string `json:"left_out"` // ids of questions
	results.Tally          // of the others
	Headline      Headline `json:"headline"`

	Marked *results.Run `json:"-"` // the run without these questions
}

// RestOf makes the score without the questions that the options leave out; nil where they leave out none.
func RestOf(run *results.Run, o Options) (*Rest, error) {
	if len(o.Without) == 0 {
		return nil, nil
	}
	rest, err := run.Without(o.Without)
	if err != nil {
		return nil, err
	}
	s, err := Of(rest, o)
	if err != nil {
		return nil, err
	}
	all := run.View(0).Tally().Questions
	s.Headline.Covers = fmt.Sprintf("%s of %s", format.Count(s.Questions), format.Several(all, "question"))
	return &Rest{o.Without, s.Tally, s.Headline, rest}, nil
}

// Name names the score for people: without 1 question.
func (r *Rest) Name() string { return "without " + format.Several(len(r.LeftOut), "question") }
