package stats

import (
	"math"
	"math/rand/v2"
)

// A PairedTest decides, one question after the other, how a model does beside another on a finite set of questions: whether it is
// worse, or not by a margin or more. One may look after every question and stop at any time: whatever the truth, the chance that
// it ever decides wrongly is at most alpha.
//
// It is a game against each hypothesis (Waudby-Smith and Ramdas, arXiv 2010.09686, §5 on sampling without replacement): of the
// difference d of a question, −1, 0 or 1, the hypothesis says that its mean is at most m over the whole set, so at most
// (N·m − Σ d)/(N − n) over the questions that are left after n; a capital that begins at 1 gains λ·(d − that) of itself. Under the
// hypothesis it is a supermartingale, which reaches 1/alpha with a chance of alpha at most (Ville). Several λ play at once, since
// how large the difference is, is not known; their capitals' mean is the capital.
type PairedTest struct {
	notWorse, worse, better wager
	alpha                   float64
}

// NewPairedTest is a test on so many questions. margin is a share.
func NewPairedTest(questions int, margin, alpha float64) *PairedTest {
	return &PairedTest{
		notWorse: newWager(questions, -margin, +1), worse: newWager(questions, 0, -1), better: newWager(questions, 0, +1), alpha: alpha,
	}
}

// A PairedVerdict is what a [PairedTest] decided; empty where it is open.
type PairedVerdict string

const (
	ShownNotWorse PairedVerdict = "not_worse" // the mean difference over the set is above −margin
	ShownWorse    PairedVerdict = "worse"     // it is below 0
	ShownBetter   PairedVerdict = "better"    // it is above 0, and so not below −margin
)

// Add takes the next question's difference, −1, 0 or 1, and returns what is decided by now.
func (t *PairedTest) Add(difference int) PairedVerdict { return t.AddBetween(difference, difference) }

// AddBetween takes a question that failed, whose difference is known to lie from least to most: for each decision it counts as what
// speaks against it, so that no decision rests on what failed.
func (t *PairedTest) AddBetween(least, most int) PairedVerdict {
	t.notWorse.add(float64(least))
	t.better.add(float64(least))
	t.worse.add(float64(most))
	return t.Verdict()
}

// Verdict is what is decided. Only models that are equally good can be called worse and better wrongly, which shares alpha out
// among the two; better is a part of not worse, and so needs no share of its own there.
func (t *PairedTest) Verdict() PairedVerdict {
	return VerdictOf(t.notWorse.capital(), t.worse.capital(), t.better.capital(), t.alpha)
}

// VerdictOf is what e-values such as [PairedTest.Evidence] decide.
func VerdictOf(notWorse, worse, better, alpha float64) PairedVerdict {
	switch shown := notWorse >= 1/alpha; {
	case shown && better >= 2/alpha:
		return ShownBetter
	case shown:
		return ShownNotWorse
	case worse >= 2/alpha:
		return ShownWorse
	}
	return ""
}

// KnownVerdict is what is decided where the mean difference over the whole set is known, since every question was answered.
func KnownVerdict(mean, margin float64) PairedVerdict {
	switch {
	case mean > 0:
		return ShownBetter
	case mean > -margin:
		return ShownNotWorse
	case mean < 0:
		return ShownWorse
	}
	return ""
}

// Evidence are the capitals against "worse by the margin or more", "not worse" and "not better": e-values.
func (t *PairedTest) Evidence() (notWorse, worse, better float64) {
	return t.notWorse.capital(), t.worse.capital(), t.better.capital()
}

// stakes are the shares of what can be lost at most that are staked: for questions on which few answers differ or many do.
var stakes = [...]float64{0.01, 0.02, 0.04, 0.08, 0.12, 0.18, 0.27, 0.4, 0.6, 0.9}

// most bounds a capital that goes on growing.
const most = 1e100

// A wager is against "the mean of sign·d over the whole set is at most null".
type wager struct {
	questions, seen int
	null, sign, sum float64
	capitals        [len(stakes)]float64
}

// newWager is against "the mean is at most mean" with sign +1, "at least mean" with −1.
func newWager(questions int, mean, sign float64) wager {
	w := wager{questions: questions, null: sign * mean, sign: sign}
	for i := range w.capitals {
		w.capitals[i] = 1
	}
	return w
}

func (w *wager) add(difference float64) {
	x := w.sign * difference
	left := (float64(w.questions)*w.null - w.sum) / float64(w.questions-w.seen) // the largest mean of the questions left
	w.seen, w.sum = w.seen+1, w.sum+x
	if left+1 > 1e-9 {
		unit := (x - left) / (left + 1)
		for i, stake := range stakes {
			w.capitals[i] = min(most, w.capitals[i]*(1+stake*unit))
		}
	}
	// What is left cannot bring the mean down to the hypothesis' any more.
	if w.sum-float64(w.questions-w.seen) > float64(w.questions)*w.null+1e-9 {
		for i := range w.capitals {
			w.capitals[i] = most
		}
	}
}

func (w *wager) capital() float64 {
	sum := 0.0
	for _, c := range w.capitals {
		sum += c
	}
	return sum / float64(len(stakes))
}

// QuestionsUntilDecided is how many of a set's questions a [PairedTest] takes on average, where the models answer discordance of
// them (a share) differently and one is better by difference (a share, at most discordance): the mean of so many made-up runs.
// decided is the share of them that ended with a verdict before the last question. Undefined where no set is so.
func QuestionsUntilDecided(questions int, difference, discordance, margin, alpha float64, runs int) (mean, decided Number) {
	if questions < 1 || runs < 1 || !(discordance >= math.Abs(difference)) || discordance > 1 {
		return Undefined, Undefined
	}
	source := rand.New(rand.NewPCG(1, 1))
	differences := make([]int, questions)
	up := int(math.Round(float64(questions) * (discordance + difference) / 2))
	down := int(math.Round(float64(questions) * (discordance - difference) / 2))
	for i := range min(questions, up+down) {
		differences[i] = 1
		if i >= up {
			differences[i] = -1
		}
	}
	asked, early := 0, 0
	for range runs {
		source.Shuffle(questions, func(i, j int) { differences[i], differences[j] = differences[j], differences[i] })
		test := NewPairedTest(questions, margin, alpha)
		for i, d := range differences {
			asked++
			if test.Add(d) != "" {
				if i < questions-1 {
					early++
				}
				break
			}
		}
	}
	return Ratio(asked, runs), Ratio(early, runs)
}
