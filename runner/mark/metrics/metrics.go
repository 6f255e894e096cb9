package metrics

import (
	"cmp"
	"fmt"

	"proctor/backends"
	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/mark/again"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/timing"
	"proctor/runner/mark/validity"
)

// Options set how figures are made. The zero value is the default.
type Options struct {
	RuleSet    string   // marks the headline; empty for the run's own; used by [Open] only
	Confidence float64  // of intervals; 0 for 0.95
	Without    []string // ids of questions for [Summary.Without]; used by [Open] only
}

// settings are Options with the defaults applied, and properties of the run.
type settings struct {
	confidence  float64
	repeats     int  // number of times every item was asked, at least 1
	independent bool // every item is a question of its own
}

// Open makes the figures of a run, given as its folder or its journal.
func Open(run string, o Options) (*Summary, error) {
	r, err := results.Open(run, o.RuleSet)
	if err != nil {
		return nil, err
	}
	s, err := Of(r, o)
	if err != nil {
		return nil, err
	}
	if s.Without, err = RestOf(r, o); err != nil {
		return nil, fmt.Errorf("%s: %w", run, err)
	}
	s.Path, s.Marked = run, r
	return s, nil
}

// of applies the options to a run, and finds its task and that task's figures.
func (o Options) of(run *results.Run) (*settings, task.Task, taskMetrics, error) {
	h := &run.Header
	s := &settings{
		confidence: cmp.Or(o.Confidence, stats.DefaultConfidence), repeats: max(1, h.Repeats),
	}
	if !(s.confidence > 0 && s.confidence < 1) {
		return nil, task.Task{}, nil, fmt.Errorf("confidence %g is not between 0 and 1; 0.95 is usual", o.Confidence)
	}
	t, own, err := taskOf(h, s)
	return s, t, own, err
}

// Of makes the figures of a run.
func Of(run *results.Run, o Options) (*Summary, error) {
	h, v := &run.Header, run.View(0)
	s, t, own, err := o.of(run)
	if err != nil {
		return nil, err
	}
	began := h.History.First()
	_, missing := h.History.Shards()
	r := &Summary{
		Task: h.Task, Pattern: h.Pattern, Model: h.Model, Backend: h.Backend,
		Run: Run{began.ToolVersion, began.Created, h.Setup, began.Host, h.History.Last().Shard, h.StyleFile.Digest(),
			h.ChatTemplate.Digest(),
			missing, run.NotTaken()},
		RuleSet: run.RuleSets[0].Name, Confidence: s.confidence, Speed: timing.Of(run),
		Tally: v.Tally(),
	}
	r.RulesSHA256 = journal.SourceOf(run.RuleSets[0].Text).Digest()
	r.Model.BitsPerWeight = finite(r.Model.BitsPerWeight)
	r.Run.Sampling.Sampling = r.Run.Sampling.Map(finite)
	r.count(v)
	r.sequential(h, run.Interims)
	r.complete(h)
	r.parts(run, t, func(part results.View) Figures { return s.figures(part, own) })
	accuracy := s.accuracy(v)
	r.CI, r.SE = accuracy.Interval, accuracy.SE
	r.AnsweredCI, r.AnsweredBaseline = s.accuracy(answered(v)).Interval, guess.Expected(answered(v))
	r.warn(AboutAccuracy, accuracy.Warnings...)
	r.Headline.Name = t.HeadlineName(h.Pattern)
	r.Baseline = Baseline{Nominal: t.NominalOf(mostOptions(h, v)), Expected: guess.Expected(v)}
	own.measure(r, v)
	r.Headline.Covers = coversOf(h, v)
	r.against(s)
	r.Score = r.Headline.Value
	r.Letters = Letters{v.Letters()}
	r.direct(s, v)
	if s.repeats > 1 {
		r.repeats(v, s)
	}
	r.Thinking = s.thinking(h, v)
	r.warn(AboutThinking, r.Thinking.caution())
	r.AskedAgain = again.Of(run)
	r.warn(AboutRun, r.AskedAgain.Warning())
	r.Validity, r.Doubtful = validity.Of(run), validity.DoubtfulOf(run.RuleSets[0], v)
	r.warn(AboutRun, r.Validity.Others()...)
	r.caution(run)
	r.warn(AboutRun, run.Warnings...)
	return r, nil
}

// mostOptions is the largest number of options in the set; of the items where the header does not have it, as in imported logs.
func mostOptions(h *journal.Header, v results.View) int {
	most := h.Dataset.Options
	if most == 0 {
		for _, it := range v.Items {
			most = max(most, it.Options)
		}
	}
	return most
}

// finite is x, or 0 where JSON has no word for it: in a header, 0 is unknown.
func finite(x float64) float64 { return stats.Of(x).Or(0) }

// count sets the totals over all items.
func (r *Summary) count(v results.View) {
	r.Accuracy, r.AccuracyAnswered = r.Tally.Accuracy(), stats.Ratio(r.Correct, r.Answered)
	r.FailureCounts, r.Causes = map[string]int{}, map[string]int{}
	for _, tag := range grade.Tags {
		r.FailureCounts[string(tag)] = 0
	}
	for a := range v.Answers() {
		if a.Tag != "" {
			r.FailureCounts[string(a.Tag)]++
		}
		if cause := a.Mark.Cause; cause != "" {
			r.Causes[string(cause)]++
		}
		if a.Cut {
			r.CapHits++
		}
	}
	r.CapHitRate = stats.Ratio(r.CapHits, r.Scored())
}

func (r *Summary) complete(h *journal.Header) {
	c := Completeness{Planned: r.planned(h), Errors: r.Errors, Oversize: r.Causes[string(backends.CauseOversize)]}
	c.Missing = max(0, c.Planned-r.Items)
	c.Complete = c.Lacks() == 0 && (r.Sequential == nil || r.Sequential.Stopped != "")
	r.Completeness = c
}
