package betting

// A Test decides how a model does beside another while their questions are answered.
type Test struct {
	notWorse, worse, better wager
	alpha                   float64
}

// New is a test on a set with so many questions of each subject. order has the subjects, as indices into sizes, of the
// questions that are asked, in their order. margin is a share.
func New(sizes, order []int, margin, alpha float64) *Test {
	questions, blocks := blocksOf(sizes, order)
	against := func(mean, sign float64) wager {
		w := wager{questions: float64(questions), null: sign * mean, sign: sign, blocks: blocks, subjects: order}
		for i := range w.capitals {
			w.capitals[i], w.gains[i] = 1, 1
		}
		return w
	}
	return &Test{notWorse: against(-margin, +1), worse: against(0, -1), better: against(0, +1), alpha: alpha}
}

// A Verdict is what a [Test] decided; empty where it is open.
type Verdict string

const (
	NotWorse Verdict = "not_worse" // the mean difference over the set is above −margin
	Worse    Verdict = "worse"     // it is below 0
	Better   Verdict = "better"    // it is above 0, and so not below −margin
)

// Add takes the next question's difference, −1, 0 or 1, and returns what is decided by now.
func (t *Test) Add(difference int) Verdict { return t.AddBetween(difference, difference) }

// AddBetween takes a question that failed, whose difference is known to lie from least to most: for each decision it counts as
// what speaks against it, so that no decision rests on what failed.
func (t *Test) AddBetween(least, most int) Verdict {
	t.notWorse.add(float64(least))
	t.better.add(float64(least))
	t.worse.add(float64(most))
	return t.Verdict()
}

// Verdict is what is decided. Only models that are equally good can be called worse and better wrongly, which shares alpha out
// among the two; better is a part of not worse, and so needs no share of its own there.
func (t *Test) Verdict() Verdict {
	notWorse, worse, better := t.Evidence()
	switch shown := notWorse >= 1/t.alpha; {
	case shown && better >= 2/t.alpha:
		return Better
	case shown:
		return NotWorse
	case worse >= 2/t.alpha:
		return Worse
	}
	return ""
}

// Evidence are the capitals against "worse by the margin or more", "not worse" and "not better": e-values.
func (t *Test) Evidence() (notWorse, worse, better float64) {
	return t.notWorse.capital(), t.worse.capital(), t.better.capital()
}
