package recount

import (
	"math"
)

// alike is what is said of yes/no questions none of which differs from the others: Wilson's for both rates, joined, and a p from how
// many options of each question were called true.
func (r *plainRun) alike(path string, scored []*plainItem) {
	questions := by(scored, questionOf)
	var chances []float64
	hits, sums := 0.0, make([]float64, 4)
	for i, question := range questions {
		// No answer to a wrong option is a call.
		calls := keep(question, func(it *plainItem) bool { return (it.Gold == "A") == (it.right == 1) })
		x := confusionsOf(scored)[i].x
		if x[1] > 0 {
			chances, hits = append(chances, float64(len(calls))/float64(len(question))), hits+x[0]
		}
		for i := range x {
			sums[i] += x[i]
		}
	}
	r.put(path+"p_value", poissonBinomial(int(hits), chances))
	if len(questions) < 2 {
		return
	}
	low, high := 0.0, 0.0
	for i := 0; i < 4; i += 2 {
		rate := sums[i] / sums[i+1]
		r.wilson("rate", rate, float64(len(questions)))
		low, high = low+math.Pow(rate-r.want["rate.low"], 2), high+math.Pow(r.want["rate.high"]-rate, 2)
	}
	for _, bound := range []string{"low", "high", "confidence"} {
		delete(r.want, "rate."+bound)
	}
	value := (sums[0]/sums[1] + sums[2]/sums[3]) / 2
	ci := path + "balanced_accuracy_ci"
	r.bounds(ci, max(0, value-math.Sqrt(low)/2), value+math.Sqrt(high)/2, 0)
}

// A confusion's totals are true positives, positives, true negatives, negatives.
func confusionsOf(scored []*plainItem) (units []unit) {
	for _, question := range by(scored, questionOf) {
		x := make([]float64, 4)
		for _, it := range question {
			kind := 0
			if it.Gold == "B" {
				kind = 2
			}
			x[kind], x[kind+1] = x[kind]+it.right, x[kind+1]+1
		}
		units = append(units, unit{question[0].Subject, x})
	}
	return units
}

func balancedOf(x []float64) float64 { return (x[0]/x[1] + x[2]/x[3]) / 2 }

func f1Of(x []float64) float64 { return 2 * x[0] / (x[0] + x[1] + x[3] - x[2]) }

func mccOf(x []float64) float64 {
	tp, fn, tn, fp := x[0], x[1]-x[0], x[2], x[3]-x[2]
	return (tp*tn - fp*fn) / math.Sqrt((tp+fp)*(tp+fn)*(tn+fp)*(tn+fn))
}

func (r *plainRun) binary(scored []*plainItem) {
	units := confusionsOf(scored)
	const b = "binary."
	r.linear(b+"balanced_accuracy", b+"balanced_accuracy_se", b+"balanced_accuracy_ci", units, balancedOf, 0, false, false)
	r.linear("headline.value", "", "headline.ci", units, balancedOf, 0, false, false)
	r.linear(b+"macro_balanced_accuracy", b+"macro_balanced_accuracy_se", b+"macro_balanced_accuracy_ci", units, balancedOf, 0, false, true)
	r.linear(b+"mcc", "", b+"mcc_ci", units, mccOf, -1, false, false)
	r.linear(b+"f1", "", b+"f1_ci", units, f1Of, 0, false, false)
	r.linear(b+"tpr", "", "", units, func(x []float64) float64 { return x[0] / x[1] }, 0, false, false)
	negatives := keep(scored, func(it *plainItem) bool { return it.Gold == "B" })
	r.linear(b+"tnr", "", b+"tnr_ci", ratios(negatives, rightOf, countOf), ratio, 0, false, false)
	if r.population != nil {
		r.linear("stratified.headline.value", "", "stratified.headline.ci", units, balancedOf, 0, true, false)
		r.likeThese(func() { r.linear(".like.value", "", ".like.ci", units, balancedOf, 0, true, false) })
		r.put("stratified.headline.baseline", 0.5)
	}
	positives := float64(len(keep(scored, func(it *plainItem) bool { return it.Gold == "A" })))
	n := float64(len(scored))
	r.wilson(b+"tpr_ci", r.want[b+"tpr"], positives)
	r.put(b+"f1_always_true", 2*positives/(positives+n))
	r.put(b+"majority_baseline", max(positives, n-positives)/n)
	called := func(it *plainItem) bool { return it.letter == "A" }
	r.put(b+"predicted_true_rate", float64(len(keep(scored, called)))/n)
	r.put(b+"coin_baseline", 0.5)
	r.put("headline.baseline", 0.5)
	r.put("chance_corrected", 2*r.want[b+"balanced_accuracy"]-1)
	var verdicts [4][]float64 // all right, gold only, none, several
	var chances []float64
	for _, question := range by(r.items, questionOf) {
		asked := question[0].Original
		if r.balance {
			asked = 2
		}
		if len(scoredOf(question)) < asked {
			continue
		}
		yes := keep(question, called)
		gold := total(yes, rightOf)
		all := total(question, rightOf) == float64(len(question))
		for i, holds := range []bool{all, len(yes) == 1 && gold == 1, len(yes) == 0, len(yes) > 1} {
			verdicts[i] = append(verdicts[i], map[bool]float64{true: 1}[holds])
		}
		chances = append(chances, math.Pow(2, -float64(len(question))))
	}
	r.put(b+"questions_complete", float64(len(chances)))
	r.put(b+"question_exact_chance", meanOf(chances))
	for i, name := range []string{"exact", "gold_only", "no_true", "several_true"} {
		r.put(b+"question_"+name, meanOf(verdicts[i]))
		r.wilson(b+"question_"+name+"_ci", meanOf(verdicts[i]), float64(len(chances)))
	}
}
