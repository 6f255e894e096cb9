package score

import (
	"context"
	"errors"
	"fmt"
	"time"

	"proctor/backends"
	"proctor/runner/ask"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
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

// Force opens a model, has it read all transcripts, and scores them. It refuses a model whose token ids differ in
// meaning from the run's.
func (t *Transcripts) Force(ctx context.Context, open func(context.Context) (backends.Model, error), o Options) (
	_ *divergence.Model, err error,
) {
	var model scorer
	all := 0
	opened, err := ask.Open(ctx, open, func(opened backends.Model) (work backends.Workload, err error) {
		var can bool
		if model, can = opened.(scorer); !can {
			return work, errors.New("this model gives no log-probabilities of a given text: give a GGUF file")
		}
		if kept := t.run.Header.Logprobs; kept != nil && model.VocabularySHA256() != kept.VocabularySHA256 {
			info, err := model.Info(ctx)
			return work, errors.Join(err, fmt.Errorf("%s has another vocabulary than the model of %s (%s): their tokens cannot "+
				"be compared", info.Model.Ref, t.path, t.run.Header.Model.Title()))
		}
		work, err = t.work(model)
		all = work.Requests
		return work, err
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, model.Close()) }()
	ask.Notify(o.OnPlan, opened.Allocation.Description)
	backends.LoadOf(model)
	began := o.Now()
	flights, read := map[string]*transcript{}, map[string]*divergence.Reading{}
	var failed []divergence.Failure
	var unread error
	err = model.Generate(ctx, func(yield func(backends.Request) bool) {
		for _, it := range t.items { // in the order in which their prompts share beginnings
			var whole *transcript
			if whole, unread = t.read(it, model); unread != nil {
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
	}, func(c backends.Completion) error {
		whole := flights[c.ID]
		delete(flights, c.ID)
		if c.Finish == backends.FinishError {
			failed = append(failed, divergence.Failure{ID: c.ID, Cause: string(c.Cause), Error: c.Error})
		} else {
			read[c.ID] = whole.reading(c.Predictions)
		}
		if o.Watch != nil {
			o.Watch(len(read)+len(failed), all)
		}
		return nil
	})
	if err := errors.Join(err, unread); err != nil {
		return nil, err
	}
	var readings []*divergence.Reading // in the transcripts' order
	for _, it := range t.items {
		if reading := read[it.ID]; reading != nil {
			readings = append(readings, reading)
		}
	}
	if len(readings) == 0 {
		return nil, fmt.Errorf("%s could read none of the transcripts: %s", opened.Info.Model.Ref, failed[0].Error)
	}
	info, err := model.Info(ctx)
	if err != nil {
		return nil, err
	}
	m := &divergence.Model{Info: info.Model, Engine: info.Engine, Failed: failed, Others: backends.LoadOf(model)}
	if t.kept != nil {
		m.Method = divergence.LowerBound
	}
	m.Measure(readings, o.Confidence)
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
	if work.Requests == 0 {
		return work, fmt.Errorf("%s: every completion is empty, so there is nothing to read: choose another run", t.path)
	}
	return work, nil
}

// A transcript is one item as it is forced.
type transcript struct {
	*results.Item
	request   backends.Request
	reference []backends.Prediction // kept by the run; nil where it kept none
	letter    letter
}

// reading is the transcript's item with the model's predictions.
func (t *transcript) reading(predictions []backends.Prediction) *divergence.Reading {
	r := &divergence.Reading{Item: t.Item}
	for i, p := range predictions {
		var kept *backends.Prediction
		if t.reference != nil {
			kept = &t.reference[i]
		}
		r.Tokens = append(r.Tokens, divergence.TokenOf(p, kept))
		if i != t.letter.at {
			continue
		}
		r.Gold = stats.Of(p.AskLogprobs[len(p.AskLogprobs)-1]) // requested last
		if kept != nil {
			for _, likely := range kept.Top {
				if likely.Token == t.letter.token {
					r.GoldBase = stats.Of(likely.Logprob)
				}
			}
		}
	}
	return r
}
