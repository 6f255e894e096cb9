package report

import (
	"strconv"

	"github.com/dustin/go-humanize/english"

	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/page"
)

// addGoldLogprob adds the mean log probability of the gold letters.
func (r document) addGoldLogprob(facts *page.Facts) {
	if d := r.Direct; d != nil {
		facts.Add("log p(gold)", format.Plain(d.GoldLogprob), "mean over items, among the question's letters, "+
			r.intervalOf(d.GoldLogprobCI, format.PlainBounds)+"; guessing "+format.Plain(d.GoldGuess))
	}
}

// directSection has the quality of the letters' probabilities, and how they were normalised.
func (r document) directSection() page.Section {
	s := page.Section{Title: "Probabilities of the letters", Warnings: r.About(metrics.AboutDirect)}
	d := r.Direct
	if d == nil {
		return s
	}
	r.addGoldLogprob(&s.Facts)
	s.Facts.Add("log p(gold), vocabulary", format.Plain(d.GoldVocabulary), "over the whole vocabulary, "+
		r.intervalOf(d.GoldVocabularyCI, format.PlainBounds))
	s.Facts.Add("mass on the letters", format.Percent(d.LetterMass), "of the whole vocabulary's, "+r.interval(d.LetterMassCI))
	s.Facts.Add("Brier score", format.Plain(d.Brier), "0 is sure and right, 2 sure and wrong, "+
		r.intervalOf(d.BrierCI, format.PlainBounds)+"; guessing "+format.Plain(d.BrierGuess))
	s.Facts.Add("confidence", format.Percent(d.Confidence), "mean probability of the likeliest letter; minus accuracy "+
		format.Change(d.Overconfidence, 2)+", "+r.intervalOf(d.OverconfidenceCI, format.ChangeBounds))
	s.Notes = []string{"natural logarithms; a letter is written by " + r.spellings()}
	return s
}

// spellings lists the tokens that count as a letter.
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
