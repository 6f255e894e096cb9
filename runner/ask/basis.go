package ask

import (
	"maps"
	"slices"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/dataset"
)

// A Basis is a plan that is made once for several sessions that ask the same: questions, prompts, and what the prompts' tokens are
// in each vocabulary.
type Basis struct {
	set       *dataset.Set
	eval      prompts.Eval
	selection dataset.Selection
	settings  Settings
	plan      *Plan
	measured  map[string][]*tokens // of the plan's items, by the vocabulary's SHA-256
}

// NewBasis plans an eval; see [NewPlan].
func NewBasis(set *dataset.Set, eval prompts.Eval, selection dataset.Selection, settings Settings) (*Basis, error) {
	plan, err := NewPlan(set, eval, selection, settings)
	if err != nil {
		return nil, err
	}
	selection.Subjects = plan.header.Selection.Subjects
	return &Basis{set, eval, selection, settings, plan, map[string][]*tokens{}}, nil
}

// Items is how many prompts there are.
func (b *Basis) Items() int { return len(b.plan.Items) }

// PlanOn is Plan on a basis, which several sessions may have, one after the other. until, where it has a run, ends the asking early;
// keepsLogprobs is as in [Settings].
func (s *Session) PlanOn(b *Basis, until Until, keepsLogprobs bool) error {
	plan := *b.plan
	plan.Items, plan.measured = slices.Clone(plan.Items), b.measured
	plan.header.Preambles = maps.Clone(plan.header.Preambles)
	plan.header.Notes = slices.Clone(plan.header.Notes)
	plan.keepsLogprobs, plan.Interim = keepsLogprobs, s.Interim
	if until.Run != "" {
		rules, err := rulesFor(b.eval, b.settings)
		if err != nil {
			return err
		}
		if plan.rival, err = newRival(until, &plan, b.eval, b.set, b.selection, rules); err != nil {
			return err
		}
		plan.batches = plan.rival.batches()
		plan.header.Selection.UntilDecided = plan.rival.journal()
		if plan.header.Selection.Population, _, err = population(b.set, b.selection, len(b.plan.Items), true); err != nil {
			return err
		}
	}
	s.plans = []*Plan{&plan}
	if !s.Resume {
		return nil
	}
	return s.goOnWith(&plan, b.set, b.eval, b.selection, b.settings)
}

// known are the prompts' tokens where they were made before with the tokenizer's vocabulary; vocabulary is empty where there is no
// telling.
func (p *Plan) known(tokenizer backends.Tokenizer) (all []*tokens, vocabulary string) {
	scorer, tells := tokenizer.(backends.Scorer)
	if !tells || p.measured == nil {
		return nil, ""
	}
	vocabulary = scorer.VocabularySHA256()
	return p.measured[vocabulary], vocabulary
}
