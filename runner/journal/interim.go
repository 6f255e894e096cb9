package journal

import "fmt"

// An Interim is one interim analysis: what was known of a run that goes on until it is decided how it does beside another one. They
// are numbered from 1.
type Interim struct {
	Kind       string   `json:"kind"`      // KindInterim; the writer sets it
	Number     int      `json:"look"`      // from 1
	Questions  int      `json:"questions"` // asked up to here, each with one item; failed ones included
	Errors     int      `json:"errors"`    // of the questions, failed and left out of the value
	RuleSet    string   `json:"rule_set"`  // that the items were marked by
	Value      *float64 `json:"value,omitempty"`
	Confidence float64  `json:"confidence"`
	Stop       Stop     `json:"stop"`

	// Of a run that is held against another one: what was decided, if anything, after how many questions in the run's order, and
	// the capitals against "worse by the margin or more", "worse by the margin or less" and "not better" then. Value is the mean
	// difference. Where all questions were asked and the capitals decided nothing, the interval of Value does, from Low to High.
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

// Stop says why an interim analysis ended the asking; empty where it did not.
type Stop string

const (
	StopExhausted Stop = "asked"   // there was nothing left to ask
	StopDecided   Stop = "decided" // it was decided how the run does beside another one
)

// check refuses an interim analysis that makes no sense. Its errors name the field, not the file.
func (i *Interim) check() error {
	switch {
	case i.Kind != KindInterim:
		return fmt.Errorf("kind is %q, not %q", i.Kind, KindInterim)
	case i.Number < 1:
		return fmt.Errorf("look is %d, not 1 or more", i.Number)
	case i.Questions < 0 || i.Errors < 0: // in older versions' looks, errors are of items, of which a question may have had several
		return fmt.Errorf("look %d: %d questions and %d errors can't be", i.Number, i.Questions, i.Errors)
	case i.Stop != "" && i.Stop != StopExhausted && i.Stop != StopDecided && i.Stop != "narrow": // which older versions wrote
		return fmt.Errorf("stop is %s, not asked, decided or empty: written by a newer proctor?", i.Stop)
	}
	return nil
}
