package report

import (
	"fmt"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/page"
)

// addNoise adds how many items another run of the same kind would answer differently.
func (r document) addNoise(facts *page.Facts) {
	if p := r.Repeats; p != nil {
		facts.Add("noise floor", format.Percent(p.Noise), "of items answered with another letter in some repeat, "+r.interval(p.NoiseCI))
	}
}

// repeatSections show the differences between repeats, for people.
func (r document) repeatSections() []page.Section {
	if r.Repeats == nil {
		return nil
	}
	p := r.Repeats
	s := page.Section{Title: "Repeats", Warnings: r.About(metrics.AboutRepeats)}
	s.Facts.Add("mean", format.Percent(p.Mean), fmt.Sprintf("over a question's repeats first, then over questions, %s", r.interval(p.CI)))
	s.Facts.Add("run to run", "± "+format.Points(p.RunSD, 2), "standard deviation of the accuracy, asking the same items once more")
	r.addNoise(&s.Facts)
	s.Facts.Add("", "", fmt.Sprintf("between two runs expect %s of answers changed and %s flips",
		format.Percent(p.Changed), format.Percent(p.Flips)))
	s.Facts.Add("majority vote", format.Percent(p.Vote), fmt.Sprintf("the gold letter more often than any other, %s", r.interval(p.VoteCI)))
	if r.Run.Greedy() {
		s.Notes = append(s.Notes, "greedy: the repeats differ by the engine's rounding alone, "+
			"so this is the noise floor of any comparison with this set-up")
	}
	return []page.Section{s}
}

// addAskedAgain adds the outcome of asking items again under a larger cap, and the caps of the answers in the score.
func (r document) addAskedAgain(facts *page.Facts) {
	f := r.AskedAgain
	if f == nil {
		return
	}
	caps := format.Count(f.MaxTokens[0])
	for _, limit := range f.MaxTokens[1:] {
		caps += ", then " + format.Count(limit)
	}
	detail := "under caps of " + caps + " tokens"
	if f.Items > 0 {
		detail += fmt.Sprintf("; of them %s right at first and %s now, %s and %s answered, %s and %s cut", format.Count(f.Before.Correct),
			format.Count(f.After.Correct), format.Count(f.Before.Answered), format.Count(f.After.Answered), format.Count(f.Before.Cut),
			format.Count(f.After.Cut))
	}
	if f.Due > 0 {
		detail += fmt.Sprintf("; %s still to be asked again: %s continues", format.Several(f.Due, "item"), setting.Resume)
	}
	facts.Add("asked again", format.Several(f.Items, "item"), detail)
	facts.Add("", "", "the score is of "+f.Headline())
}
