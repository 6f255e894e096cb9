package stats

import "math"

// Confusion counts the items of a yes/no task. As one question's, its items depend on each other.
type Confusion struct {
	TruePositive, FalsePositive, TrueNegative, FalseNegative int
}

// Plus adds two counts.
func (c Confusion) Plus(other Confusion) Confusion {
	return Confusion{
		TruePositive:  c.TruePositive + other.TruePositive,
		FalsePositive: c.FalsePositive + other.FalsePositive,
		TrueNegative:  c.TrueNegative + other.TrueNegative,
		FalseNegative: c.FalseNegative + other.FalseNegative,
	}
}

// Positives are the items whose gold answer is yes.
func (c Confusion) Positives() int { return c.TruePositive + c.FalseNegative }

// Negatives are the items whose gold answer is no.
func (c Confusion) Negatives() int { return c.TrueNegative + c.FalsePositive }

// Total is the number of items.
func (c Confusion) Total() int { return c.Positives() + c.Negatives() }

// TPR is the share of positives that were called positive (recall, sensitivity).
func (c Confusion) TPR() Number { return Ratio(c.TruePositive, c.Positives()) }

// TNR is the share of negatives that were called negative (specificity).
func (c Confusion) TNR() Number { return Ratio(c.TrueNegative, c.Negatives()) }

// F1 is 2·TP / (2·TP + FP + FN): undefined without any positive, gold or predicted.
func (c Confusion) F1() Number {
	return Ratio(2*c.TruePositive, 2*c.TruePositive+c.FalsePositive+c.FalseNegative)
}

// MCC is Matthews' correlation of gold and prediction, (TP·TN − FP·FN)/√(product of the four margins), undefined where
// a margin is empty (all items called the same). Source: Matthews 1975, BBA 405:442.
func (c Confusion) MCC() Number {
	return correlation(c.TruePositive, c.FalsePositive, c.FalseNegative, c.TrueNegative)
}

// totals are the counts as [OfTotals] takes them.
func (c Confusion) totals() []float64 {
	return []float64{float64(c.TruePositive), float64(c.FalsePositive), float64(c.TrueNegative), float64(c.FalseNegative)}
}

// Confusions are the counts of a subject's questions as a [Sample] has them.
func Confusions(questions []Confusion) [][]float64 {
	var totals [][]float64
	for _, q := range questions {
		if q.Total() > 0 {
			totals = append(totals, q.totals())
		}
	}
	return totals
}

// OfBalancedAccuracy is (TPR + TNR)/2 of a confusion's totals.
func OfBalancedAccuracy(x []float64) (float64, []float64) {
	tp, fp, tn, fn := x[0], x[1], x[2], x[3]
	positives, negatives := tp+fn, tn+fp
	return (tp/positives + tn/negatives) / 2, []float64{
		fn / (2 * positives * positives), -tn / (2 * negatives * negatives),
		fp / (2 * negatives * negatives), -tp / (2 * positives * positives),
	}
}

// OfF1 is [Confusion.F1] of totals.
func OfF1(x []float64) (float64, []float64) {
	tp, fp, fn := x[0], x[1], x[3]
	whole := 2*tp + fp + fn
	return 2 * tp / whole, []float64{2 * (fp + fn) / (whole * whole), -2 * tp / (whole * whole), 0, -2 * tp / (whole * whole)}
}

// OfMCC is [Confusion.MCC] of totals.
func OfMCC(x []float64) (float64, []float64) {
	tp, fp, tn, fn := x[0], x[1], x[2], x[3]
	root := math.Sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
	mcc := (tp*tn - fp*fn) / root
	margin := func(a, b float64) float64 { return mcc / 2 * (1/a + 1/b) }
	return mcc, []float64{
		tn/root - margin(tp+fp, tp+fn), -fn/root - margin(tp+fp, tn+fp),
		tp/root - margin(tn+fp, tn+fn), -fp/root - margin(tp+fn, tn+fn),
	}
}

