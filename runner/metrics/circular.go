package metrics

import (
	"bytes"
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
	Metrics           []Metric
	QuestionsComplete int
	QuestionMean      stats.Estimate // mean over questions of the share of a question's variants that are right
	Consistency       stats.Number   // questions in which the same content is chosen every time
	MajorityVote      stats.Number   // questions in which the gold content is chosen more often than any other
	OriginMinusPerf   stats.Number   // acc_origin − perf_circular
	PositionBias      map[string]stats.Number
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

// MarshalJSON writes the metrics as keys of their own, and what they are over under "over".
func (c *Circular) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	over := map[string]int{}
	for _, m := range c.Metrics {
		over[m.Name] = m.Over
		if value, err := m.Value.MarshalJSON(); err != nil {
			return nil, err
		} else if m.Value.Defined() {
			fmt.Fprintf(&out, "%q:%s,", m.Name, value)
		}
	}
	rest, err := json.Marshal(struct {
		Over              map[string]int          `json:"over"`
		QuestionsComplete int                     `json:"questions_complete"`
		QuestionMean      stats.Number            `json:"question_mean,omitzero"`
		QuestionMeanSE    stats.Number            `json:"question_mean_se,omitzero"`
		QuestionMeanCI    stats.Interval          `json:"question_mean_ci,omitzero"`
		Consistency       stats.Number            `json:"consistency,omitzero"`
		MajorityVote      stats.Number            `json:"majority_vote,omitzero"`
		OriginMinusPerf   stats.Number            `json:"origin_minus_perf,omitzero"`
		PositionBias      map[string]stats.Number `json:"position_bias,omitempty"`
	}{
		over, c.QuestionsComplete, c.QuestionMean.Value, c.QuestionMean.SE, c.QuestionMean.Interval,
		c.Consistency, c.MajorityVote, c.OriginMinusPerf, c.PositionBias,
	})
	if err != nil {
		return nil, err
	}
	out.Write(rest[1:]) // without its opening brace
	return out.Bytes(), nil
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
	c := &Circular{Metrics: append([]Metric{origin(v).accuracy()}, rotated.metrics()...)}
	if p.permuted {
		all = permutations(v)
		c.Metrics = append(c.Metrics, all.metrics()...)
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
	c.QuestionMean = stats.Mean(questionMeans(v), p.confidence)
	r.warn(AboutCircular, c.QuestionMean.Warnings...)
	c.PositionBias = map[string]stats.Number{}
	for _, letter := range letterCounts(v) {
		if letter.Recall.Defined() {
			c.PositionBias[letter.Letter] = letter.Recall
		}
	}
	r.Circular = c
	r.ChanceCorrected = chanceCorrected(c.QuestionMean.Value, r.Baseline.Expected)
	r.macroAccuracy()
	repeats := 0
	for range v.Repeats() {
		repeats++
	}
	if left := repeats - len(all.whole); left > 0 {
		r.warn(AboutCircular, r.Sittings(left)+" without an answer to every variant, left out of perf, more, consistency and majority vote")
	}
}
