package stats

// A Decision is the result of comparing a model B with a model A, where a loss up to a margin is tolerated.
type Decision string

// The decisions about the mean difference, B less A. Better is a part of not worse.
const (
	Better    Decision = "better"    // it is above 0
	NotWorse  Decision = "not_worse" // it is above −margin: B may be a little worse, or better
	Worse     Decision = "worse"     // it is below −margin
	Undecided Decision = "undecided" // none of these is shown
)

// Decide returns the decision that the interval of a difference shows. Whatever the truth, a wrong decision in either direction is as rare as
// an interval wholly on that side of the truth.
func Decide(difference Interval, margin float64) Decision {
	switch {
	case difference.IsZero():
		return Undecided
	case difference.Low > 0:
		return Better
	case difference.Low > -margin:
		return NotWorse
	case difference.High < -margin:
		return Worse
	}
	return Undecided
}

// At returns the decision at another margin that follows from a decision made at one margin.
func (d Decision) At(made, margin float64) Decision {
	if d == NotWorse && margin < made || d == Worse && margin > made {
		return Undecided
	}
	return d
}

// Turned is the decision with the models swapped: if one is worse by more than a margin, the other is better. That one is better, or
// not worse by a margin, gives no bound for the other's loss.
func (d Decision) Turned() Decision {
	if d == Worse {
		return Better
	}
	return Undecided
}

// NonInferior says whether a loss of the margin is ruled out.
func (d Decision) NonInferior() bool { return d == Better || d == NotWorse }
