package metrics

import (
	"proctor/runner/journal"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/stats/adaptive"
)

// Sequential is how a run went that was to stop once the headline's interval is narrow enough, or once it is decided how it does
// beside another run.
type Sequential struct {
	Target     float64               `json:"until_half_width,omitempty"`
	Against    *journal.UntilDecided `json:"until_decided,omitempty"`
	Decision   string                `json:"decision,omitempty"`      // as compare has it; nothing where it is open
	After      int                   `json:"decided_after,omitempty"` // questions
	Confidence float64               `json:"confidence,omitempty"`    // of the interval that decided
	Interims   int                   `json:"looks"`
	Stopped    journal.Stop          `json:"stopped,omitempty"` // narrow, asked, decided, or nothing where the run is not finished
	History    []Interim             `json:"history,omitempty"`

	// Of a draw in strata by the reference's doubt: what that was worth, see [adaptive.Quality].
	AUC     stats.Number `json:"doubt_auc,omitzero"`
	Uniform stats.Number `json:"uniform_questions,omitzero"`

	Calibration []adaptive.Calibrated `json:"strata,omitempty"` // what was expected of each stratum: see [adaptive.Calibrate]
	Explained   stats.Number          `json:"deviance_explained,omitzero"`
}

// An Interim is one interim analysis: what the interval was then.
type Interim struct {
	Number    int               `json:"look"` // from 1
	Questions int               `json:"questions"`
	Shard     int               `json:"shard,omitempty"` // of a merged run: whose it is; 0 of all
	Items     int               `json:"items"`
	Errors    int               `json:"errors"`
	Headline  string            `json:"headline"`
	RuleSet   string            `json:"rule_set"`
	Value     stats.Number      `json:"value,omitzero"`
	HalfWidth stats.Number      `json:"half_width,omitzero"`
	Evidence  *journal.Evidence `json:"e_values,omitempty"`
	Draw      *journal.Drawn    `json:"draw,omitempty"`     // of a draw in strata
	Interval  *[2]float64       `json:"interval,omitempty"` // a confidence sequence's, for the value
}

// sequential sets how a run that may stop by itself went.
func (r *Summary) sequential(h *journal.Header, interims []journal.Interim) {
	if !h.Selection.StopsItself() {
		return
	}
	s := &Sequential{Target: finite(h.Selection.UntilHalfWidth), Against: h.Selection.UntilDecided, Interims: len(interims)}
	for _, interim := range interims {
		s.History = append(s.History, Interim{
			Number: interim.Number, Shard: interim.Shard, Questions: interim.Questions, Items: interim.Items, Errors: interim.Errors,
			Headline: interim.Headline, RuleSet: interim.RuleSet,
			Value: stats.Known(interim.Value), HalfWidth: stats.Known(interim.HalfWidth),
			Evidence: interim.Evidence, Draw: interim.Draw, Interval: interim.Interval,
		})
		s.Decision, s.After = interim.Decision, interim.After
		s.Confidence, s.Stopped = finite(interim.Confidence), interim.Stop
	}
	s.draw(h)
	r.Sequential = s
	if s.Stopped == journal.StopDecided {
		r.warn(AboutAccuracy, "the run stopped once its comparison with "+s.Against.Run+
			" was decided (see Stopping); its own score rests on the questions asked until then")
	}
	if h.Selection.StratumSizes() != nil {
		r.warn(AboutAccuracy, "more of the questions were asked whose answers were likely to flip: the score weights them back to the set; "+
			"figures by subject, letter or rule set are of the questions asked alone")
	}
}

// draw sets what doubt was worth.
func (s *Sequential) draw(h *journal.Header) {
	if h.Selection.StratumSizes() == nil || len(s.History) == 0 || s.History[len(s.History)-1].Draw == nil {
		return
	}
	var strata []adaptive.Stratum
	for _, stratum := range h.Selection.UntilDecided.Strata {
		strata = append(strata, adaptive.Stratum(stratum))
	}
	drawn := s.History[len(s.History)-1].Draw
	if len(drawn.Known) == len(strata) {
		q := adaptive.QualityOf(strata, drawn.Known, drawn.Flips)
		s.AUC, s.Uniform = q.AUC, q.Uniform
	}
	var blocks []adaptive.Counts
	for _, look := range s.History {
		if look.Shard == 0 && look.Draw != nil && len(look.Draw.Known) == len(strata) && len(look.Draw.Flips) == len(strata) {
			blocks = append(blocks, adaptive.Counts{Known: look.Draw.Known, Flips: look.Draw.Flips})
		}
	}
	s.Calibration, s.Explained = adaptive.Calibrate(strata, blocks)
}

// planned is how many items the run set out to ask: of one that stopped by itself those up to there.
func (r *Summary) planned(h *journal.Header) int {
	if s := r.Sequential; s != nil && s.Stopped != "" {
		return s.History[len(s.History)-1].Items
	}
	if h.Shard != nil {
		return h.Shard.Items
	}
	return h.Selection.Items
}
