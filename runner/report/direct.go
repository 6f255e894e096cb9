package report

import (
	"fmt"
	"strconv"

	"github.com/dustin/go-humanize/english"

	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// addGoldLogprob adds how likely the gold letters are.
func (r document) addGoldLogprob(facts *page.Facts) {
	if d := r.Direct; d != nil {
		facts.Add("log p(gold)", format.Plain(d.GoldLogprob), "mean over items, among the question's letters, "+
			r.intervalOf(d.GoldLogprobCI, format.PlainBounds)+"; guessing "+format.Plain(d.GoldGuess))
	}
}

// directSection is what the letters' probabilities are worth, how they were normalised, and the reliability table.
func (r document) directSection() page.Section {
	s := page.Section{Title: "Probabilities of the letters", Warnings: r.About(metrics.AboutDirect)}
	d := r.Direct
	if d == nil {
		return s
	}
	s.Drawings = []page.Drawing{r.calibration()}
	r.addGoldLogprob(&s.Facts)
	s.Facts.Add("log p(gold), vocabulary", format.Plain(d.GoldVocabulary), "over the whole vocabulary, "+
		r.intervalOf(d.GoldVocabularyCI, format.PlainBounds))
	s.Facts.Add("mass on the letters", format.Percent(d.LetterMass), "of the whole vocabulary's, "+r.interval(d.LetterMassCI))
	s.Facts.Add("Brier score", format.Plain(d.Brier), "0 is sure and right, 2 sure and wrong, "+
		r.intervalOf(d.BrierCI, format.PlainBounds)+"; guessing "+format.Plain(d.BrierGuess))
	s.Facts.Add("confidence", format.Percent(d.Confidence), "mean probability of the likeliest letter; minus accuracy "+
		format.Change(d.Overconfidence, 2)+", "+r.intervalOf(d.OverconfidenceCI, format.ChangeBounds))
	s.Facts.Add("calibration error", format.Percent(d.ECE), r.calibrated(d))
	s.Table = r.reliability(d)
	s.Notes = []string{"natural logarithms; a letter is written by " + r.spellings()}
	return s
}

// spellings are the tokens that count as a letter.
func (r document) spellings() string {
	if r.Run.Direct == nil || len(r.Run.Direct.Spellings) == 0 {
		return "tokens that the journal does not name"
	}
	var quoted []string
	for _, spelling := range r.Run.Direct.Spellings {
		quoted = append(quoted, strconv.Quote(spelling))
	}
	text := "the token " + quoted[0]
	if len(quoted) > 1 {
		text = "the tokens " + english.OxfordWordSeries(quoted, "and") + ", whose probabilities are added up"
	}
	return text + ", and likewise for the other letters"
}

// calibrated says how large a calibration error is due to chance.
func (r document) calibrated(d *metrics.Direct) string {
	text := fmt.Sprintf("ECE over %d bins of confidence", stats.CalibrationBins)
	if !d.ECEMost.Defined() {
		return text
	}
	return text + fmt.Sprintf("; a calibrated model would show %s with these items, at most %s (%g %% of the time)",
		format.Short(d.ECECalibrated.Times(100))+" %", format.Short(d.ECEMost.Times(100))+" %", 100*r.Confidence)
}

// reliability is the table of how often the likeliest letter is right, by how likely it was.
func (r document) reliability(d *metrics.Direct) *page.Grid {
	g := &page.Grid{Head: []string{"confidence", "items", "mean confidence", "accuracy", r.confidence()}}
	for _, b := range d.Bins {
		g.Add(fmt.Sprintf("%.0f–%.0f %%", 100*b.Low, 100*b.High), format.Count(b.Items), format.Percent(b.Confidence),
			format.Percent(b.Accuracy), format.Bounds(b.AccuracyCI))
	}
	return g
}
