package metrics

import (
	"math"

	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Binary are the figures of MMLU-Pro Binary. Yes is the answer "True", positive is an item about the gold option. An
// item without an answer counts as answered wrong.
type Binary struct {
	BalancedAccuracy stats.Number   `json:"balanced_accuracy,omitzero"` // (tpr + tnr)/2
	SE               stats.Number   `json:"balanced_accuracy_se,omitzero"`
	CI               stats.Interval `json:"balanced_accuracy_ci,omitzero"`
	TPR              stats.Number   `json:"tpr,omitzero"` // of the gold options, called true
	TPRCI            stats.Interval `json:"tpr_ci,omitzero"`
	TNR              stats.Number   `json:"tnr,omitzero"` // of the other options, called false
	TNRCI            stats.Interval `json:"tnr_ci,omitzero"`
	MCC              stats.Number   `json:"mcc,omitzero"` // 0 for answers independent of the question
	F1               stats.Number   `json:"f1,omitzero"`  // of "true"
	F1CI             stats.Interval `json:"f1_ci,omitzero"`
	F1Always         stats.Number   `json:"f1_always_true,omitzero"` // of always answering "true"
	PredictedTrue    stats.Number   `json:"predicted_true_rate,omitzero"`
	Majority         stats.Number   `json:"majority_baseline,omitzero"` // accuracy of always giving the commoner answer
	Coin             float64        `json:"coin_baseline"`
	Macro            stats.Number   `json:"macro_balanced_accuracy,omitzero"` // mean over subjects
	MacroSE          stats.Number   `json:"macro_balanced_accuracy_se,omitzero"`
	MacroCI          stats.Interval `json:"macro_balanced_accuracy_ci,omitzero"`

	QuestionsComplete int            `json:"questions_complete"`      // questions with all items scored, in every repeat: the base of the following
	Exact             stats.Number   `json:"question_exact,omitzero"` // all items of the question right
	ExactCI           stats.Interval `json:"question_exact_ci,omitzero"`
	ExactChance       stats.Number   `json:"question_exact_chance,omitzero"` // mean of 2⁻ⁿ
	GoldOnly          stats.Number   `json:"question_gold_only,omitzero"`    // one option called true, the gold one
	GoldOnlyCI        stats.Interval `json:"question_gold_only_ci,omitzero"` // guessing scores here as in question_exact
	NoTrue            stats.Number   `json:"question_no_true,omitzero"`
	NoTrueCI          stats.Interval `json:"question_no_true_ci,omitzero"`
	SeveralTrue       stats.Number   `json:"question_several_true,omitzero"`
	SeveralTrueCI     stats.Interval `json:"question_several_true_ci,omitzero"`
}

// coin is the balanced accuracy of answers independent of the question.
const coin = 0.5

// yes is the letter of the answer "True" in a true-or-false item.
const yes = "A"

// balanced measures a task that asks for each option whether it is the right one: an item for every option.
type balanced struct{ *settings }

func (b balanced) guessed(v results.View) stats.Number {
	questions := confusions(v)
	if p := stats.StratifiedGuess(questions); p.Defined() {
		return p
	}
	return b.estimate(questions).Above(coin) // of repeats, which depend on each other
}

func (b balanced) estimate(questions []stats.Confusion) stats.Estimate {
	return stats.BalancedAccuracy(questions, b.confidence)
}

func (b balanced) figures(f *Figures, v results.View) {
	estimate := b.estimate(confusions(v))
	f.BalancedAccuracy, f.BalancedCI = estimate.Value, estimate.Interval
}

func (b balanced) macro(v results.View) stats.Estimate {
	of := func(subject results.View) stats.Sample { return stats.Confusions(confusions(subject)) }
	return stats.MacroOfTotals(bySubject(v, of), stats.OfBalancedAccuracy, 0, 1, b.confidence)
}

func (b balanced) measure(r *Summary, v results.View) {
	questions := confusions(v)
	estimate := b.estimate(questions)
	r.warn(AboutBinary, estimate.Warnings...)
	r.Headline.Value, r.Headline.CI, r.Headline.SE, r.Headline.Baseline = estimate.Value, estimate.Interval, estimate.SE, stats.Of(coin)
	r.trial = trial{estimate, stats.Of(coin)}
	r.ChanceCorrected = chanceCorrected(estimate.Value, stats.Of(coin))
	r.Binary = &Binary{BalancedAccuracy: estimate.Value, SE: estimate.SE, CI: estimate.Interval, Coin: coin}
	b.rates(r.Binary, questions, v)
	b.wholeQuestions(r.Binary, v)
	r.setMacro(stats.MacroOfTotals(bySubject(v, rightOfScored), stats.OfRatio, 0, 1, b.confidence))
	r.Binary.Macro, r.Binary.MacroSE, r.Binary.MacroCI = r.macro("balanced accuracy", b.macro(v))
}

func (s balanced) rates(b *Binary, questions []stats.Confusion, v results.View) {
	sum := stats.Sum(questions)
	b.TPR, b.TNR, b.MCC, b.F1 = sum.TPR(), sum.TNR(), sum.MCC(), sum.F1()
	b.TPRCI, b.TNRCI = s.rateIntervals(questions)
	b.F1CI = stats.OfTotals([]stats.Sample{stats.Confusions(questions)}, stats.OfF1, 0, 1, s.confidence).Interval
	b.F1Always = stats.Ratio(2*sum.Positives(), 2*sum.Positives()+sum.Negatives())
	b.Majority = stats.Ratio(max(sum.Positives(), sum.Negatives()), sum.Total())
	called, _ := calledTrue(v)
	b.PredictedTrue = stats.Ratio(called, sum.Total())
}

// wholeQuestions sets the figures over questions with all items scored.
func (s balanced) wholeQuestions(b *Binary, v results.View) {
	var whole []results.View
	var chances []float64
	for question := range v.Repeats() {
		t := question.Tally()
		if t.Errors > 0 || t.Items < question.Items[0].OptionsOriginal {
			continue
		}
		whole = append(whole, question)
		chances = append(chances, math.Pow(coin, float64(t.Items)))
	}
	called := func(holds func(n int, gold bool) bool) (stats.Number, stats.Interval) {
		value, _, ci := s.share(judged(whole, func(question results.View) bool { return holds(calledTrue(question)) }))
		return value, ci
	}
	b.QuestionsComplete = len(whole)
	b.Exact, _, b.ExactCI = s.share(judged(whole, allRight))
	b.ExactChance = average(chances)
	b.GoldOnly, b.GoldOnlyCI = called(func(n int, gold bool) bool { return n == 1 && gold })
	b.NoTrue, b.NoTrueCI = called(func(n int, _ bool) bool { return n == 0 })
	b.SeveralTrue, b.SeveralTrueCI = called(func(n int, _ bool) bool { return n > 1 })
}

// calledTrue counts the items answered "True", and says whether the gold option's is among them.
func calledTrue(v results.View) (called int, gold bool) {
	for a := range v.Answers() {
		if a.Letter == yes {
			called++
			gold = gold || a.Gold == yes
		}
	}
	return called, gold
}

// confusions counts the scored items of each question.
func confusions(v results.View) []stats.Confusion {
	var all []stats.Confusion
	for question := range v.Questions() {
		var c stats.Confusion
		for a := range question.Scored() {
			switch {
			case a.Gold == yes && a.Correct:
				c.TruePositive++
			case a.Gold == yes:
				c.FalseNegative++
			case a.Correct:
				c.TrueNegative++
			default:
				c.FalsePositive++
			}
		}
		all = append(all, c)
	}
	return all
}

// rateIntervals are the intervals of TPR and TNR. A question has one right option, so without repeats those items are
// independent; the items of its wrong options depend on each other.
func (b balanced) rateIntervals(questions []stats.Confusion) (tpr, tnr stats.Interval) {
	right, all := 0, 0
	positives, negatives := make([]stats.Cluster, len(questions)), make([]stats.Cluster, len(questions))
	for i, q := range questions {
		right, all = right+q.TruePositive, all+q.Positives()
		positives[i] = stats.Cluster{Successes: q.TruePositive, Items: q.Positives()}
		negatives[i] = stats.Cluster{Successes: q.TrueNegative, Items: q.Negatives()}
	}
	tpr = stats.Proportion(right, all, b.confidence).Interval
	if b.repeats > 1 {
		tpr = stats.ClusteredProportion(positives, b.confidence).Interval
	}
	return tpr, stats.ClusteredProportion(negatives, b.confidence).Interval
}
