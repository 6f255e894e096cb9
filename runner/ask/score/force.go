package score

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"proctor/backends"
	"proctor/runner/mark/results"
)

// A scorer is a model that can read transcripts.
type scorer interface {
	backends.Model
	backends.Scorer
	backends.Tokenizer
}

// Options configure scoring.
type Options struct {
	Confidence float64                 // of intervals
	Watch      func(done, all int)     // after each item; may be nil
	Now        func() time.Time        //
	OnPlan     func(allocation string) // gets the model's memory plan; may be nil
}

// Force reads all transcripts with an open model, and scores them. It refuses a model whose token ids differ in meaning from the
// run's.
func (t *Transcripts) Force(ctx context.Context, opened backends.Model, o Options) (*Model, error) {
	model, can := opened.(scorer)
	if !can {
		return nil, errors.New("this model gives no log-probabilities of a given text: give a GGUF file")
	}
	info, err := model.Info(ctx)
	if err != nil {
		return nil, err
	}
	if kept := t.run.Header.Logprobs; kept != nil && model.VocabularySHA256() != kept.VocabularySHA256 {
		return nil, fmt.Errorf("%s has another vocabulary than the model of %s (%s): their tokens cannot be compared",
			info.Model.Ref, t.path, t.run.Header.Model.Title())
	}
	work, err := t.work(model)
	if err != nil {
		return nil, err
	}
	if work.Requests == 0 {
		return nil, fmt.Errorf("%s: every completion is empty, so there is nothing to read: choose another run", t.path)
	}
	if planner, can := model.(backends.Planner); can {
		allocation, err := planner.Plan(ctx, work)
		if err != nil {
			return nil, err
		}
		if o.OnPlan != nil {
			o.OnPlan(allocation.Description)
		}
	}
	backends.LoadOf(model)
	began := o.Now()
	scored, failed, err := t.force(ctx, model, o, work.Requests)
	if err != nil {
		return nil, err
	}
	if len(scored) == 0 {
		return nil, fmt.Errorf("%s could read none of the transcripts: %s", info.Model.Ref, failed[0].Error)
	}
	if info, err = model.Info(ctx); err != nil {
		return nil, err
	}
	m := &Model{Info: info.Model, Engine: info.Engine, Failed: failed, Others: backends.LoadOf(model)}
	if t.kept != nil {
		m.Method = lowerBound
	}
	m.figures(scored, o.Confidence)
	m.Seconds = o.Now().Sub(began).Seconds()
	return m, nil
}

// work is the size of reading the transcripts. Empty completions are skipped.
func (t *Transcripts) work(model scorer) (work backends.Workload, err error) {
	work.Forced = true
	for _, it := range t.items {
		whole, err := t.read(it, model)
		if err != nil {
			return work, err
		}
		forced := whole.request.Forced
		if len(forced.Tokens) == 0 {
			continue
		}
		tokens, err := model.Tokenize(whole.request.Prompt)
		if err != nil {
			return work, err
		}
		work.Requests++
		work.PromptTokens = max(work.PromptTokens, len(tokens)-forced.Replaces+len(forced.Tokens))
	}
	return work, nil
}

// A scoredItem is an item with the model's log-probabilities for its tokens.
type scoredItem struct {
	*results.Item
	tokens []token
	gold   gold
}

// gold is the logarithm of the gold letter's probability at the answer's place.
type gold struct {
	known, baseKnown bool
	logprob, base    float64
}

// A Failure is an item that the model could not read.
type Failure struct {
	ID    string `json:"id"`
	Cause string `json:"cause,omitempty"`
	Error string `json:"error"`
}

