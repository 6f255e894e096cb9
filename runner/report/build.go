package report

import (
	"fmt"
	"iter"
	"time"

	"proctor/backends"
	"proctor/runner/grade"
	"proctor/runner/journal"
	"proctor/runner/stats"
	"proctor/runner/words"
)

// sampleName is how a journal names the questions that come with the program.
const sampleName = "sample"

// capWarning is the share of completions cut by the token cap above which accuracy may be measuring the cap.
const capWarning = 0.02

// Of makes the report of a run, given as its folder or its journal.
func Of(run string, o Options) (*Report, error) {
	sheet, err := Open(run, o)
	if err != nil {
		return nil, err
	}
	return sheet.Report(), nil
}

// Build makes the report of a header and its records; see [Read].
func Build(h *journal.Header, records iter.Seq2[journal.Record, error], o Options) (*Report, error) {
	sheet, err := Read(h, records, o)
	if err != nil {
		return nil, err
	}
	return sheet.Report(), nil
}

// Report computes every figure of the sheet.
func (s *Sheet) Report() *Report {
	h, v := &s.Header, s.view
	r := &Report{
		Task: h.Task, Pattern: h.Pattern, Model: h.Model, Backend: h.Backend, Run: runOf(h),
		RuleSet: v.rules[0].Name, Confidence: v.confidence, Speed: speedOf(h, v, s.clock),
	}
	r.Model.BitsPerWeight = finite(r.Model.BitsPerWeight)
	drawn := &r.Run.Sampling.Sampling
	drawn.Temperature, drawn.TopP, drawn.MinP = finite(drawn.Temperature), finite(drawn.TopP), finite(drawn.MinP)
	r.count(v)
	r.sequential(h, s.Looks)
	r.complete(h)
	s.exam.measure(r, v)
	r.Score = r.Accuracy
	r.subjects(v, s.exam)
	r.byOptions(v, s.exam)
	r.rules(v, s.exam)
	r.letters(v, s.exam)
	r.repeats(v)
	r.caution(h, v.rules[0])
	r.warn(aboutRun, s.Warnings...)
	return r
}

func runOf(h *journal.Header) Run {
	return Run{
		ToolVersion: h.ToolVersion, Created: h.Created.Format(time.RFC3339), Dataset: h.Dataset, Style: h.Style, Shots: h.Shots,
		PromptMode: h.PromptMode, Think: h.Think, Sampling: h.Sampling, Repeats: h.Repeats, Selection: h.Selection,
		Host: h.Host, Notes: h.Notes, Fingerprint: h.Fingerprint, Shard: h.Shard,
	}
}

// finite is x, or 0 where JSON has no word for it: in a header, 0 is unknown.
func finite(x float64) float64 { return stats.Of(x).Or(0) }

func (r *Report) count(v view) {
	t := v.tally()
	r.Items, r.Questions, r.Errors, r.Answered, r.Correct = t.items, t.questions, t.errors, t.answered, t.correct
	r.Accuracy = stats.Ratio(t.correct, t.scored())
	r.AccuracyAnswered = stats.Ratio(t.correct, t.answered)
	r.FailureCounts, r.Causes = map[string]int{}, map[string]int{}
	for _, tag := range grade.Tags {
		r.FailureCounts[string(tag)] = 0
	}
	for i := range v.items {
		m := v.mark(&v.items[i])
		if m.tag != "" {
			r.FailureCounts[string(m.tag)]++
		}
		if m.cause != "" {
			r.Causes[string(m.cause)]++
		}
		if v.items[i].finish == backends.FinishLength {
			r.CapHits++
		}
	}
	r.CapHitRate = stats.Ratio(r.CapHits, t.scored())
}

func (r *Report) complete(h *journal.Header) {
	c := Completeness{Planned: r.planned(h), Errors: r.Errors}
	if h.Shard == nil { // a shard's header counts the whole run
		c.Missing = max(0, c.Planned-r.Items)
	}
	c.Complete = c.Missing == 0 && c.Errors == 0 && (r.Sequential == nil || r.Sequential.Stopped != "")
	r.Completeness = c
}

// caution adds the warnings that concern the whole run, which the given rule set marks.
func (r *Report) caution(h *journal.Header, own grade.RuleSet) {
	if h.Dataset.Name == sampleName {
		r.warn(aboutRun, "bundled sample: not MMLU-Pro; for trying out only")
	}
	if c := r.Completeness; !c.Complete {
		r.warn(aboutRun, c.sentence(r))
	}
	if h.Shard != nil {
		r.warn(aboutRun, fmt.Sprintf("shard %d of %d: a part of a run", h.Shard.Index, h.Shard.Count))
	}
	if rate := r.CapHitRate.Or(0); rate > capWarning {
		r.warn(aboutFailures, fmt.Sprintf("the token cap of %s ended %s of the completions: accuracy may be measuring the cap; raise --max-tokens",
			words.Count(r.Run.Sampling.MaxTokens), words.Percent(r.CapHitRate)))
	}
	r.cautionReuse()
	if s := r.Speed.StopAtAnswer; s != nil && s.Ended > 0 {
		ended := fmt.Sprintf("%s ended at the answer that %s finds", words.Several(s.Ended, "completion"), s.RuleSet)
		r.warn(aboutRules, ended+": rule sets that take a later one read a text that is cut")
		if !own.Decides(h.Strip) {
			r.warn(aboutRun, ended+", so "+r.RuleSet+" may not mark as it would mark whole ones")
		}
	}
}

func (r *Report) cautionReuse() {
	s := &r.Speed
	if s.ReusedTokens > 0 || !s.ReuseShare.Defined() || r.Items < 2 {
		return
	}
	switch possible, known := s.ReusePossible.Get(); {
	case len(r.Backend.Servers) > 0:
		if !known || possible > 0 {
			r.warn(aboutSpeed, "the server counts no prompt token as reused: either every prompt was evaluated from its beginning, or it does not tell")
		}
	case !known:
		r.warn(aboutSpeed, "no prompt token was reused: every item's shots were evaluated again")
	case possible > 0:
		r.warn(aboutSpeed, fmt.Sprintf("no prompt token was reused, though %s of them are shared: every prompt was evaluated from its beginning", words.Percent(s.ReusePossible)))
	}
}

func (c Completeness) sentence(r *Report) string {
	planned := c.Planned
	if planned < r.Items {
		planned = r.Items
	}
	of := words.Count(planned)
	if r.Sequential != nil && r.Sequential.Stopped == "" {
		of = "up to " + of
	}
	text := fmt.Sprintf("incomplete: %s of %s items have a completion", words.Count(r.Items-r.Errors), of)
	if c.Errors > 0 {
		text += fmt.Sprintf(", %s failed", words.Count(c.Errors))
	}
	if c.Missing > 0 {
		text += fmt.Sprintf(", %s not asked yet", words.Count(c.Missing))
	}
	return text + "; run it again with --resume"
}
