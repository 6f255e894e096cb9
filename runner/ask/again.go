package ask

import (
	"fmt"
	"slices"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/again"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
)

// askAgain has a plan ask some items of a run again, under its own cap, which is larger than the run's. Under the same one it goes on
// with what was asked again already, and takes more items where more are named.
func (p *Plan) askAgain(was *journal.Header, which []string) error {
	limit, before := p.header.Sampling.MaxTokens, was.Sampling.MaxTokens
	switch {
	case p.Task.Direct:
		return fmt.Errorf("%s: %s generates nothing that a cap could cut", setting.Again, p.Task)
	case was.Selection.StopsItself():
		return fmt.Errorf("%s: the run's interim analyses decided by its first answers: start a new run with a larger %s", setting.Again,
			setting.MaxTokens)
	case p.extends > 0:
		return fmt.Errorf("%s and a larger %s: ask again first, then extend the run", setting.Again, setting.Limit)
	}
	all := slices.Clone(was.AskedAgain)
	switch {
	case limit > before:
		all = append(all, journal.AskedAgain{MaxTokens: before, Which: which})
	case limit == before && len(all) > 0:
		last := &all[len(all)-1]
		more := slices.Concat(last.Which, which)
		slices.Sort(more)
		last.Which = slices.Compact(more)
	default:
		return fmt.Errorf("%s asks under a larger cap than the run's: give %s with more than %d", setting.Again, setting.MaxTokens, before)
	}
	p.raises, p.header.AskedAgain = true, all
	return nil
}

// dividedUnder is the cap that a run in a folder began with, or is going to: shards are divided by it, also once it is raised.
func (o *Options) dividedUnder(folder string, plan *Plan) int {
	if begun, err := journal.Begun(folder); o.Resume && err == nil {
		return begun.Cap(&journal.Record{})
	}
	return plan.header.Sampling.MaxTokens
}

// again takes the items that are to be asked again from those that are done, and says how many they are.
func (s *Session) again(plan *Plan, folder string, resume *journal.Resume) error {
	if len(plan.header.AskedAgain) == 0 || len(resume.Done) == 0 {
		return nil
	}
	due, err := plan.due(folder)
	if err != nil {
		return err
	}
	for _, it := range due {
		delete(resume.Done, it.ID)
		resume.Failed[it.ID] = max(resume.Failed[it.ID], it.Attempt)
	}
	if plan.raises || len(due) > 0 {
		Tell(s.OnPlan, fmt.Sprintf("asks %s again (%s), under a cap of %s", format.Several(len(due), "item"), again.Named(&plan.header),
			format.Several(plan.header.Sampling.MaxTokens, "token")))
	}
	return nil
}

// due are the items of a run in a folder that are to be asked again under the plan's cap.
func (p *Plan) due(folder string) ([]*results.Item, error) {
	if len(p.header.AskedAgain) == 0 {
		return nil, nil
	}
	run, err := results.OpenUnder(folder, "")
	if err != nil {
		return nil, err
	}
	run.Header.AskedAgain, run.Header.Sampling.MaxTokens = p.header.AskedAgain, p.header.Sampling.MaxTokens
	return again.Due(run), nil
}

// undo takes the items that are to be asked again from those that the run that goes on has done.
func (p *Plan) undo() error {
	due, err := p.due(p.begun)
	for _, it := range due {
		delete(p.earlier.Done, it.ID)
	}
	return err
}
