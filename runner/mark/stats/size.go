package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// DefaultPower is the default chance of finding a difference.
const DefaultPower = 0.80

// MostQuestions is more than any set has; no advice names as many.
const MostQuestions = 1_000_000

// QuestionsToDetect is the number of questions, asked of both models, that find a difference in accuracy of difference (a share) with
// the given power when discordance (a share) of the verdicts differ: ((z_{1−α/2} + z_power)/difference)²·discordance, rounded up. It
// is the inverse of [Pairs.SmallestDetectable]. With 95 % and 80 % that is 7.85·discordance/difference². A loss of difference is ruled
// out about as often where the models are equally good: 76 % of the time with 785 questions, 80 % with some thousands. ok is false
// where no number is enough: a difference of 0, or a discordance outside (0, 1].
func QuestionsToDetect(difference, discordance, confidence, power float64) (questions int, ok bool) {
	if difference == 0 || !(discordance > 0 && discordance <= 1) {
		return 0, false
	}
	z := reach(confidence, power) / difference
	n := math.Ceil(z * z * discordance)
	if math.IsNaN(n) || n > math.MaxInt32 {
		return 0, false
	}
	return int(n), true
}

// widest is a number of right answers above which a share's test is the score test (see [share.bounds]).
const widest = 60

// proportionToShow is the fewest independent questions with which a [share]'s test shows that it is above null with the given power, exactly
// from the binomial distribution; from the normal one if there are enough questions for the chance to be smooth.
func proportionToShow(share, null, confidence, power float64) float64 {
	tail := missed * (1 - confidence) / 2
	z := normalQuantile(confidence)
	root := (z*math.Sqrt(null*(1-null)) + distuv.UnitNormal.Quantile(power)*math.Sqrt(share*(1-share))) / (share - null)
	around := root * root
	if !(around < 1e6) {
		return math.Ceil(around)
	}
	for n := int(max(1, around/2, around-20*math.Sqrt(around))); ; n++ { // steps of the exact power are narrower than that
		x := float64(n)
		right := int(math.Floor(x*null+z*math.Sqrt(x*null*(1-null)))) + 1
		for right <= min(n, widest) && BinomialTail(right, n, null).value >= tail {
			right++
		}
		if right <= n && BinomialTail(right, n, share).Or(0) >= power {
			return x
		}
	}
}

// QuestionsForHalfWidth is the fewest questions whose Wilson interval around an accuracy of expected is no wider than
// ±halfWidth. expected = 0.5 is the worst case. ok is false for a half width that is not in (0, 0.5).
func QuestionsForHalfWidth(halfWidth, expected, confidence float64) (questions int, ok bool) {
	if !(halfWidth > 0 && halfWidth < 0.5) || !(expected >= 0 && expected <= 1) {
		return 0, false
	}
	questions = sort.Search(math.MaxInt32, func(n int) bool {
		reached, defined := ExpectedHalfWidth(float64(n), expected, confidence).Get()
		return defined && reached <= halfWidth
	})
	return questions, questions < math.MaxInt32
}

// ExpectedHalfWidth is the half width of the Wilson interval around an accuracy of expected with this many questions, which need not
// be whole. Undefined without questions, and for an accuracy that is not a share.
func ExpectedHalfWidth(questions, expected, confidence float64) Number {
	if !(questions > 0) || !(expected >= 0 && expected <= 1) {
		return Undefined
	}
	return share{expected, questions}.interval(confidence, "wilson").HalfWidth()
}

// Detectable is the smallest effect that an estimate with standard error se finds with the given power:
// (z_{1−α/2} + z_power)·se. Undefined for an se that is not above 0.
func Detectable(se, confidence, power float64) Number {
	if !(se > 0) {
		return Undefined
	}
	return Of(reach(confidence, power) * se)
}

// reach is the true effect, in standard errors, that is found with the given power.
func reach(confidence, power float64) float64 {
	return normalQuantile(confidence) + distuv.UnitNormal.Quantile(power)
}
