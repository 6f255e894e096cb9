package pairs

import (
	"fmt"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// A Recommendation says which of several runs' models to take, if the evidence suffices: the smallest of those that are not worse than
// the first by the margin, and of equal sizes the fastest. The intervals that decide have the comparison's confidence for all pairs
// together (Bonferroni): whatever the truth, it seldom recommends a model that is worse by more than the margin.
type Recommendation struct {
	Run       string   `json:"run,omitempty"`   // empty where nothing is shown
	Ref       string   `json:"model,omitempty"` // the model's file, or another reference for --model
	Sentence  string   `json:"sentence"`
	Measure   string   `json:"measure"` // the measure in which a run is "worse"
	RestsOn   []string `json:"rests_on,omitempty"`
	Open      []string `json:"open,omitempty"` // what is not shown of the other runs, and how many questions would show it
	Questions int      `json:"questions_to_decide,omitempty"`
}

// ForPairs are the options for intervals that hold for this many pairs together.
func (o Options) ForPairs(pairs int) Options {
	if pairs > 1 {
		o.Confidence = 1 - (1-o.Confidence)/float64(pairs)
	}
	return o
}

// Recommend says which run's model to take, of those that fit other wishes; nil without wishes. In that case the first is recommended
// only where a smaller one could be.
func (c *Comparison) Recommend(fits func(*Run) bool) *Recommendation {
	first := &c.Runs[0]
	r := &Recommendation{Measure: c.Pairs[0].Measure}
	if !first.Validity.Valid {
		r.Sentence = fmt.Sprintf("no recommendation: the score of %s is not valid, so no loss can be measured", first.Name)
		return r
	}
	if !first.BeatsGuessing() {
		r.Sentence = "no recommendation: " + first.Name + atChance
		return r
	}
	for i := range c.Pairs {
		if p := &c.Pairs[i]; !p.ShownNotWorse() {
			r.Open = append(r.Open, p.open())
		}
	}
	_, r.Questions = c.Undecided()
	within := "by more than " + points(stats.Of(c.Margin))
	switch chosen := c.chosen(fits); {
	case chosen > 0:
		c.explain(r, chosen, within)
	case chosen == 0 && (fits != nil || len(r.Open) < len(c.Pairs)):
		r.Run, r.Ref = first.Name, first.Model.Ref
		r.Sentence = fmt.Sprintf("%s: no run that is shown not to be worse %s is smaller", first.Name, within)
		if c.SpeedsApart() == "" {
			r.Sentence += ", or faster at the same size"
		}
	default:
		r.Sentence = fmt.Sprintf("no recommendation: none is shown not to be worse than %s %s", first.Name, within)
	}
	return r
}

// chosen is the index of the best run among those that fit and are shown not to be worse than the first, which is one of them; -1 for
// none.
func (c *Comparison) chosen(fits func(*Run) bool) int {
	best := -1
	for i := range c.Runs {
		shown := i == 0 || c.Pairs[i-1].ShownNotWorse()
		if shown && (fits == nil || fits(&c.Runs[i])) && (best < 0 || c.better(&c.Runs[i], &c.Runs[best])) {
			best = i
		}
	}
	return best
}

// explain says why a run other than the first is recommended.
func (c *Comparison) explain(r *Recommendation, chosen int, within string) {
	first, run, p := &c.Runs[0], &c.Runs[chosen], &c.Pairs[chosen-1]
	r.Run, r.Ref = run.Name, run.Model.Ref
	parts := []string{fmt.Sprintf("not worse than %s %s", first.Name, within)}
	if times := stats.Of(run.QuestionsPerMinute.Or(0) / first.QuestionsPerMinute.Or(0)); times.Or(0) > 0 {
		on := fmt.Sprintf("speed: %s questions/min beside %s on the same items, not measured together", run.PerMinute(), first.PerMinute())
		if apart := c.SpeedsApart(); apart != "" {
			on += ", and " + apart + ", so the recommendation leaves it out"
		} else {
			parts = append(parts, format.Decimal(times, 1, 2, "× as fast"))
		}
		r.RestsOn = append(r.RestsOn, on+"; `proctor bench "+setting.Exam.String()+"` measures them together")
	}
	if size := strings.TrimPrefix(p.size(), "; "); size != "" {
		parts = append(parts, size)
	}
	r.Sentence = run.Name + ": " + strings.Join(parts, ", ")
	r.RestsOn = append([]string{p.evidence(len(c.Pairs), c.Confidence)}, r.RestsOn...)
}

// Undecided names the runs that are shown neither to score less than the first nor to be within the margin, and how many questions
// would decide all of them.
func (c *Comparison) Undecided() (names []string, questions int) {
	for i := range c.Pairs {
		if p := &c.Pairs[i]; p.Decision != "" && !p.ShownNotWorse() && !p.Below() {
			names, questions = append(names, p.B), max(questions, p.ToDecide)
		}
	}
	return names, questions
}

// better says whether a model is smaller, or of the same size and faster, where speeds are comparable.
func (c *Comparison) better(a, than *Run) bool {
	x, y := a.Model.SizeBytes, than.Model.SizeBytes
	if x != y {
		return x > 0 && (x < y || y == 0)
	}
	return c.SpeedsApart() == "" && a.QuestionsPerMinute.Or(0) > than.QuestionsPerMinute.Or(0)
}

// evidence is the interval or decision that rules out the loss.
func (p *Pair) evidence(pairs int, confidence float64) string {
	if s := p.sequence; s != nil {
		return fmt.Sprintf("%s: a test that may stop at any question, stopped after %s: at most %s of such decisions are wrong",
			p.Measure, format.Several(s.after, "question"), format.Percent(stats.Of(s.alpha)))
	}
	text := fmt.Sprintf("%s: %s on %s, %s %s", p.Measure, format.Change(p.Difference, 2), format.Several(p.Questions, "question"),
		format.Confidence(roundConfidence(p.CI.Confidence)), format.ChangeSpan(p.CI, 2))
	if pairs > 1 {
		text += fmt.Sprintf(", widened from %g %% because %d runs are compared with the first (Bonferroni)", 100*confidence, pairs)
	}
	return text
}

// roundConfidence keeps the digits that people read: 98.33 %.
func roundConfidence(c float64) float64 { return float64(int(c*1e4+0.5)) / 1e4 }

// open says what is not shown, and how many questions would show it.
func (p *Pair) open() string {
	switch {
	case p.Decision == "":
		return p.B + ": no verdict, not a valid score"
	case p.sequence != nil:
		return p.Verdict
	case p.CI.IsZero():
		return fmt.Sprintf("%s: undecided, %s", p.B, p.counts())
	case p.CI.High < 0:
		return fmt.Sprintf("%s: worse than %s by %s (%s)", p.B, p.A, points(stats.Of(-p.Difference.Or(0))), span(-p.CI.High, -p.CI.Low))
	}
	text := fmt.Sprintf("%s: undecided, %s worse to %s better", p.B, points(stats.Of(-p.CI.Low)), points(stats.Of(p.CI.High)))
	if p.Advice != "" {
		text += "; " + p.Advice
	}
	return text
}

// Headline is the sentence as it opens a document: "Recommended: …" or "No recommendation: …".
func (r *Recommendation) Headline() string {
	if none := "no "; strings.HasPrefix(r.Sentence, none) {
		return "No " + strings.TrimPrefix(r.Sentence, none)
	}
	return "Recommended: " + r.Sentence
}

// Lines are the model's file, the basis of the recommendation, then what is open.
func (r *Recommendation) Lines() []string {
	var all []string
	if r.Ref != "" {
		all = append(all, "to use it: "+r.Ref)
	}
	for _, line := range r.RestsOn {
		all = append(all, "based on "+line)
	}
	return append(all, r.Open...)
}
