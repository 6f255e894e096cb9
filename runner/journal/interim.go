package journal

import "fmt"

// An Interim is one interim analysis of a run that stops once its comparison with a reference run is decided. They are numbered from
// 1.
type Interim struct {
	Kind       string   `json:"kind"`      // KindInterim; the writer sets it
	Number     int      `json:"look"`      // from 1
	Questions  int      `json:"questions"` // questions asked up to here, one item each; failed ones included
	Errors     int      `json:"errors"`    // of the questions, failed and left out of the value
	RuleSet    string   `json:"rule_set"`  // that the items were marked by
	Value      *float64 `json:"value,omitempty"`
	Confidence float64  `json:"confidence"`
	Stop       Stop     `json:"stop"`

	// Decision is what the comparison with the reference run decided, if anything, and After how many questions in the run's order. The
	// capitals are those then against "worse by the margin or more", "worse by the margin or less" and "not better". Value is the mean
	// difference. Where all questions were asked and the capitals decided nothing, Value's interval from Low to High does.
	Decision string    `json:"decision,omitempty"`
	After    int       `json:"decided_after,omitempty"`
	Evidence *Evidence `json:"e_values,omitempty"`
	Low      *float64  `json:"low,omitempty"`
	High     *float64  `json:"high,omitempty"`
}

// Evidence are e-values: under its hypothesis, each exceeds 1/a with a chance of a at most.
type Evidence struct {
	NotWorse float64 `json:"not_worse"`
	Worse    float64 `json:"worse"`
	Better   float64 `json:"better"`
}

// Stop says why an interim analysis ended the run; empty where it did not.
type Stop string

const (
	StopExhausted Stop = "asked"   // no questions were left
	StopDecided   Stop = "decided" // the comparison was decided
)

// check refuses an invalid interim analysis. Its errors name the field, not the file.
func (i *Interim) check() error {
	switch {
	case i.Kind != KindInterim:
		return fmt.Errorf("kind is %q, not %q", i.Kind, KindInterim)
	case i.Number < 1:
		return fmt.Errorf("look is %d, not 1 or more", i.Number)
	case i.Errors < 0 || i.Questions < i.Errors:
		return fmt.Errorf("look %d: %d questions and %d errors can't be", i.Number, i.Questions, i.Errors)
	case i.Stop != "" && i.Stop != StopExhausted && i.Stop != StopDecided:
		return fmt.Errorf("stop is %s, not asked, decided or empty: written by a newer proctor?", i.Stop)
	}
	return nil
}
