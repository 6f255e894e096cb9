package pairs

import (
	"fmt"

	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A Pair compares run B with run A.
type Pair struct {
	A         string `json:"a"`
	B         string `json:"b"`
	Items     int    `json:"items"`     // that both have a score for
	Questions int    `json:"questions"` // that the measure is of
	LeftOut   int    `json:"left_out"`  // items that one of the runs failed or does not have
	Measure   string `json:"measure"`   // accuracy, balanced_accuracy, perf_circular or perf_all_possible
	Covers    string `json:"covers"`    // as of the headlines, or questions of both runs, where those are of other parts
	Outcome
	Table         stats.Pairs  `json:"table"`
	Flips         stats.Number `json:"flips,omitzero"` // items right in one run only, of all
	RightToWrong  int          `json:"right_to_wrong"` // items right in A and wrong in B
	WrongToRight  int          `json:"wrong_to_right"`
	AnswerChanged stats.Number `json:"answer_changed,omitzero"` // items with another letter, or one with none

	NonInferior        *bool        `json:"non_inferior,omitempty"` // B is not worse than A by more than the margin
	SmallestDetectable stats.Number `json:"smallest_detectable,omitzero"`
	ToDecide           int          `json:"questions_to_decide,omitempty"` // new questions, for each run, that would decide
	PAdjusted          stats.Number `json:"p_adjusted,omitzero"`           // of several runs: Bonferroni over the pairs

	Subjects []Subject    `json:"subjects,omitempty"`
	Size     stats.Number `json:"size_change,omitzero"` // of the model's bytes, as a share of A's
	Decision Decision     `json:"decision,omitempty"`
	Verdict  string       `json:"verdict"`
	Advice   string       `json:"advice,omitempty"` // questions_to_decide in words
	Warnings []string     `json:"warnings,omitempty"`

	Changed *Changed `json:"changed,omitempty"` // where a score is given
	Without *Rest    `json:"without,omitempty"` // the outcome without questions that were left out; it decides nothing

	invalid  []string  // runs without a valid score: nothing is decided then
	sequence *sequence // decides, where a run was to stop by itself
	ranOut   bool      // and it asked everything
}

// An Outcome is the result of one measure for A and B.
type Outcome struct {
	ValueA     stats.Number   `json:"value_a,omitzero"`
	ValueB     stats.Number   `json:"value_b,omitzero"`
	Difference stats.Number   `json:"difference,omitzero"` // B − A
	SE         stats.Number   `json:"difference_se,omitzero"`
	CI         stats.Interval `json:"difference_ci,omitzero"`
	PValue     stats.Number   `json:"p_value,omitzero"`   // two-sided, of no difference
	PMcNemar   stats.Number   `json:"p_mcnemar,omitzero"` // McNemar's exact p, for reference: p_value decides
	Test       string         `json:"test,omitempty"`

	score stats.PairedScore // of whole questions, with every item right or not
}

// A Rest is the outcome of a pair without some questions.
type Rest struct {
	Questions int `json:"questions"`
	Outcome
}

// A Subject is one subject's outcome.
type Subject struct {
	Subject   string `json:"subject"`
	Questions int    `json:"questions"`
	Outcome
	PAdjusted stats.Number `json:"p_adjusted,omitzero"` // Holm over the subjects
}

// pairOf compares b with a; pairs is the number of pairs in the comparison.
func pairOf(a, b *Run, pairs int, o Options) (Pair, error) {
	shared := sharedBy(a.Marked.View(0), b.Marked.View(0))
	if len(shared.a.Items) == 0 {
		return Pair{}, fmt.Errorf("%s and %s have no answered item in common", a.Path, b.Path)
	}
	questions := shared.questions()
	changed, err := changed(o.Score, a, b)
	if err != nil {
		return Pair{}, err
	}
	m, strict := measureOf(a, b), o.ForPairs(pairs)
	counted := m.counted(questions)
	p := Pair{
		A: a.Name, B: b.Name, Measure: m.name, Covers: m.covers, Items: len(shared.a.Items), Questions: counted,
		Table: tableOf(questions), Changed: changed,
		sequence: sequenceOf(a, b, o.Margin), ranOut: ranOut(a, b),
	}
	for _, run := range []*Run{a, b} {
		if !run.Validity.Valid {
			p.invalid = append(p.invalid, run.Name)
		}
	}
	p.LeftOut, p.Warnings = shared.leftOut()
	if left := len(questions) - counted; left > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s without an answer to every order in both runs, left out of %s",
			format.Several(left, "question"), m.name))
	}
	p.Outcome = m.outcome(questions, strict)
	p.flips(shared)
	p.judge(strict)
	p.subjects(questions, m, o)
	if before, after := a.Model.SizeBytes, b.Model.SizeBytes; before > 0 && after > 0 {
		p.Size = stats.Of(float64(after)/float64(before) - 1)
	}
	p.Verdict = p.sentence(strict)
	p.advise(a, strict)
	return p, nil
}

// restOf compares b with a without the questions that were left out.
func restOf(a, b Run, pairs int, o Options) (*Rest, error) {
	a.Marked, b.Marked, o.Score = a.Without.Marked, b.Without.Marked, nil
	p, err := pairOf(&a, &b, pairs, o)
	if err != nil {
		return nil, err
	}
	return &Rest{p.Questions, p.Outcome}, nil
}

func (p *Pair) flips(s shared) {
	changed := 0
	for i, it := range s.a.Items {
		x, y := s.a.Of(it), s.b.Of(s.b.Items[i])
		switch {
		case x.Correct && !y.Correct:
			p.RightToWrong++
		case !x.Correct && y.Correct:
			p.WrongToRight++
		}
		if x.Letter != y.Letter {
			changed++
		}
	}
	p.Flips = stats.Ratio(p.RightToWrong+p.WrongToRight, p.Items)
	p.AnswerChanged = stats.Ratio(changed, p.Items)
}

// judge sets the decision, its consequences for the margin, and the detectable difference.
func (p *Pair) judge(o Options) {
	if p.Decision = p.decide(o); p.Decision == Identical && p.score.P(0).Defined() {
		p.SE, p.CI, p.PValue, p.Test = stats.Undefined, p.score.Difference(o.Confidence).Interval, p.score.P(0), scoreTest
	}
	if p.CI.IsZero() || p.Decision == "" {
		return
	}
	notWorse := p.CI.Low > -o.Margin
	if p.sequence != nil {
		notWorse = p.Decision.NonInferior()
		p.Warnings = append(p.Warnings, p.sequence.run+" was to stop by itself: the interval and p assume a number of questions "+
			"fixed beforehand, and decide nothing here")
	}
	p.NonInferior = &notWorse
	if p.Test == scoreTest {
		p.SmallestDetectable = p.score.SmallestDetectable(o.Confidence, stats.DefaultPower)
	} else {
		p.SmallestDetectable = stats.Detectable(p.SE.Or(0), o.Confidence, stats.DefaultPower)
	}
	if p.SmallestDetectable.Or(0) > 1 {
		p.SmallestDetectable = stats.Undefined
	}
}

func (p *Pair) subjects(questions []question, m measure, o Options) {
	var ps []stats.Number
	for part := range results.Groups(questions, func(x, y question) bool { return x.subject() == y.subject() }) {
		s := Subject{Subject: part[0].subject(), Questions: m.counted(part), Outcome: m.outcome(part, o)}
		p.Subjects = append(p.Subjects, s)
		ps = append(ps, s.PValue)
	}
	for i, adjusted := range stats.Holm(ps) {
		p.Subjects[i].PAdjusted = adjusted
	}
}
