package ask

import (
	"context"

	"proctor/runner/journal"
)

// sequentially asks block after block, and after each sees whether that is enough, where the run may stop by itself. Interim analyses
// that the journal holds already are not done again: what they decided stands, also where failed items have since been answered.
func (a *asking) sequentially(ctx context.Context) error {
	taken := map[int]journal.Stop{}
	for _, interim := range a.resume.Interims {
		if interim.Shard == 0 {
			taken[interim.Number] = interim.Stop
		}
	}
	for i, block := range a.blocks {
		if err := a.ask(ctx, block); err != nil {
			return err
		}
		if a.stops == nil {
			continue
		}
		stop, before := taken[i+1]
		if !before {
			interim, err := a.stops.Interim(a.to.Path(), i+1, i+1 == len(a.blocks))
			if err != nil {
				return err
			}
			if err := a.to.AppendInterim(interim); err != nil {
				return err
			}
			if a.observer.Interim != nil {
				a.observer.Interim(&interim)
			}
			stop = interim.Stop
		}
		if stop != "" {
			return nil
		}
	}
	return nil
}
