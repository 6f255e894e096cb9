package metrics

import (
	"encoding/json"
	"fmt"
	"slices"

	"proctor/prompts/task"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Circular are the figures of CircularEval. Their names are OpenCompass's: acc_X counts every variant once, perf_X is the share of
// questions with all variants right, more_k_X that of questions with at least k right, where X is origin (the original order),
// circular (the rotations) or all_possible (all orders).
//
// Questions with a failed or missing variant are left out of figures of whole questions, where every repeat of a question counts. A
// question with fewer than k variants has not reached more_k. Source: OpenCompass, datasets/circular.py.
type Circular struct {
	Metrics           []Metric       `json:"-"`    // separate keys, see MarshalJSON
	Over              map[string]int `json:"over"` // the metrics'
	QuestionsComplete int            `json:"questions_complete"`
	QuestionMean      stats.Number   `json:"question_mean,omitzero"` // of the shares of a question's variants that are right
	QuestionMeanSE    stats.Number   `json:"question_mean_se,omitzero"`
	QuestionMeanCI    stats.Interval `json:"question_mean_ci,omitzero"`
	QuestionMeanGuess stats.Number   `json:"question_mean_baseline,omitzero"` // mean of 1/options over questions
	MacroPerf         stats.Number   `json:"macro_perf,omitzero"`             // mean over subjects of the headline
	MacroPerfSE       stats.Number   `json:"macro_perf_se,omitzero"`
	MacroPerfCI       stats.Interval `json:"macro_perf_ci,omitzero"`
}

// A Metric is a figure with the number of questions (for acc_X: items) that it is over, its interval and the score of guessing.
type Metric struct {
	Name  string
	Value stats.Number
	Over  int
	CI    stats.Interval
	SE    stats.Number // of those that judge questions
	Guess guess.Scores

	// Eligible is more_k over only the questions that have k variants.
	Eligible     stats.Number
	EligibleOver int
}

// The metrics that are not OpenCompass's, but for acc_origin.
const (
	AccOrigin       = "acc_origin"
	Consistency     = "consistency"       // the same content chosen every time
	MajorityVote    = "majority_vote"     // the gold content chosen more often than any other
	OriginMinusPerf = "origin_minus_perf" // right in the original order, and wrong in another one
)

// Metric finds a metric by its name; it is undefined where there is none.
func (c *Circular) Metric(name string) Metric {
	if i := slices.IndexFunc(c.Metrics, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return c.Metrics[i]
	}
	return Metric{Name: name}
}

// MarshalJSON writes each metric under keys of its own, before the other fields: more_2_circular, more_2_circular_ci,
// more_2_circular_baseline and more_2_circular_eligible.
func (c *Circular) MarshalJSON() ([]byte, error) {
	type others Circular // without this method
	rest, err := json.Marshal((*others)(c))
	if err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for _, m := range c.Metrics {
		if !m.Value.Defined() {
			continue
		}
		for _, part := range []struct {
			suffix string
			value  interface{ IsZero() bool }
		}{{"", m.Value}, {"_ci", m.CI}, {"_baseline", m.Guess}, {"_eligible", m.Eligible}} {
			if part.value.IsZero() {
				continue
			}
			value, err := json.Marshal(part.value)
			if err != nil {
				return nil, err
			}
			out = fmt.Appendf(out, "%q:%s,", m.Name+part.suffix, value)
		}
	}
	return append(out, rest[1:]...), nil // without its opening brace
}

// perf measures a task that asks every question in several orders of its options: their rotations, or all of them.
type perf struct {
	*settings
	permuted bool
}

func (p perf) guessed(v results.View) stats.Number { return p.guessedBy(v, p.origin(v).view) }

// headline is the set whose perf is the headline: of the orders in the run's pattern.
func (p perf) headline(v results.View) variantSet {
	if p.permuted { // all items
		return p.variantsOf(task.AllPossible, v, func(it *results.Item) int { return task.Orders(it.Options) })
	}
	return p.rotations(v)
}

func (p perf) figures(f *Figures, v results.View) {
	whole := p.headline(v).perfect()
	f.AccOrigin, f.Perf, f.PerfCI, f.PerfGuess = p.origin(v).accuracy().Value, whole.Value, whole.CI, whole.Guess
}

func (p perf) macro(v results.View) stats.Estimate {
	ofQuestions := func(v results.View) []float64 { return shares(judged(p.headline(v).whole, allRight)) }
	return stats.Macro(bySubject(v, ofQuestions), p.confidence)
}

// circular are OpenCompass's metrics of a view, of every pattern, and the others of several orders.
func (p perf) circular(v results.View) []Metric {
	origin, rotated, all := p.origin(v), p.rotations(v), p.headline(v)
	metrics := append([]Metric{origin.accuracy()}, rotated.metrics()...)
	if p.permuted {
		metrics = append(metrics, all.metrics()...)
	}
	return append(metrics, all.judge(Consistency, consistent, guess.Question.Consistent),
		all.judge(MajorityVote, outvotes, nil), rotated.judge(OriginMinusPerf, lostLater, guess.Question.LostLater))
}

func (p perf) measure(r *Summary, v results.View) {
	c := &Circular{Metrics: p.circular(v), Over: map[string]int{}}
	for _, m := range c.Metrics {
		c.Over[m.Name] = m.Over
		if m.EligibleOver > 0 {
			c.Over[m.Name+"_eligible"] = m.EligibleOver
		}
	}
	whole := p.headline(v).perfect()
	r.Headline = Headline{Name: whole.Name, Value: whole.Value, CI: whole.CI, SE: whole.SE, Baseline: whole.Guess.Anew}
	c.QuestionsComplete = c.Metric(Consistency).Over
	mean := stats.Mean(v.QuestionMeans(), p.confidence)
	c.QuestionMean, c.QuestionMeanSE, c.QuestionMeanCI = mean.Value, mean.SE, mean.Interval
	c.QuestionMeanGuess = average(guess.Questions(v))
	r.trial = trial{mean, c.QuestionMeanGuess}
	r.warn(AboutCircular, mean.Warnings...)
	c.MacroPerf, c.MacroPerfSE, c.MacroPerfCI = r.macro("perf", p.macro(v))
	r.Circular = c
	r.ChanceCorrected = chanceCorrected(c.QuestionMean, c.QuestionMeanGuess)
	r.setMacro(stats.MacroOfTotals(bySubject(v, rightOfScored), stats.OfRatio, 0, 1, p.confidence))
	if left := len(slices.Collect(v.Repeats())) - c.QuestionsComplete; left > 0 {
		r.warn(AboutCircular, r.OfQuestions(left)+" without an answer to each variant, not counted in perf, more, consistency and majority "+
			"vote")
	}
}
