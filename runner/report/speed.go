package report

import (
	"fmt"
	"strings"

	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// speedSection shows the speed: first what a user waits for, then the engine's own rates. Unknown figures have no line.
func (r document) speedSection() page.Section {
	s := page.Section{Title: "Speed", Warnings: r.About(metrics.AboutSpeed)}
	v := &r.Speed
	if v.PromptTokens == 0 && v.OutputTokens == 0 {
		s.Facts.Add("tokens", format.Undefined, "the journal counts none")
	}
	wall := format.Decimal(v.WallSeconds, 1, 1, " s")
	if v.OutputRate.Defined() {
		s.Facts.Add("output, end to end", format.PerSecond(v.OutputRate), "output tokens over "+wall+" of wall time")
	}
	r.addPace(&s.Facts)
	if v.PerMinute.Defined() {
		of := ""
		if r.Backend.Slots > 0 {
			of = fmt.Sprintf("of %d", r.Backend.Slots)
		}
		s.Facts.Add("mean active slots", format.Decimal(v.MeanActive, 1, 1, ""), of)
	}
	if others := v.Others; others != nil {
		s.Facts.Add("other programs", others.Taken(), "while the run ran"+others.Computed())
	}
	r.addCost(&s.Facts)
	if v.FirstToken.P50.Defined() {
		s.Facts.Add("time to first token", format.Seconds(v.FirstToken.P50), "median; 95th percentile "+format.Seconds(v.FirstToken.P95))
	}
	if d := v.Latency; d.P50.Defined() {
		s.Facts.Add("time of an item", format.Seconds(d.P50), "median, from being taken to being answered; 95th percentile "+
			format.Seconds(d.P95)+", longest "+format.Seconds(d.Most))
	}
	if v.PromptTokens > 0 || v.OutputTokens > 0 {
		r.addTokens(&s.Facts)
	}
	if v.Outside.Defined() {
		s.Facts.Add("outside the engine", format.Percent(v.Outside), "of the wall time")
	}
	if v.LoadSeconds.Defined() {
		s.Facts.Add("load time", format.Decimal(v.LoadSeconds, 1, 2, " s"), "before the first question, not counted above")
	}
	return s
}

// addPace adds the questions per minute.
func (r document) addPace(facts *page.Facts) {
	rate, took := r.pace()
	switch {
	case r.Speed.PerMinute.Defined():
		took += " of wall time"
	case rate.Defined():
		took += "; the journal has no wall time"
	default:
		return
	}
	facts.Add("questions/min", format.Decimal(rate, 1, 1, ""), "over "+took)
}

// pace is the questions per minute and the time that they are over: of the engine, and said so, if the journal has no wall time.
func (r document) pace() (rate stats.Number, took string) {
	v := &r.Speed
	if v.PerMinute.Defined() {
		return v.PerMinute, format.Decimal(v.WallSeconds, 1, 1, " s")
	}
	return v.PerEngineMinute, format.Decimal(v.EngineSeconds, 1, 1, " s") + " of engine time"
}

// addCost adds the time for a question and for a right answer.
func (r document) addCost(facts *page.Facts) {
	v := &r.Speed.Cost
	if v.Seconds.Defined() {
		by := "the items' part of the wall time"
		if !r.Speed.WallSeconds.Defined() {
			by = "the engine's time for its items"
		}
		facts.Add("seconds/question", format.Short(v.Seconds)+" s", by)
	}
	if v.Output.Defined() {
		facts.Add("tokens/question", format.Short(v.Output), "output tokens of all its items")
	}
	if v.Right.Defined() {
		facts.Add("seconds/right answer", format.Short(v.Right)+" s", "without failed items")
	}
}

// drafted says what share of the drafted tokens the server accepted; empty if it drafted none.
func (r document) drafted() string {
	v := &r.Speed
	if v.DraftedTokens == 0 {
		return ""
	}
	return fmt.Sprintf("%s of the %s that the server's speculative decoding guessed ahead were accepted", format.Percent(v.AcceptedShare),
		format.Several(v.DraftedTokens, "token"))
}

func (r document) addTokens(facts *page.Facts) {
	v := &r.Speed
	facts.Add("prompt_tokens", format.Count(v.PromptTokens), "")
	reuse := "reuse share " + format.Percent(v.ReuseShare)
	if v.ReusePossible.Defined() {
		reuse += ", possible " + format.Percent(v.ReusePossible)
	}
	facts.Add("reused_tokens", format.Count(v.ReusedTokens), reuse)
	facts.Add("output_tokens", format.Count(v.OutputTokens),
		when(v.Uncounted > 0, "those of %s are not counted: the server does not say how many",
			format.Several(v.Uncounted, "answer")))
	facts.Add("thinking_tokens", format.Count(v.ThinkingTokens), "of the output")
	if drafted := r.drafted(); drafted != "" {
		facts.Add("drafted_tokens", format.Count(v.DraftedTokens), drafted)
	}
	facts.Add("prefill, engine", format.PerSecond(v.Prefill),
		"prompt tokens that were not reused, per second of engine time for prompts")
	var decode []string
	if v.Decode.Defined() || !v.DecodeSlot.Defined() {
		decode = append(decode, "output tokens per second of engine time for output, all slots together")
	}
	if v.DecodeSlot.Defined() {
		decode = append(decode, format.PerSecond(v.DecodeSlot)+" in each slot")
	}
	facts.Add("decode, engine", format.PerSecond(v.Decode), strings.Join(decode, "; "))
}
