package report

import (
	"fmt"
	"strings"

	"proctor/runner/page"
)

// speedSection tells the speed; what is not known has no line.
func (r *Report) speedSection() page.Section {
	s := page.Section{Title: "Speed", Warnings: r.about(aboutSpeed)}
	v := &r.Speed
	if v.PromptTokens == 0 && v.OutputTokens == 0 {
		s.Facts.Add("tokens", page.Undefined, "the journal counts none")
	} else {
		s.Facts = r.tokenFacts()
	}
	switch {
	case v.PerMinute.Defined():
		s.Facts.Add("questions/min", page.Decimal(v.PerMinute, 1, 1, ""), "by the wall time of "+page.Decimal(v.WallSeconds, 1, 1, " s"))
		s.Facts.Add("mean active slots", page.Decimal(v.MeanActive, 1, 1, ""), when(r.Backend.Slots > 0, "of %d", r.Backend.Slots))
	case v.PerEngineMinute.Defined():
		s.Facts.Add("questions/min", page.Decimal(v.PerEngineMinute, 1, 1, ""), "by the engine time of "+page.Decimal(v.EngineSeconds, 1, 1, " s")+"; the journal tells no wall time")
	}
	if v.FirstTokenP50.Defined() {
		s.Facts.Add("time to first token", page.Seconds(v.FirstTokenP50), "median; 95th percentile "+page.Seconds(v.FirstTokenP95))
	}
	if v.Outside.Defined() {
		s.Facts.Add("outside the engine", page.Percent(v.Outside), "of the wall time")
	}
	if w := v.WorkBound; w != nil {
		s.Facts.Add("work bound", page.Decimal(w.Seconds, 1, 1, " s"), r.work(w))
		s.Facts.Add("efficiency", page.Percent(v.Efficiency), "work bound / wall time")
	}
	if v.LoadSeconds.Defined() {
		s.Facts.Add("load time", page.Decimal(v.LoadSeconds, 1, 2, " s"), "before the first question, in none of the above")
	}
	if e := v.StopAtAnswer; e != nil {
		s.Facts.Add("ended at answer", page.Percent(e.Share), fmt.Sprintf("of the completions, %s; compare tells what that saves beside a run without it", page.Count(e.Ended)))
	}
	return s
}

func (r *Report) tokenFacts() page.Facts {
	v := &r.Speed
	var facts page.Facts
	facts.Add("prompt_tokens", page.Count(v.PromptTokens), "")
	reuse := "reuse share " + page.Percent(v.ReuseShare)
	if v.ReusePossible.Defined() {
		reuse += ", possible " + page.Percent(v.ReusePossible)
	}
	facts.Add("reused_tokens", page.Count(v.ReusedTokens), reuse)
	facts.Add("evaluated_tokens", page.Count(v.EvaluatedTokens), "prefill "+page.PerSecond(v.Prefill))
	var decode []string
	if v.Decode.Defined() || !v.DecodeSlot.Defined() {
		decode = append(decode, page.PerSecond(v.Decode)+" in all slots")
	}
	if v.DecodeSlot.Defined() {
		decode = append(decode, page.PerSecond(v.DecodeSlot)+" in each")
	}
	facts.Add("output_tokens", page.Count(v.OutputTokens), "decode "+strings.Join(decode, ", "))
	facts.Add("thinking_tokens", page.Count(v.ThinkingTokens), "of the output")
	return facts
}

// work says what the work bound is made of.
func (r *Report) work(w *WorkBound) string {
	return fmt.Sprintf("%s prompt tokens that can't be shared at %s, %s to write at %s",
		page.Count(r.Speed.UniqueTokens), page.PerSecond(w.Prefill), page.Count(r.Speed.OutputTokens), page.PerSecond(w.Decode))
}