// balancedChance is the balanced accuracy of any answer that does not look at the question.
const balancedChance = 0.5

// Balanced is a balanced accuracy and the one-sided p-value of "no better than 0.5".
type Balanced struct {
	Estimate
	P Number
}

// BalancedAccuracy is (TPR + TNR)/2 over clusters of items, one cluster a question. Its standard error takes the
// clusters as the independent units, through their influence on the two rates,
//
//	ψ_q = ½·((TP_q − TPR·P_q)/P̄ + (TN_q − TNR·N_q)/N̄),  SE² = Σψ²/(Q(Q−1))
//
// with P̄, N̄ the positives and negatives per question (the delta method for ratios; cf. Miller 2024 for the
// clusters), and the interval and p come from t with Q−1 degrees of freedom. Questions without items are left out.
// Where no question differs from the average (all right, all wrong, always the same answer) SE is 0 and says nothing: the
// interval is then made of Wilson's for the two rates at Q questions, and p is that of [StratifiedGuess].
// Undefined without positives or without negatives.
func BalancedAccuracy(questions []Confusion, confidence float64) Balanced {
	sum, count := Confusion{}, 0
	for _, q := range questions {
		sum = sum.Plus(q)
		if q.Total() > 0 {
			count++
		}
	}
	tpr, hasPositives := sum.TPR().Get()
	tnr, hasNegatives := sum.TNR().Get()
	if !hasPositives || !hasNegatives {
		return Balanced{}
	}
	value := (tpr + tnr) / 2
	perPositive := float64(sum.Positives()) / float64(count)
	perNegative := float64(sum.Negatives()) / float64(count)
	squares := 0.0
	for _, q := range questions {
		influence := ((float64(q.TruePositive)-tpr*float64(q.Positives()))/perPositive +
			(float64(q.TrueNegative)-tnr*float64(q.Negatives()))/perNegative) / 2
		squares += influence * influence
	}
	variance := squares / float64(count) / float64(count-1)
	result := Balanced{Estimate: fromVariance(value, variance, count, confidence, func() (Interval, test, string) {
		bounds := func(z float64) (low, high float64) {
			lowA, highA := wilsonBounds(tpr, float64(count), z)
			lowB, highB := wilsonBounds(tnr, float64(count), z)
			return value - math.Hypot(tpr-lowA, tnr-lowB)/2, value + math.Hypot(highA-tpr, highB-tnr)/2
		}
		low, high := bounds(normalQuantile(confidence))
		return between(low, high, 0, 1, confidence, "wilson by question"), boundsTest(bounds), "made of Wilson's"
	})}
	if se := result.SE.Or(0); se > 0 {
		result.P = studentTail((value-balancedChance)/se, float64(count-1))
	} else {
		result.P = StratifiedGuess(questions)
	}
	return result
}

// StratifiedGuess is the one-sided exact p-value of "within a question, which items are called positive has nothing to
// do with which are": given how many items of a question were called positive, each true positive is a hit with chance
// called/items. For one positive a question the hits are Poisson-binomial. Undefined where a question has several
// positives, and without questions.
func StratifiedGuess(questions []Confusion) Number {
	hits, chances := 0, []float64(nil)
	for _, q := range questions {
		switch q.Positives() {
		case 0:
			continue
		case 1:
			hits += q.TruePositive
			chances = append(chances, float64(q.TruePositive+q.FalsePositive)/float64(q.Total()))
		default:
			return Undefined
		}
	}
	return PoissonBinomialTail(hits, chances)
}

// correlation is φ of a table of counts, (both·neither − onlyA·onlyB)/√(product of the four margins), undefined where a
// margin is empty.
func correlation(both, onlyA, onlyB, neither int) Number {
	b, a, c, n := float64(both), float64(onlyA), float64(onlyB), float64(neither)
	return Of((b*n - a*c) / math.Sqrt((b+a)*(b+c)*(n+a)*(n+c)))
}
