package stats

import (
	"math"
	"math/rand/v2"
	"sort"
)

// A Range is what is known of a question's score: it lies from Least to Most, which differ where items of the question failed.
type Range struct{ Least, Most float64 }

// sequential is the method of [MeanSequence].
const sequential = "betting sequence"

// MeanSequence is an interval for the mean score of a finite set of size questions, given the scores, from 0 to most, of those that
// were asked by now, in an order drawn by chance. One may look at it after every question, and stop whenever one likes: whatever
// the scores are, the chance that it ever misses the mean is at most 1 − confidence. Scores that are known to a range alone may be
// anything in it.
//
// Each mean that the set could have is a hypothesis to bet against, upwards and downwards (Waudby-Smith and Ramdas, arXiv
// 2010.09686, §5 on sampling without replacement): a capital that begins at 1 gains stake·(x − what the hypothesis leaves for the
// questions not asked yet). Under the hypothesis it is a supermartingale, which ever reaches 2/(1 − confidence) with half of
// 1 − confidence for a chance at most (Ville). The interval are the means that neither capital has reached that against. The stakes
// follow the scores' variance so far, and suit an interval of ± aim, where they make it narrow soonest.
//
// Undefined without scores, or where there are more of them than questions.
func MeanSequence(scores []Range, size int, most, aim, confidence float64) Interval {
	if len(scores) == 0 || len(scores) > size || !(most > 0) || !(aim > 0) {
		return Interval{}
	}
	least, mirrored := make([]float64, len(scores)), make([]float64, len(scores))
	for i, s := range scores {
		least[i], mirrored[i] = s.Least/most, 1-s.Most/most
	}
	low := most * lowestMean(least, size, aim/most, confidence)
	high := most * (1 - lowestMean(mirrored, size, aim/most, confidence))
	return between(min(low, high), max(low, high), 0, most, confidence, sequential)
}

// lowestMean is the largest mean in [0, 1] that is refuted upwards; the capital falls with the mean.
func lowestMean(scores []float64, size int, aim, confidence float64) float64 {
	refuted := func(mean float64) bool {
		w := upward{size: float64(size), mean: mean, aim: aim}
		for _, x := range scores {
			if w.add(x); w.log >= math.Log(2/(1-confidence)) {
				return true
			}
		}
		return false
	}
	return bisect(0, 1, 30, refuted)
}

// bold is the largest share of the capital that a single score can take.
const bold = 0.75

// upward is a bet that the mean of a set's scores in [0, 1] is above mean.
type upward struct {
	size, mean, aim    float64
	seen, sum, squares float64
	log                float64 // of the capital
}

func (w *upward) add(x float64) {
	left := max(0, w.size*w.mean-w.sum) / (w.size - w.seen) // the mean of the questions not asked yet, by the hypothesis
	center, variance := (0.5+w.sum)/(w.seen+1), (0.25+w.squares)/(w.seen+1)
	stake := w.aim / variance * w.size / (w.size - w.seen)
	if left > 0 {
		w.log += math.Log1p(min(stake, bold/left) * (x - left))
	}
	w.squares += (x - center) * (x - center)
	w.seen, w.sum = w.seen+1, w.sum+x
	if w.sum > w.size*w.mean+1e-6 {
		w.log = math.Inf(1) // the questions left cannot bring the mean down to the hypothesis' any more
	}
}

// QuestionsUntilNarrow is how many of a set's questions a run asks on average until its [MeanSequence] is no wider than ± halfWidth,
// where it sees to that after the numbers of questions in ends, which grow up to the whole set, and expected is the share of right
// answers: the mean of so many made-up runs. Undefined where no set is so.
func QuestionsUntilNarrow(ends []int, halfWidth, expected, confidence float64, runs int) Number {
	if len(ends) == 0 || runs < 1 || !(halfWidth > 0) || !(expected >= 0 && expected <= 1) || !(confidence > 0 && confidence < 1) {
		return Undefined
	}
	size, asked := ends[len(ends)-1], 0
	scores, source := make([]Range, size), rand.New(rand.NewPCG(1, 1))
	for i := range int(math.Round(expected * float64(size))) {
		scores[i] = Range{1, 1}
	}
	for range runs {
		source.Shuffle(size, func(i, j int) { scores[i], scores[j] = scores[j], scores[i] })
		stop := sort.Search(len(ends)-1, func(i int) bool {
			width, known := MeanSequence(scores[:ends[i]], size, 1, halfWidth, confidence).HalfWidth().Get()
			return known && width <= halfWidth
		})
		asked += ends[stop]
	}
	return Ratio(asked, runs)
}
