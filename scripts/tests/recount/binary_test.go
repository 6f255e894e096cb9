package recount

import (
	"math"
	"strings"
)

// called is log10 of the chance that this many right options are called true, given how many options of each question were.
func called(scored []*plainItem) float64 {
	var chances []float64
	hits := 0.0
	for i, question := range by(scored, questionOf) {
		// No answer to a wrong option is a call.
		calls := keep(question, func(it *plainItem) bool { return (it.Gold == "A") == (it.right == 1) })
		if x := confusionsOf(scored)[i].x; x[1] > 0 {
			chances, hits = append(chances, float64(len(calls))/float64(len(question))), hits+x[0]
		}
	}
	if len(chances) == 0 {
		return math.NaN()
	}
	return poissonBinomial(int(hits), chances)
}

// balanced estimates (TPR + TNR)/2: the distances of both rates from their own bounds, joined as legs of a triangle are.
func (r *plainRun) balanced(value, se, ci string, units []unit) {
	r.linear(".both", ".both.se", ".both_ci", units, balancedOf, 0, false)
	r.linear(".tpr", ".tpr.se", ".tpr_ci", units, tprOf, 0, false)
	r.linear(".tnr", ".tnr.se", ".tnr_ci", units, func(x []float64) float64 { return x[2] / x[3] }, 0, false)
	both, known := r.want[".both"]
	tpr, tnr := r.trials[".tpr_ci"], r.trials[".tnr_ci"]
	_, judged := r.want[".both.se"]
	var joined trial
	if known {
		r.put(value, both)
	}
	if known && judged {
		r.put(se, r.want[".both.se"])
		cosine := 0.0
		if tpr.error*tnr.error > 0 {
			cosine = (4*r.want[".both.se"]*r.want[".both.se"] - tpr.error*tpr.error - tnr.error*tnr.error) / 2 / tpr.error / tnr.error
			cosine = min(1, max(-1, cosine))
			if n := float64(len(units)); cosine < 0 {
				cosine *= 1 - min(10, n)/n
			}
		}
		side := func(a, b float64) float64 { return math.Sqrt(max(0, a*a+b*b+2*a*b*cosine)) / 2 }
		join := func(z float64) (low, high float64) {
			a, b := tpr.ends(z)
			c, d := tnr.ends(z)
			return both - side(tpr.value-a, tnr.value-c), both + side(b-tpr.value, d-tnr.value)
		}
		low, high := join(z95)
		if low, high = max(0, low), min(1, high); high-low <= 0.95 {
			r.bounds(ci, low, high, 0)
		}
		joined = trial{value: both, error: r.want[".both.se"], join: join}
	}
	delete(r.trials, ".tpr_ci")
	delete(r.trials, ".tnr_ci")
	if known && judged {
		r.trials[ci] = joined
	}
	for path := range r.want {
		if strings.HasPrefix(path, ".both") || strings.HasPrefix(path, ".tpr") || strings.HasPrefix(path, ".tnr") {
			delete(r.want, path)
		}
	}
}

func tprOf(x []float64) float64 { return x[0] / x[1] }

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
	r.balanced(b+"balanced_accuracy", b+"balanced_accuracy_se", b+"balanced_accuracy_ci", units)
	r.balanced("headline.value", "headline.stderr", "headline.ci", units)
	r.linear(b+"macro_balanced_accuracy", b+"macro_balanced_accuracy_se", b+"macro_balanced_accuracy_ci", units, balancedOf, 0, true)
	r.linear(b+"mcc", "", "", units, mccOf, -1, false)
	r.linear(b+"f1", "", b+"f1_ci", units, f1Of, 0, false)
	r.linear(b+"tpr", "", "", units, tprOf, 0, false)
	negatives := keep(scored, func(it *plainItem) bool { return it.Gold == "B" })
	r.linear(b+"tnr", "", b+"tnr_ci", ratios(negatives, rightOf, countOf), ratio, 0, false)
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
		if len(scoredOf(question)) < question[0].Original {
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
