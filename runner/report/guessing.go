package report

import (
	"fmt"

	"proctor/runner/words"
)

// verdict says whether the run beats guessing.
func (r document) verdict() string {
	switch {
	case r.Baseline.Better == nil:
		return "whether it beats guessing can't be told"
	case *r.Baseline.Better:
		return fmt.Sprintf("better than guessing (%s)", words.Probability(r.Baseline.PValue))
	}
	return fmt.Sprintf("not shown to be better than guessing (%s); %s", words.Probability(r.Baseline.PValue), r.wouldShow())
}

// wouldShow says how many questions would show a run to beat guessing that is not yet shown to.
func (r document) wouldShow() string {
	if r.Baseline.Needed == 0 {
		return "if it stays so, more questions do not show it"
	}
	text := fmt.Sprintf("if it stays so, about %s show it 4 times in 5", words.Several(words.Upwards(r.Baseline.Needed), "question"))
	if rows := r.Run.Dataset.Rows; 0 < rows && rows < r.Baseline.Needed {
		return text + fmt.Sprintf(" (the set has %s)", words.Count(rows))
	}
	if each, known := r.Speed.Cost.Seconds.Get(); known {
		text += fmt.Sprintf(" (%s more)", words.Roughly(each*float64(r.Baseline.Needed-r.Questions)))
	}
	return text
}
