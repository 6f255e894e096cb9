package choice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
)

// Alone is a model's speed and memory with one request at a time, each with an empty cache.
type Alone struct {
	Measured bool           `json:"measured,omitempty"`
	Prefill  stats.Estimate `json:"prefill_tokens_per_second,omitzero"`
	Decode   stats.Estimate `json:"decode_tokens_per_second,omitzero"`
	Others   backends.Load  `json:"other_programs,omitzero"` // meanwhile, of the busiest round
	Memory   int64          `json:"memory_bytes,omitempty"`  // of weights, cache and scratch, on all devices
	Context  int            `json:"context,omitempty"`       // tokens in the cache
	Why      string         `json:"unknown,omitempty"`       // why not all of this is known
}

// A Candidate is one of the models to choose from.
type Candidate struct {
	Name string             `json:"name"`
	Ref  string             `json:"model"` // the value of --model: a file's path or another reference
	Info backends.ModelInfo `json:"info"`  // properties known without asking questions
	Alone
	// from the reference; the reference's own is read with other slots: the floor
	KLD   *divergence.Distance `json:"kld,omitempty"`
	NoKLD string               `json:"no_kld,omitempty"`
	// The wishes that it keeps, those that it breaks and by how much, and those of which neither is shown.
	Keeps     []string `json:"keeps,omitempty"`
	Fails     []string `json:"fails,omitempty"`
	Undecided []string `json:"undecided,omitempty"`
	Out       string   `json:"out,omitempty"` // why it was skipped

	Run  *pairs.Run  `json:"-"` // nil for one without a run
	Pair *pairs.Pair `json:"-"` // with the reference; nil of the reference itself, too
}

// A Choice says which of the candidates to run, and why.
type Choice struct {
	Wanted         []string              `json:"wanted"`
	Margin         float64               `json:"margin"`     // a share: the loss that is put up with
	Candidates     []Candidate           `json:"candidates"` // the reference first
	Recommendation *pairs.Recommendation `json:"recommendation"`
	Comparison     *pairs.Comparison     `json:"comparison,omitempty"` // of the candidates with runs; none for fewer than two
	Notices        []string              `json:"notices,omitempty"`
	Saved          string                `json:"-"` // the folder with the choice, for people
}

// Of chooses among candidates, which the comparison names as its runs.
func Of(candidates []Candidate, wishes Wishes, margin float64, c *pairs.Comparison) *Choice {
	choice := &Choice{Wanted: wishes.each(), Margin: margin, Candidates: candidates, Comparison: c}
	for i := range candidates {
		it := &candidates[i]
		it.Keeps, it.Fails, it.Undecided = wishes.Judge(it)
		for _, open := range it.Undecided {
			choice.Notices = append(choice.Notices, it.Name+": "+open)
		}
	}
	if c != nil {
		choice.join(c)
	}
	choice.Recommendation = choice.recommend()
	choice.spare()
	return choice
}

// join gives candidates their runs and pairs.
func (c *Choice) join(compared *pairs.Comparison) {
	for i := range compared.Runs {
		it := c.named(compared.Runs[i].Name)
		if it.Run = &compared.Runs[i]; i > 0 {
			it.Pair = &compared.Pairs[i-1]
		}
	}
}

// spare skips candidates that are not needed: without a run, and no smaller than one that meets all wishes.
func (c *Choice) spare() {
	chosen := c.named(c.Recommendation.Run)
	if chosen == nil || chosen.Pair == nil || len(c.Wanted) == 0 {
		return
	}
	for i := range c.Candidates {
		if it := &c.Candidates[i]; it.Run == nil && len(it.Fails) == 0 && it.Info.SizeBytes >= chosen.Info.SizeBytes {
			it.Out = chosen.Name + " holds all that is wanted and is no larger"
		}
	}
}

// named finds a candidate by name; nil for none.
func (c *Choice) named(name string) *Candidate {
	if i := slices.IndexFunc(c.Candidates, func(it Candidate) bool { return it.Name == name }); i >= 0 {
		return &c.Candidates[i]
	}
	return nil
}

// recommend recommends a candidate that is shown to keep all wishes.
func (c *Choice) recommend() *pairs.Recommendation {
	fits := func(run *pairs.Run) bool { it := c.named(run.Name); return len(it.Fails)+len(it.Undecided) == 0 }
	if len(c.Wanted) == 0 {
		fits = nil
	}
	r := c.withoutQuestions()
	if c.Comparison != nil {
		r = c.Comparison.Recommend(fits)
	}
	if chosen := c.named(r.Run); chosen != nil {
		r.RestsOn = append(r.RestsOn, chosen.Keeps...)
	}
	var failed []string
	for i := range c.Candidates {
		if it := &c.Candidates[i]; len(it.Fails)+len(it.Undecided) > 0 {
			failed = append(failed, it.Name+": "+strings.Join(slices.Concat(it.Fails, it.Undecided), "; "))
		}
	}
	r.Open = append(failed, r.Open...)
	return r
}

// withoutQuestions is the recommendation where the reference alone is left to run the questions.
func (c *Choice) withoutQuestions() *pairs.Recommendation {
	reference := &c.Candidates[0]
	if len(reference.Fails) > 0 {
		return &pairs.Recommendation{Sentence: "no recommendation: no candidate holds all that is wanted"}
	}
	if len(reference.Undecided) > 0 {
		return &pairs.Recommendation{Sentence: "no recommendation: no candidate is shown to hold all that is wanted"}
	}
	return &pairs.Recommendation{
		Run: reference.Name, Ref: reference.Ref, Sentence: reference.Name + ": no other candidate holds all that is wanted",
	}
}

// Recipes lists each candidate's tensor types, where known: files of one type may differ.
func (c *Choice) Recipes() (all []string) {
	for i := range c.Candidates {
		if recipe := c.Candidates[i].Info.Recipe(); recipe != "" {
			all = append(all, fmt.Sprintf("%s: %s", c.Candidates[i].Name, recipe))
		}
	}
	return all
}

// Alike lists the candidates of one type's name whose tensors have different types.
func (c *Choice) Alike() (all []string) {
	for i := range c.Candidates {
		a := &c.Candidates[i].Info
		for j := range c.Candidates[:i] {
			b := &c.Candidates[j].Info
			if a.Quantization != "" && a.Quantization == b.Quantization && a.Recipe() != b.Recipe() {
				all = append(all, fmt.Sprintf("%s and %s are both called %s: %s; %s", c.Candidates[j].Name, c.Candidates[i].Name,
					a.Quantization, b.Recipe(), a.Recipe()))
			}
		}
	}
	return all
}

// Sizes says what the candidates' memory and speeds were measured with.
func (c *Choice) Sizes() string {
	i := slices.IndexFunc(c.Candidates, func(it Candidate) bool { return it.Context > 0 })
	if i < 0 {
		return ""
	}
	text := fmt.Sprintf("memory and speed are of one request at a time with %s of context",
		format.Several(c.Candidates[i].Context, "token"))
	busiest := slices.MaxFunc(c.Candidates, func(a, b Candidate) int {
		return cmp.Compare(a.Others.Share, b.Others.Share)
	})
	if busiest.Others.Busy() {
		text += fmt.Sprintf("; meanwhile %s", busiest.Others)
	}
	return text
}
