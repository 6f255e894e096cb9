package samplesize

import (
	"fmt"
	"unicode/utf8"

	"proctor/backends/setting"
	"proctor/runner/ask/budget"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
)

// A Base is a finished run that a plan is based on.
type Base struct {
	Pace Pace
	run  string
	r    *metrics.Summary
}

// BaseOf reads a finished run. It refuses a run without timings, and one without answers: the length of its completions says nothing
// about a working run.
func BaseOf(run string) (Base, error) {
	r, err := metrics.Open(run, metrics.Options{})
	if err != nil {
		return Base{}, err
	}
	if r.Answered == 0 {
		return Base{}, fmt.Errorf("%s has no answer to any of %s, so it cannot serve as a base: `proctor report %s` says why", run,
			format.Several(r.Items, "item"), setting.Command(run))
	}
	prefill, known := r.Speed.Prefill.Get()
	decode, alsoKnown := r.Speed.Decode.Get()
	if !known || !alsoKnown && r.Direct == nil { // a direct run generates nothing
		return Base{}, fmt.Errorf("%s has no timings to take a speed from; give %s in tokens a second", run,
			setting.Speed.As("PREFILL,DECODE"))
	}
	pace := Pace{
		Output: budget.EarlierOf(run, nil, 0).Length, Prefill: prefill, Decode: decode, Source: run,
	}
	if w := r.Speed.WorkBound; w != nil {
		pace.Decode, pace.Efficiency = w.Decode.Or(decode), r.Speed.Efficiency.Or(0)
	}
	if pace.CharsPerToken, err = charsPerToken(run); err != nil {
		return Base{}, err
	}
	return Base{Pace: pace, run: run, r: r}, nil
}

// charsPerToken is how many characters of a run's prompts make a token of its model, 0 where the journal has no prompts or does
// not count their tokens.
func charsPerToken(run string) (float64, error) {
	reader, err := journal.Open(run)
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	chars, tokens := 0, 0
	for record, err := range reader.Records() {
		if err != nil {
			return 0, err
		}
		if record.Prompt != "" && record.Usage.PromptTokens > 0 {
			chars += utf8.RuneCountInString(reader.Header.Preambles[record.Subject]) + utf8.RuneCountInString(record.Prompt)
			tokens += record.Usage.PromptTokens
		}
	}
	return float64(chars) / float64(max(1, tokens)), nil
}

// nearZero is the headline below which intervals are narrow only because hardly any answer is right.
const nearZero = 0.02

// Expected is the headline to plan with. A run that is near 0, or shown to be worse than guessing, has none.
func (b Base) Expected() (float64, error) {
	h := b.r.Headline
	value, known := h.Value.Get()
	below := !h.CI.IsZero() && h.CI.High < h.Baseline.Or(0)
	if known && value > nearZero && !below {
		return value, nil
	}
	why := "too near 0"
	if below {
		why = "less than guessing, " + format.Percent(h.Baseline)
	}
	return 0, fmt.Errorf("%s scores %s, %s: it cannot serve as a base: give %s with it, or another run", b.run,
		format.Percent(h.Value), why, setting.Expect.As("A"))
}

// DefaultDiscordance is the assumed share of questions on which two models differ: about that of two quantisations of one model. Two
// different models differ on several times as many.
const DefaultDiscordance = 0.08

// DiscordanceOf is the discordance of two finished runs over the questions that both have a score for: the share of questions
// that one gets right and the other wrong, or, of a measure other than accuracy, the share that has the same standard error.
func DiscordanceOf(a, b string) (float64, error) {
	c, err := pairs.Of([]string{a, b}, pairs.Options{})
	if err != nil {
		return 0, err
	}
	pair := &c.Pairs[0]
	switch pair.Decision {
	case "":
		return 0, fmt.Errorf("neither %s nor %s has an answer, so their discordance means nothing: give two runs that work", a, b)
	case pairs.Identical:
		return 0, fmt.Errorf("%s and %s have the same mark on all %s: give %s", a, b,
			format.Several(pair.Questions, "question"), setting.Discordance.As("F"))
	}
	se, known := pair.SE.Get()
	if !known {
		return 0, fmt.Errorf("%s and %s share too few questions to estimate their discordance: give %s", a, b,
			setting.Discordance.As("F"))
	}
	// The variance of the difference d of n questions is (discordance − d²)/n.
	d := pair.Difference.Or(0)
	return min(se*se*float64(pair.Questions)+d*d, 1), nil
}
