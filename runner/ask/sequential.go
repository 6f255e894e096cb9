package ask

import (
	"context"
	"fmt"

	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
)

// sequentially asks block after block, and after each sees whether that is enough, where the run may stop by itself. Interim analyses
// that the journal holds already are not done again: what they decided stands, also where failed items have since been answered.
func (a *asking) sequentially(ctx context.Context) error {
	taken := map[int]journal.Interim{}
	for _, interim := range a.resume.Interims {
		if interim.Shard == 0 {
			taken[interim.Number] = interim
		}
	}
	var looks []journal.Interim // of a draw in strata
	for i, blocks := 0, a.blocks; i < len(blocks); i++ {
		if err := a.ask(ctx, blocks[i]); err != nil {
			return err
		}
		if a.stops == nil {
			continue
		}
		interim, before := taken[i+1]
		if !before {
			var err error
			if interim, err = a.look(i+1, i+1 == len(blocks)); err != nil {
				return err
			}
		}
		if interim.Stop != "" {
			return nil
		}
		if interim.Draw != nil { // what was answered decides what is asked next
			looks = append(looks, interim)
			next, err := a.stops.(*stopping.Reference).Block(looks)
			if err != nil {
				return fmt.Errorf("%s: %w", a.to.Path(), err)
			}
			blocks = append(blocks, next)
		}
	}
	return nil
}

// look makes an interim analysis, keeps it and shows it.
func (a *asking) look(number int, last bool) (journal.Interim, error) {
	interim, err := a.stops.Interim(a.to.Path(), number, last)
	if err != nil {
		return interim, err
	}
	if err := a.to.AppendInterim(interim); err != nil {
		return interim, err
	}
	if a.observer.Interim != nil {
		a.observer.Interim(&interim)
	}
	return interim, nil
}
