package report

import (
	"fmt"
	"slices"
	"strings"

	"proctor/runner/metrics"
	"proctor/runner/page"
	"proctor/runner/stats"
	"proctor/runner/timing"
	"proctor/runner/words"
)

// speedSection tells the speed, what a user waits for first and the engine's own rates after it; what is not known has no
// line.
func (r document) speedSection() page.Section {
	s := page.Section{Title: "Speed", Warnings: r.About(metrics.AboutSpeed)}
	v := &r.Speed
	if v.PromptTokens == 0 && v.OutputTokens == 0 {
		s.Facts.Add("tokens", words.Undefined, "the journal counts none")
	}
	wall := words.Decimal(v.WallSeconds, 1, 1, " s")
	if v.OutputRate.Defined() {
		s.Facts.Add("output, end to end", words.PerSecond(v.OutputRate), "output tokens by the wall time of "+wall)
	}
	if v.TotalRate.Defined() {
		s.Facts.Add("total, end to end", words.PerSecond(v.TotalRate), "prompt tokens, reused ones too, and output tokens by the wall time")
	}
	r.addPace(&s.Facts)
	if v.PerMinute.Defined() {
		s.Facts.Add("mean active slots", words.Decimal(v.MeanActive, 1, 1, ""), when(r.Backend.Slots > 0, "of %d", r.Backend.Slots))
	}
	if others := v.Others; others != nil {
		s.Facts.Add("other programs", words.Load(others.Share, others.Least, others.Most), "while the run ran")
	}
	r.addCost(&s.Facts)
	if v.FirstTokenP50.Defined() {
		s.Facts.Add("time to first token", words.Seconds(v.FirstTokenP50), "median; 95th percentile "+words.Seconds(v.FirstTokenP95))
	}
	if d := v.Latency; d.Items > 0 {
		s.Facts.Add("time of an item", words.Seconds(d.P50), "median, from being taken to being answered; 95th percentile "+
			words.Seconds(d.P95)+", longest "+words.Seconds(d.Most))
	}
	if v.PromptTokens > 0 || v.OutputTokens > 0 {
		r.addTokens(&s.Facts)
	}
	if v.Outside.Defined() {
		s.Facts.Add("outside the engine", words.Percent(v.Outside), "of the wall time")
	}
	if w := v.WorkBound; w != nil {
		s.Facts.Add("work bound", words.Decimal(w.Seconds, 1, 1, " s"), r.work(w))
		s.Facts.Add("efficiency", words.Percent(v.Efficiency), "work bound / wall time")
	}
	if v.LoadSeconds.Defined() {
		s.Facts.Add("load time", words.Decimal(v.LoadSeconds, 1, 2, " s"), "before the first question, in none of the above")
	}
	if e := v.StopAtAnswer; e != nil {
		s.Facts.Add("ended at answer", words.Percent(e.Share),
			fmt.Sprintf("of the completions, %s; compare tells what that saves beside a run without it", words.Count(e.Ended)))
	}
	return s
}

// addPace tells how many questions a minute has.
func (r document) addPace(facts *page.Facts) {
	switch v := &r.Speed; {
	case v.PerMinute.Defined():
		facts.Add("questions/min", words.Decimal(v.PerMinute, 1, 1, ""), "by the wall time of "+words.Decimal(v.WallSeconds, 1, 1, " s"))
	case v.PerEngineMinute.Defined():
		facts.Add("questions/min", words.Decimal(v.PerEngineMinute, 1, 1, ""),
			"by the engine time of "+words.Decimal(v.EngineSeconds, 1, 1, " s")+"; the journal tells no wall time")
	}
}

// addCost tells what a question and a right answer take.
func (r document) addCost(facts *page.Facts) {
	between := func(i stats.Interval) string { return r.intervalOf(i, words.Span) }
	v := &r.Speed.Cost
	if v.Seconds.Defined() {
		by := "the items' part of the wall time"
		if !r.Speed.WallSeconds.Defined() {
			by = "the engine's time for its items"
		}
		facts.Add("seconds/question", words.Short(v.Seconds)+" s", between(v.SecondsCI)+"; "+by)
	}
	if v.Output.Defined() {
		facts.Add("tokens/question", words.Short(v.Output), between(v.OutputCI)+"; output tokens of all its items")
	}
	if v.Right.Defined() {
		facts.Add("seconds/right answer", words.Short(v.Right)+" s",
			between(v.RightCI)+"; seconds of the items that did not fail, by the number of right ones")
	}
}

// costSection tells the same by subject.
func (r document) costSection() page.Section {
	s := page.Section{Title: "Cost by subject"}
	if !r.Speed.Seconds.Defined() && !r.Speed.Output.Defined() || len(r.Subjects) < 2 {
		return s
	}
	s.Table = &page.Grid{Head: []string{"subject", "seconds/question", r.confidence(), "tokens/question", r.confidence(),
		"seconds/right answer", r.confidence()}}
	for _, subject := range r.Subjects {
		c := subject.Cost
		s.Table.Add(subject.Subject, words.Short(c.Seconds), words.Span(c.SecondsCI), words.Short(c.Output), words.Span(c.OutputCI),
			words.Short(c.Right), words.Span(c.RightCI))
	}
	if slices.ContainsFunc(s.Table.Rows, func(line []string) bool { return slices.Contains(line, words.Undefined) }) {
		s.Notes = []string{words.Undefined + ": " + words.TooFew + " questions or right answers, or all alike"}
	}
	return s
}

func (r document) addTokens(facts *page.Facts) {
	v := &r.Speed
	facts.Add("prompt_tokens", words.Count(v.PromptTokens), "")
	reuse := "reuse share " + words.Percent(v.ReuseShare)
	if v.ReusePossible.Defined() {
		reuse += ", possible " + words.Percent(v.ReusePossible)
	}
	facts.Add("reused_tokens", words.Count(v.ReusedTokens), reuse)
	facts.Add("evaluated_tokens", words.Count(v.EvaluatedTokens), "of the prompts, the rest")
	facts.Add("output_tokens", words.Count(v.OutputTokens), "")
	facts.Add("thinking_tokens", words.Count(v.ThinkingTokens), "of the output")
	facts.Add("prefill, engine", words.PerSecond(v.Prefill), "evaluated tokens by the engine's time for prompts alone")
	var decode []string
	if v.Decode.Defined() || !v.DecodeSlot.Defined() {
		decode = append(decode, "output tokens by the engine's time for output alone, all slots together")
	}
	if v.DecodeSlot.Defined() {
		decode = append(decode, words.PerSecond(v.DecodeSlot)+" in each slot")
	}
	facts.Add("decode, engine", words.PerSecond(v.Decode), strings.Join(decode, "; "))
}

// work says what the work bound is made of.
func (r document) work(w *timing.WorkBound) string {
	return fmt.Sprintf("%s prompt tokens that can't be shared at %s, %s to write at %s",
		words.Count(r.Speed.UniqueTokens), words.PerSecond(w.Prefill), words.Count(r.Speed.OutputTokens), words.PerSecond(w.Decode))
}
