package ask

import (
	"maps"
	"slices"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/ask/prefixes"
	"proctor/runner/ask/stopping"
)

// A Basis is a plan that is made once for several sessions that ask the same: questions, prompts, and what the prompts' tokens are
// in each vocabulary.
type Basis struct {
	set       *dataset.Set
	eval      prompts.Eval
	selection dataset.Selection
	settings  Settings
	plan      *Plan
	measured  map[string]prefixes.Tokens // of the plan's items, by the vocabulary's SHA-256
}

// NewBasis plans an eval; see [NewPlan].
func NewBasis(set *dataset.Set, eval prompts.Eval, selection dataset.Selection, settings Settings) (*Basis, error) {
	plan, err := NewPlan(set, eval, selection, settings)
	if err != nil {
		return nil, err
	}
	selection.Subjects = plan.header.Selection.Subjects
	return &Basis{set, eval, selection, settings, plan, map[string]prefixes.Tokens{}}, nil
}

// Items is how many prompts there are.
func (b *Basis) Items() int { return len(b.plan.Items) }

// On asks what a basis has, in one session of several.
type On struct {
	*Basis
	Until         stopping.Until // where it has a run, ends the asking early
	KeepsLogprobs bool           // as in [Settings]
}

// plans implements [Asked].
func (b On) plans(o *Options) ([]*Plan, error) {
	plan := *b.plan
	plan.Items, plan.measured = slices.Clone(plan.Items), b.measured
	plan.header.Preambles = maps.Clone(plan.header.Preambles)
	plan.header.Notes = slices.Clone(plan.header.Notes)
	plan.keepsLogprobs = b.KeepsLogprobs
	if b.Until.Run != "" {
		rules, err := rulesFor(b.eval, b.settings)
		if err != nil {
			return nil, err
		}
		from, _, err := population(b.set, b.selection, len(b.plan.Items), true)
		if err != nil {
			return nil, err
		}
		if err := plan.holdAgainst(b.Until, rules, from); err != nil {
			return nil, err
		}
	}
	if o.Resume {
		if err := plan.goOn(o.Out, o, b.set, b.eval, b.selection, b.settings); err != nil {
			return nil, err
		}
	}
	return []*Plan{&plan}, nil
}

// known are the prompts' tokens where they were made before with the tokenizer's vocabulary; vocabulary is empty where there is no
// telling.
func (p *Plan) known(tokenizer backends.Tokenizer) (all prefixes.Tokens, vocabulary string) {
	scorer, tells := tokenizer.(backends.Scorer)
	if !tells || p.measured == nil {
		return nil, ""
	}
	vocabulary = scorer.VocabularySHA256()
	return p.measured[vocabulary], vocabulary
}
