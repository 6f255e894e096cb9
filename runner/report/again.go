package report

import (
	"fmt"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

// addAskedAgain adds what came of asking items again under a larger cap, and under which caps the score's answers were given.
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
		detail += fmt.Sprintf("; %s still to be asked again: %s goes on", format.Several(f.Due, "item"), setting.Resume)
	}
	facts.Add("asked again", format.Several(f.Items, "item"), detail)
	facts.Add("", "", "the score is of "+f.Headline())
}
