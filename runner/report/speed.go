package report

import (
	"fmt"
	"strings"

	"proctor/runner/metrics"
	"proctor/runner/page"
	"proctor/runner/timing"
	"proctor/runner/words"
)

// speedSection tells the speed; what is not known has no line.
func (r document) speedSection() page.Section {
	s := page.Section{Title: "Speed", Warnings: r.About(metrics.AboutSpeed)}
	v := &r.Speed
	if v.PromptTokens == 0 && v.OutputTokens == 0 {
		s.Facts.Add("tokens", words.Undefined, "the journal counts none")
	} else {
		s.Facts = r.tokenFacts()
	}
	switch {
	case v.PerMinute.Defined():
		s.Facts.Add("questions/min", words.Decimal(v.PerMinute, 1, 1, ""), "by the wall time of "+words.Decimal(v.WallSeconds, 1, 1, " s"))
		s.Facts.Add("mean active slots", words.Decimal(v.MeanActive, 1, 1, ""), when(r.Backend.Slots > 0, "of %d", r.Backend.Slots))
	case v.PerEngineMinute.Defined():
		s.Facts.Add("questions/min", words.Decimal(v.PerEngineMinute, 1, 1, ""),
			"by the engine time of "+words.Decimal(v.EngineSeconds, 1, 1, " s")+"; the journal tells no wall time")
	}
	if v.FirstTokenP50.Defined() {
		s.Facts.Add("time to first token", words.Seconds(v.FirstTokenP50), "median; 95th percentile "+words.Seconds(v.FirstTokenP95))
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

func (r document) tokenFacts() page.Facts {
	v := &r.Speed
	var facts page.Facts
	facts.Add("prompt_tokens", words.Count(v.PromptTokens), "")
	reuse := "reuse share " + words.Percent(v.ReuseShare)
	if v.ReusePossible.Defined() {
		reuse += ", possible " + words.Percent(v.ReusePossible)
	}
	facts.Add("reused_tokens", words.Count(v.ReusedTokens), reuse)
	facts.Add("evaluated_tokens", words.Count(v.EvaluatedTokens), "prefill "+words.PerSecond(v.Prefill))
	var decode []string
	if v.Decode.Defined() || !v.DecodeSlot.Defined() {
		decode = append(decode, words.PerSecond(v.Decode)+" in all slots")
	}
	if v.DecodeSlot.Defined() {
		decode = append(decode, words.PerSecond(v.DecodeSlot)+" in each")
	}
	facts.Add("output_tokens", words.Count(v.OutputTokens), "decode "+strings.Join(decode, ", "))
	facts.Add("thinking_tokens", words.Count(v.ThinkingTokens), "of the output")
	return facts
}

// work says what the work bound is made of.
func (r document) work(w *timing.WorkBound) string {
	return fmt.Sprintf("%s prompt tokens that can't be shared at %s, %s to write at %s",
		words.Count(r.Speed.UniqueTokens), words.PerSecond(w.Prefill), words.Count(r.Speed.OutputTokens), words.PerSecond(w.Decode))
}
