package metrics

import (
	"encoding/json"
	"fmt"

	"proctor/runner/results"
	"proctor/runner/stats"
)

// Circular are the figures of CircularEval. The metrics of OpenCompass keep its names: acc_X counts every variant
// once, perf_X is the share of questions with all variants right, more_k_X that of questions with at least k right,
// where X is origin (the original order), circular (the rotations) or all_possible (all orders that were asked).
//
// Questions with a variant that failed or is missing are left out of what is about whole questions, where every repeat
// of a question counts. With mixed numbers of options more_k is over the questions with at least k variants. Source:
// OpenCompass, datasets/circular.py.
type Circular struct {
	Metrics           []Metric                `json:"-"`    // keys of their own, see MarshalJSON
	Over              map[string]int          `json:"over"` // the metrics'
	QuestionsComplete int                     `json:"questions_complete"`
	QuestionMean      stats.Number            `json:"question_mean,omitzero"` // of the shares of a question's variants that are right
	QuestionMeanSE    stats.Number            `json:"question_mean_se,omitzero"`
	QuestionMeanCI    stats.Interval          `json:"question_mean_ci,omitzero"`
	Consistency       stats.Number            `json:"consistency,omitzero"`       // questions with the same content chosen every time
	MajorityVote      stats.Number            `json:"majority_vote,omitzero"`     // questions with the gold content chosen most often
	OriginMinusPerf   stats.Number            `json:"origin_minus_perf,omitzero"` // acc_origin − perf_circular
	PositionBias      map[string]stats.Number `json:"position_bias,omitempty"`
}

// A Metric is one of OpenCompass's, with the number of questions (for acc_X: items) that it is over.
type Metric struct {
	Name  string
	Value stats.Number
	Over  int
}

// Metric finds a metric by its name; it is undefined where there is none.
func (c *Circular) Metric(name string) Metric {
	for _, m := range c.Metrics {
		if m.Name == name {
			return m
		}
	}
	return Metric{Name: name}
}

// MarshalJSON writes the metrics as keys of their own, before the others.
func (c *Circular) MarshalJSON() ([]byte, error) {
	type others Circular // without this method
	rest, err := json.Marshal((*others)(c))
	if err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for _, m := range c.Metrics {
		if m.Value.Defined() {
			value, err := m.Value.MarshalJSON()
			if err != nil {
				return nil, err
			}
			out = fmt.Appendf(out, "%q:%s,", m.Name, value)
		}
	}
	return append(out, rest[1:]...), nil // without its opening brace
}

// perf is what a task is measured by that asks every question in several orders of its options: their rotations, or all
// of them.
type perf struct {
	*settings
	permuted bool
}

func (p perf) guessed(v results.View) (stats.Number, string) {
	return p.guessedBy("poisson-binomial on the original order", v, origin(v).view)
}

func (perf) figures(f *Figures, v results.View) { f.PerfCircular = rotations(v).perfect().Value }

func (p perf) measure(r *Summary, v results.View) {
	rotated, all := rotations(v), rotations(v)
	c := &Circular{
		Metrics: append([]Metric{origin(v).accuracy()}, rotated.metrics()...), Over: map[string]int{},
		PositionBias: map[string]stats.Number{},
	}
	if p.permuted {
		all = permutations(v)
		c.Metrics = append(c.Metrics, all.metrics()...)
	}
	for _, m := range c.Metrics {
		c.Over[m.Name] = m.Over
	}
	headline := rotated
	if len(rotated.whole) == 0 { // sampled orders need not hold any question's rotations
		headline = all
	}
	whole := headline.perfect()
	r.Headline = Headline{whole.Name, whole.Value, p.ofQuestions(allRight(headline.whole))}
	c.OriginMinusPerf = c.Metric("acc_origin").Value.Minus(rotated.perfect().Value)

	c.QuestionsComplete = len(all.whole)
	c.Consistency, c.MajorityVote = all.contents()
	mean := stats.Mean(questionMeans(v), p.confidence)
	c.QuestionMean, c.QuestionMeanSE, c.QuestionMeanCI = mean.Value, mean.SE, mean.Interval
	r.warn(AboutCircular, mean.Warnings...)
	for _, letter := range letterCounts(v) {
		if letter.Recall.Defined() {
			c.PositionBias[letter.Letter] = letter.Recall
		}
	}
	r.Circular = c
	r.ChanceCorrected = chanceCorrected(c.QuestionMean, r.Baseline.Expected)
	r.macroAccuracy()
	repeats := 0
	for range v.Repeats() {
		repeats++
	}
	if left := repeats - len(all.whole); left > 0 {
		r.warn(AboutCircular, r.OfQuestions(left)+" without an answer to every variant, left out of perf, more, consistency and majority "+
			"vote")
	}
}
