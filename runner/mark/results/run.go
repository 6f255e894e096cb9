package results

import (
	"fmt"
	"slices"
	"strconv"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

// A Run is a run whose items are marked under every rule set that applies to its task.
type Run struct {
	Header   journal.Header
	RuleSets []grade.RuleSet   // the requested one first
	Items    []*Item           // each id once, sorted by subject, question, repeat and variant
	Earlier  []*Item           // replaced completions, in the same order; only for a run that was asked again
	Times    *Times            // nil where the journal has no times
	Interims []journal.Interim // the interim analyses of a run that was to stop by itself, by number
	Warnings []string          // damage tolerated in the journal
}

// Open reads and marks a run, given as its folder or its journal; ruleSet names the first of RuleSets, or is the text of a
// rule file, empty for the run's own.
func Open(run, ruleSet string) (*Run, error) { return open(run, ruleSet, false) }

// OpenUnder is Open with one rule set only, which takes less time and memory; items keep their short texts.
func OpenUnder(run, ruleSet string) (*Run, error) { return open(run, ruleSet, true) }

func open(run, ruleSet string, alone bool) (*Run, error) {
	reader, err := journal.Open(run)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	rules, err := ruleSets(&reader.Header, ruleSet)
	if err != nil {
		return nil, err
	}
	if alone {
		rules = rules[:1]
	}
	r := &Run{Header: reader.Header, RuleSets: rules}
	if err := r.gather(lines{reader.Records(), reader.Place, reader.Partials, alone}); err != nil {
		return nil, err
	}
	r.Interims, r.Warnings = reader.Interims(), reader.Warnings()
	return r, nil
}

// ruleSets are the rule sets that apply to the run's task, the one with the given name first.
func ruleSets(h *journal.Header, name string) ([]grade.RuleSet, error) {
	own, err := grade.Own(h)
	if err != nil && name == "" {
		return nil, err
	}
	chosen, all := own, grade.For(h.Task)
	if !slices.ContainsFunc(all, func(s grade.RuleSet) bool { return s.Name == own.Name }) && own.Applies(h.Task) { // a file's, or one task's
		all = append([]grade.RuleSet{own}, all...)
	}
	if name != "" && name != own.Name {
		if chosen, err = grade.Lookup(name); err != nil {
			return nil, err
		}
	}
	if !chosen.Applies(h.Task) {
		return nil, fmt.Errorf("rule set %s is not for task %s; %s are", chosen.Name, h.Task, grade.Names(all))
	}
	others := slices.DeleteFunc(all, func(s grade.RuleSet) bool { return s.Name == chosen.Name })
	return append([]grade.RuleSet{chosen}, others...), nil
}

// Without returns the run without some questions, in all their items; ids that no question of the run has are an error.
func (r *Run) Without(ids []string) (*Run, error) {
	left, rest := map[string]int{}, *r
	for _, id := range ids {
		left[id] = 0
	}
	rest.Items = nil
	for _, it := range r.Items {
		id := strconv.Itoa(it.QuestionID)
		if n, out := left[id]; out {
			left[id] = n + 1
		} else {
			rest.Items = append(rest.Items, it)
		}
	}
	for _, id := range ids {
		if left[id] == 0 {
			return nil, fmt.Errorf("%s: the run has no such question; `proctor report RUN %s` lists what it has",
				setting.Without.As(id), setting.Items)
		}
	}
	if len(rest.Items) == 0 {
		return nil, fmt.Errorf("%s leaves no question of the run", setting.Without)
	}
	return &rest, nil
}

// NotTaken are the parts of the sampling that a server did not take for some item, sorted.
func (r *Run) NotTaken() (all []string) {
	for _, it := range r.Items {
		all = append(all, it.NotTaken...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// View is all items under one of RuleSets, by its index there.
func (r *Run) View(rule int) View { return View{r.Items, rule} }
