package merge

import (
	"math"

	"proctor/runner/journal"
	"proctor/runner/mark/stats/betting"
)

// questionsOf is how many questions the set has of which something is decided: the first ones of a file are a set of their own.
func questionsOf(s *journal.Selection) int {
	if s.First {
		return 0
	}
	all := 0
	for _, n := range s.Population {
		all += n
	}
	return all
}

// together is what the last interim analyses of a run's shards come to, where it is held against another one; nil of others. No
// shard knows what the others saw, so that all questions of the set may be answered and each shard open: then the difference
// itself decides.
func (t *task) together() *journal.Interim {
	against := t.shards[0].run.Header.Selection.UntilDecided
	if against == nil {
		return nil
	}
	all := &journal.Interim{Kind: journal.KindInterim, Number: 1, Evidence: &journal.Evidence{}, Confidence: 1 - against.Alpha}
	count, sum, asked := float64(t.result.Count), 0.0, true
	without := count // shards that have no e-value, whose is 1
	for _, p := range t.shards {
		looks := p.run.Interims()
		if len(looks) == 0 {
			asked = false
			continue
		}
		without--
		last := looks[len(looks)-1]
		all.Number = max(all.Number, last.Number)
		all.RuleSet, all.Headline = last.RuleSet, last.Headline
		all.Questions, all.Items, all.Errors = all.Questions+last.Questions, all.Items+last.Items, all.Errors+last.Errors
		if last.Value != nil {
			sum += *last.Value * float64(last.Items-last.Errors)
		}
		asked = asked && last.Stop == journal.StopAsked
		if e := last.Evidence; e != nil {
			all.Evidence.NotWorse += e.NotWorse
			all.Evidence.Worse += e.Worse
			all.Evidence.Better += e.Better
		}
	}
	e := all.Evidence
	e.NotWorse, e.Worse, e.Better = (e.NotWorse+without)/count, (e.Worse+without)/count, (e.Better+without)/count
	if answered := all.Items - all.Errors; answered > 0 {
		mean := sum / float64(answered)
		all.Value = &mean
	}
	verdict := betting.VerdictOf(e.NotWorse, e.Worse, e.Better, against.Alpha)
	everything := asked && len(t.shards) == t.result.Count
	if verdict == "" && everything && all.Errors == 0 && all.Questions >= questionsOf(&t.shards[0].run.Header.Selection) {
		verdict = betting.Known(math.Round(sum)/float64(all.Items), against.Margin)
	}
	switch {
	case verdict != "":
		all.Decision, all.After, all.Stop = string(verdict), all.Questions, journal.StopDecided
	case everything:
		all.Stop = journal.StopAsked
	}
	return all
}