// force reads all transcripts, in the order in which their prompts share prefixes; so are the items returned.
func (t *Transcripts) force(ctx context.Context, model scorer, o Options, all int) (
	scored []*scoredItem, failed []Failure, err error,
) {
	flights := map[string]*transcript{}
	var unread error
	requests := func(yield func(backends.Request) bool) {
		for _, it := range t.items {
			whole, err := t.read(it, model)
			if err != nil {
				unread = err
				return
			}
			if len(whole.request.Forced.Tokens) == 0 {
				continue
			}
			flights[it.ID] = whole
			if !yield(whole.request) {
				return
			}
		}
	}
	byID := map[string]*scoredItem{}
	err = model.Generate(ctx, iter.Seq[backends.Request](requests), func(c backends.Completion) error {
		whole := flights[c.ID]
		delete(flights, c.ID)
		if c.Finish == backends.FinishError {
			failed = append(failed, Failure{c.ID, string(c.Cause), c.Error})
		} else {
			byID[c.ID] = whole.scored(c.Predictions)
		}
		if o.Watch != nil {
			o.Watch(len(byID)+len(failed), all)
		}
		return nil
	})
	for _, it := range t.items {
		if item := byID[it.ID]; item != nil {
			scored = append(scored, item)
		}
	}
	return scored, failed, errors.Join(err, unread)
}

// scored is the transcript's item with the model's predictions.
func (t *transcript) scored(predictions []backends.Prediction) *scoredItem {
	item := &scoredItem{Item: t.Item}
	for i, p := range predictions {
		var kept *backends.Prediction
		if t.reference != nil {
			kept = &t.reference[i]
		}
		item.tokens = append(item.tokens, tokenOf(p, kept))
		if i == t.letter.at {
			item.gold = t.goldOf(p, kept)
		}
	}
	return item
}

// goldOf takes the gold letter's probability from a prediction; it was requested last.
func (t *transcript) goldOf(p backends.Prediction, kept *backends.Prediction) gold {
	g := gold{known: true, logprob: p.AskLogprobs[len(p.AskLogprobs)-1]}
	if kept != nil {
		for _, likely := range kept.Top {
			if likely.Token == t.letter.token {
				g.baseKnown, g.base = true, likely.Logprob
			}
		}
	}
	return g
}

// A token is one place of a completion, with the model's values, and the reference's where there is one.
type token struct {
	logprob float64 // of the completion's token

	base    float64 // the same by the reference
	kld     float64 // lower bound of D(reference ‖ model), in nat
	same    bool    // both have the same likeliest token
	entropy float64 // of the reference, in nat
}

// tokenOf compares a prediction with the kept one of the reference, where there is one.
func tokenOf(p backends.Prediction, kept *backends.Prediction) token {
	t := token{logprob: p.Logprob}
	if kept != nil {
		t.base, t.kld, t.entropy = kept.Logprob, bound(kept, p.AskLogprobs), kept.Entropy
		t.same = kept.Top[0].Token == p.Top[0].Token
	}
	return t
}

// deltaP is how much likelier the completion's token is to the model than to the reference.
func (t token) deltaP() float64 { return math.Exp(t.logprob) - math.Exp(t.base) }

// least replaces a probability that rounding made 0.
const least = 1e-30

// bound is a lower bound for the divergence of the model from the kept predictions of the reference, with all tokens that were not
// kept counted as one. modelLogprobs begins with the model's logarithms for the kept tokens. Kept values are exact to
// [logprobs.Precision], so their masses are scaled to 1: an error then counts by its square.
func bound(kept *backends.Prediction, modelLogprobs []float64) float64 {
	rest := math.Exp(kept.Rest)
	mass := rest
	for _, likely := range kept.Top {
		mass += math.Exp(likely.Logprob)
	}
	sum, restOfModel := 0.0, 1.0
	for i, likely := range kept.Top {
		ln := likely.Logprob - math.Log(mass)
		sum += math.Exp(ln) * (ln - modelLogprobs[i])
		restOfModel -= math.Exp(modelLogprobs[i])
	}
	if rest > 0 {
		sum += rest / mass * (math.Log(rest/mass) - math.Log(max(restOfModel, least)))
	}
	return max(0, sum)
}
