package runner

import (
	"context"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/metrics"
)

// sequence asks batch after batch, and after each sees whether the headline's interval is narrow enough. Looks that
// the journal holds already are not taken again: what they decided stands, also where failed items have since been
// answered.
func (p *Plan) sequence(ctx context.Context, model backends.Model, to *journal.Writer, resume *journal.Resume, watch func(*journal.Record)) error {
	taken := map[int]journal.Stop{}
	for _, interim := range resume.Interims {
		taken[interim.Number] = interim.Stop
	}
	for i, batch := range p.batches {
		if err := p.ask(ctx, model, to, resume, watch, batch); err != nil {
			return err
		}
		stop, before := taken[i+1]
		if !before {
			interim, err := p.interim(to.Path(), i+1)
			if err != nil {
				return err
			}
			if err := to.AppendInterim(interim); err != nil {
				return err
			}
			if p.Interim != nil {
				p.Interim(&interim)
			}
			stop = interim.Stop
		}
		if stop != "" {
			return nil
		}
	}
	return nil
}

// look reports what the journal holds and decides by that: the interval is the one that the final report will show.
func (p *Plan) interim(path string, number int) (journal.Interim, error) {
	r, err := metrics.Open(path, metrics.Options{})
	if err != nil {
		return journal.Interim{}, err
	}
	interim := journal.Interim{
		Number: number, Questions: r.Questions, Items: r.Items, Errors: r.Errors,
		RuleSet: r.RuleSet, Headline: r.Headline.Name, Confidence: r.Confidence,
	}
	if value, defined := r.Headline.Value.Get(); defined {
		interim.Value = &value
	}
	width, defined := r.Headline.CI.HalfWidth().Get()
	if defined {
		interim.HalfWidth = &width
	}
	switch {
	case defined && width <= p.header.Selection.UntilHalfWidth:
		interim.Stop = journal.StopNarrow
	case number == len(p.batches):
		interim.Stop = journal.StopAsked
	}
	return interim, nil
}
