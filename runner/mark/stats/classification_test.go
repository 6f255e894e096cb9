package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gotest.tools/v3/assert"
)

func TestRatesOfAConfusionByHand(t *testing.T) {
	c := Confusion{TruePositive: 6, FalsePositive: 2, TrueNegative: 30, FalseNegative: 4}
	near(t, "TPR", value(t, "TPR", c.TPR()), 0.6, 1e-15)
	near(t, "TNR", value(t, "TNR", c.TNR()), 0.9375, 1e-15)
	near(t, "F1", value(t, "F1", c.F1()), 12.0/18, 1e-15)

	// MCC is Pearson's correlation of the two indicators.
	gold := slices.Concat(subject(8, 6), subject(34, 4)) // of those called true, and of those called false
	called := subject(42, 8)
	near(t, "MCC", value(t, "MCC", c.MCC()), stat.Correlation(gold, called, nil), 1e-14)
}

func TestRatesThatDoNotExistAreUndefined(t *testing.T) {
	never := Confusion{TrueNegative: 9, FalseNegative: 1} // always False
	assert.Check(t, !never.MCC().Defined(), "MCC of one answer only is defined")
	near(t, "F1 without hits", value(t, "F1", never.F1()), 0, 0)
	onlyFalse, onlyTrue := Confusion{TrueNegative: 3}, Confusion{TruePositive: 3}
	assert.Check(t, !onlyFalse.TPR().Defined() && !onlyTrue.TNR().Defined() && !onlyFalse.F1().Defined(), "a rate over nothing is defined")
	assert.Check(t, !BalancedAccuracy([]Confusion{{TrueNegative: 3}}, 0.95).Value.Defined() && !StratifiedGuess(nil).Defined(),
		"balanced accuracy without positives is defined")
}

func TestBalancedErrorForEqualQuestionsIsThatOfTheirMean(t *testing.T) {
	// With the same positives and negatives in each question the ratios are means, so SE = s/√Q of (tp + tn/9)/2.
	random := rand.New(rand.NewPCG(10, 10))
	questions, scores := make([]Confusion, 60), make([]float64, 60)
	for i := range questions {
		tp, tn := random.IntN(2), random.IntN(10)
		questions[i] = Confusion{TruePositive: tp, FalseNegative: 1 - tp, TrueNegative: tn, FalsePositive: 9 - tn}
		scores[i] = (float64(tp) + float64(tn)/9) / 2
	}
	mean, variance := moments(scores)
	got := BalancedAccuracy(questions, 0.95)
	near(t, "value", value(t, "value", got.Value), mean, 1e-14)
	near(t, "standard error", value(t, "SE", got.SE), math.Sqrt(variance/60), 1e-14)
}

func TestBalancedErrorForUnequalQuestionsIsNearTheJackknife(t *testing.T) {
	questions := yesNos(rand.New(rand.NewPCG(11, 11)), 300)
	whole := BalancedAccuracy(questions, 0.95)
	sum := Confusion{}
	for _, q := range questions {
		sum = Sum([]Confusion{sum, q})
	}
	left := make([]float64, len(questions))
	for i, q := range questions {
		tp, fn := float64(sum.TruePositive-q.TruePositive), float64(sum.FalseNegative-q.FalseNegative)
		tn, fp := float64(sum.TrueNegative-q.TrueNegative), float64(sum.FalsePositive-q.FalsePositive)
		left[i] = (tp/(tp+fn) + tn/(tn+fp)) / 2
	}
	_, variance := moments(left)
	q := float64(len(questions))
	jackknife := math.Sqrt(variance) * (q - 1) / math.Sqrt(q)
	near(t, "standard error", value(t, "SE", whole.SE), jackknife, 0.01*jackknife)
}

// Where all questions came out alike the interval is made of the rates' at the number of questions.
func TestTheIntervalOfABinaryRunWhoseQuestionsAreAlike(t *testing.T) {
	low := Proportion(4, 4, 0.95).Interval.Low
	perfect := BalancedAccuracy(slices.Repeat([]Confusion{{TruePositive: 1, TrueNegative: 3}}, 4), 0.95)
	near(t, "low of all right", perfect.Interval.Low, 1-math.Sqrt2*(1-low)/2, 1e-12)
	never := BalancedAccuracy(slices.Repeat([]Confusion{{FalseNegative: 1, TrueNegative: 3}}, 4), 0.95)
	near(t, "low of always False", never.Interval.Low, 0.5-(1-low)/2, 1e-12)
	near(t, "high of always False", never.Interval.High, 0.5+(1-low)/2, 1e-12)
	assert.Check(t, never.Interval.Method == "square-and-add of TPR and TNR" && len(never.Warnings) == 1, "%+v", never)
}

// A rate's size is p̂(1−p̂)/variance·(z/t)²; the rates' distances from their bounds are joined with their correlation.
func TestABalancedIntervalIsMadeOfTheRates(t *testing.T) {
	questions := yesNos(rand.New(rand.NewPCG(36, 71)), 40)
	samples := []Sample{Confusions(questions)}
	tpr, tnr := OfTotals(samples, ofTPR, 0, 1, 0.95), OfTotals(samples, ofTNR, 0, 1, 0.95)
	covariance, positives, negatives := 0.0, 0.0, 0.0
	for _, q := range questions {
		positives, negatives = positives+float64(q.Positives()), negatives+float64(q.Negatives())
	}
	for _, q := range questions {
		covariance += (float64(q.TruePositive) - tpr.Value.value*float64(q.Positives())) *
			(float64(q.TrueNegative) - tnr.Value.value*float64(q.Negatives())) / positives / negatives * 40 / 39
	}
	got := BalancedAccuracy(questions, 0.95)
	a, b := tpr.Value.value-tpr.Interval.Low, tnr.Value.value-tnr.Interval.Low
	r := covariance / tpr.SE.value / tnr.SE.value
	near(t, "low", got.Interval.Low, got.Value.value-math.Sqrt(a*a+b*b+2*r*a*b)/2, 1e-9)
}

func TestAPerfectBinaryRunIsBetterThanGuessing(t *testing.T) {
	questions := []Confusion{{TruePositive: 1, TrueNegative: 3}, {TruePositive: 1, TrueNegative: 9}, {TruePositive: 1, TrueNegative: 4}}
	got := BalancedAccuracy(questions, 0.95)
	near(t, "balanced accuracy", value(t, "value", got.Value), 1, 0)
	near(t, "p: each hit by chance", value(t, "p", StratifiedGuess(questions)), 1.0/4/10/5, 1e-15)
	assert.Check(t, got.Interval.High == 1 && got.Interval.Low < 1, "interval %+v", got.Interval)
	alone := BalancedAccuracy(questions[:1], 0.95)
	assert.Check(t, !alone.SE.Defined() && alone.Interval.IsZero(), "one question: %+v", alone)
	assert.Check(t, !StratifiedGuess([]Confusion{{TruePositive: 2}}).Defined(), "two positives in a question are not a Bernoulli trial")
}
