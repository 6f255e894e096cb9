package report

import (
	"math"

	"proctor/runner/journal"
	"proctor/runner/stats"
	"proctor/runner/words"
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
	MCC              stats.Number   `json:"mcc,omitzero"`
	F1               stats.Number   `json:"f1,omitzero"` // of "true"
	PredictedTrue    stats.Number   `json:"predicted_true_rate,omitzero"`
	Majority         stats.Number   `json:"majority_baseline,omitzero"` // accuracy of always giving the commoner answer
	Coin             float64        `json:"coin_baseline"`
	Macro            stats.Number   `json:"macro_balanced_accuracy,omitzero"` // mean over subjects

	QuestionsComplete int            `json:"questions_complete"`      // all of their items scored, every repeat counted: the base of what follows
	Exact             stats.Number   `json:"question_exact,omitzero"` // all items of the question right
	ExactCI           stats.Interval `json:"question_exact_ci,omitzero"`
	ExactChance       stats.Number   `json:"question_exact_chance,omitzero"` // mean of 2⁻ⁿ
	GoldOnly          stats.Number   `json:"question_gold_only,omitzero"`    // one option called true, the gold one
	NoTrue            stats.Number   `json:"question_no_true,omitzero"`
	SeveralTrue       stats.Number   `json:"question_several_true,omitzero"`
}

// yes is the letter of the answer "True" in a binary item.
const yes = 'A'

// binary is MMLU-Pro Binary: an item for every option.
type binary struct{}

func (binary) independent() bool { return false }

func (binary) figures(v view) Figures {
	f := counted(v)
	f.CI = stats.ClusteredProportion(v.clusters(), v.confidence).Interval
	f.Baseline = expected(v)
	balanced := stats.BalancedAccuracy(confusions(v), v.confidence)
	f.BalancedAccuracy, f.PValue = balanced.Value, balanced.P
	return f
}

func (binary) measure(r *Report, v view) {
	raw := stats.ClusteredProportion(v.clusters(), v.confidence)
	r.CI = raw.Interval
	r.warn(aboutAccuracy, raw.Warnings...)

	questions := confusions(v)
	balanced := stats.BalancedAccuracy(questions, v.confidence)
	r.warn(aboutBinary, balanced.Warnings...)
	r.Headline = Headline{"balanced_accuracy", balanced.Value, balanced.Interval}
	r.Baseline = Baseline{Nominal: 0.50, Expected: expected(v), PValue: balanced.P, Better: v.better(balanced.P)}
	switch {
	case !balanced.P.Defined():
	case balanced.SE.Or(0) > 0:
		r.Baseline.Test = "cluster t on balanced accuracy"
	default:
		r.Baseline.Test = "poisson-binomial within questions"
	}
	r.ChanceCorrected = chanceCorrected(balanced.Value, stats.Of(r.Baseline.Nominal))

	r.Binary = &Binary{BalancedAccuracy: balanced.Value, SE: balanced.SE, CI: balanced.Interval, Coin: 0.5}
	r.Binary.rates(questions, v)
	r.Binary.wholeQuestions(v, halved(r.Run.Selection, v))
	r.macro(v)
	var sum float64
	var subjects int
	for subject := range v.subjects() {
		if x, defined := stats.BalancedAccuracy(confusions(subject), v.confidence).Value.Get(); defined {
			sum, subjects = sum+x, subjects+1
		}
	}
	r.Binary.Macro = quotient(sum, subjects)
	if unanswered := r.Items - r.Errors - r.Answered; unanswered > 0 {
		r.warn(aboutBinary, words.Several(unanswered, "item")+" without an answer, which counts as the wrong one")
	}
}

// confusions counts the scored items of each question.
func confusions(v view) []stats.Confusion {
	var all []stats.Confusion
	for question := range v.questions() {
		var c stats.Confusion
		for it := range question.scored() {
			switch right := v.mark(it).correct; {
			case it.gold == yes && right:
				c.TruePositive++
			case it.gold == yes:
				c.FalseNegative++
			case right:
				c.TrueNegative++
			default:
				c.FalsePositive++
			}
		}
		all = append(all, c)
	}
	return all
}

func (b *Binary) rates(questions []stats.Confusion, v view) {
	var sum stats.Confusion
	positives, negatives := make([]stats.Cluster, len(questions)), make([]stats.Cluster, len(questions))
	for i, q := range questions {
		sum = sum.Plus(q)
		positives[i] = stats.Cluster{Successes: q.TruePositive, Items: q.Positives()}
		negatives[i] = stats.Cluster{Successes: q.TrueNegative, Items: q.Negatives()}
	}
	b.TPR, b.TNR, b.MCC, b.F1 = sum.TPR(), sum.TNR(), sum.MCC(), sum.F1()
	b.TPRCI = v.ofQuestions(positives) // one positive a question: independent, unless it is asked again
	b.TNRCI = stats.ClusteredProportion(negatives, v.confidence).Interval
	b.Majority = stats.Ratio(max(sum.Positives(), sum.Negatives()), sum.Total())
	called := 0
	for it := range v.scored() {
		if v.mark(it).letter == yes {
			called++
		}
	}
	b.PredictedTrue = stats.Ratio(called, sum.Total())
}

// wholeQuestions judges the questions all of whose items are scored.
func (b *Binary) wholeQuestions(v view, half bool) {
	goldOnly, none, several, chance := 0, 0, 0, 0.0
	var whole []view
	for question := range v.sittings() {
		t := question.tally()
		asked := question.items[0].original
		if half {
			asked = 2
		}
		if t.errors > 0 || t.items < asked {
			continue
		}
		whole = append(whole, question)
		chance += math.Pow(0.5, float64(t.items))
		called, gold := question.calledTrue()
		switch {
		case called == 0:
			none++
		case called > 1:
			several++
		case gold:
			goldOnly++
		}
	}
	n, right := len(whole), allRight(whole)
	b.QuestionsComplete = n
	b.Exact, b.ExactCI, b.ExactChance = ratioOf(right), v.ofQuestions(right), quotient(chance, n)
	b.GoldOnly, b.NoTrue, b.SeveralTrue = stats.Ratio(goldOnly, n), stats.Ratio(none, n), stats.Ratio(several, n)
}

// calledTrue counts the items answered "True", and says whether the gold option's is one of them.
func (v view) calledTrue() (called int, gold bool) {
	for i := range v.items {
		if v.mark(&v.items[i]).letter != yes {
			continue
		}
		called++
		gold = gold || v.items[i].gold == yes
	}
	return called, gold
}

// halved says whether the run asks about two options of each question only: as its header counts, or where that says
// nothing, as it looks.
func halved(selection journal.Selection, v view) bool {
	if selection.Items > 0 && selection.Questions > 0 {
		return selection.Items == 2*selection.Questions*v.repeats
	}
	for question := range v.sittings() {
		if len(question.items) > 2 {
			return false
		}
	}
	return true
}
