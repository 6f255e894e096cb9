package stats

// A Decision says how a model, B, does beside another, A, where a loss of a margin is put up with.
type Decision string

// The decisions about the mean difference, B less A. Better is a part of not worse.
const (
	Better    Decision = "better"    // it is above 0
	NotWorse  Decision = "not_worse" // it is above −margin: B may be a little worse, or better
	Worse     Decision = "worse"     // it is below −margin
	Undecided Decision = "undecided" // none of these is shown
)

// Decide is what the interval of a difference shows. Whatever the truth, a wrong decision of either side is as seldom as the interval
// lies wholly on that side of the truth.
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

// At is what a decision that was made at one margin says at another: as much as follows from it.
func (d Decision) At(made, margin float64) Decision {
	if d == NotWorse && margin < made || d == Worse && margin > made {
		return Undecided
	}
	return d
}

// Turned is what a decision says with the models named in the other order: of two models the one that is worse by more than a margin
// makes the other better. That one is better, or not worse by a margin, bounds the other's loss by nothing.
func (d Decision) Turned() Decision {
	if d == Worse {
		return Better
	}
	return Undecided
}

// NonInferior says whether a loss of the margin is ruled out.
func (d Decision) NonInferior() bool { return d == Better || d == NotWorse }
