package runner

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
)

// Run asks the model for every item that resume (empty for a new run) does not hold yet, and appends each completion
// to the journal as it comes. watch, which may be nil, sees every record after it was written. A plan with a half width
// to reach asks no more items than that takes, and appends its looks too.
//
// Failed items are data in the journal. An error means that the run stopped: the model broke, the journal could not
// be written, or ctx ended. What was appended stays, and the run can be resumed.
func (p *Plan) Run(ctx context.Context, model backends.Model, to *journal.Writer, resume *journal.Resume, watch func(*journal.Record)) error {
	if len(p.batches) > 0 {
		return p.sequence(ctx, model, to, resume, watch)
	}
	all := make(batch, len(p.Items))
	for i := range all {
		all[i] = i
	}
	return p.ask(ctx, model, to, resume, watch, all)
}

// ask is Run for some of the items.
func (p *Plan) ask(ctx context.Context, model backends.Model, to *journal.Writer, resume *journal.Resume, watch func(*journal.Record), some batch) error {
	pending := map[string]int{}
	some = slices.DeleteFunc(slices.Clone(some), func(i int) bool { return resume.Done[p.Items[i].ID] })
	for _, i := range some {
		pending[p.Items[i].ID] = i
	}
	began := map[string]time.Time{}
	return model.Generate(ctx, p.requests(some, began), func(c backends.Completion) error {
		i, asked := pending[c.ID]
		if !asked {
			return fmt.Errorf("runner: the backend answered %q, which was not asked or was answered before", c.ID)
		}
		delete(pending, c.ID)
		record := p.join(i, &c, resume.Failed[c.ID]+max(1, c.Tries))
		record.Began = began[c.ID].UTC()
		record.Timing.Total = time.Since(began[c.ID])
		delete(began, c.ID)
		if err := to.Append(record); err != nil {
			return err
		}
		if watch != nil {
			watch(&record)
		}
		return nil
	})
}

// requests are some of the items, in the order given. When each was taken goes into began.
func (p *Plan) requests(some batch, began map[string]time.Time) iter.Seq[backends.Request] {
	return func(yield func(backends.Request) bool) {
		for _, i := range some {
			item := &p.Items[i]
			request := backends.Request{
				ID:        item.ID,
				Prompt:    item.Prompt(),
				Stop:      p.header.Sampling.Stop,
				MaxTokens: p.header.Sampling.MaxTokens,
				Sampling:  p.header.Sampling.Sampling,
			}
			request.Sampling.Seed = repeatSeed(request.Sampling.Seed, p.repeats[i])
			began[item.ID] = time.Now()
			if !yield(request) {
				return
			}
		}
	}
}

// join puts item i and its completion on one record.
func (p *Plan) join(i int, c *backends.Completion, attempt int) journal.Record {
	item, repeat := &p.Items[i], p.repeats[i]
	if repeat == 1 {
		repeat = 0 // the journal's word for it
	}
	return journal.Record{
		ID:              item.ID,
		QuestionID:      item.QuestionID,
		Subject:         item.Subject,
		Variant:         item.Variant,
		Repeat:          repeat,
		Options:         item.Options,
		OptionsOriginal: item.OptionsOriginal,
		Gold:            item.Gold,
		Prompt:          item.Text,
		Text:            c.Text,
		Finish:          c.Finish,
		Cause:           c.Cause,
		Error:           c.Error,
		Usage:           c.Usage,
		Timing:          c.Timing,
		Attempt:         attempt,
		Server:          c.Server,
	}
}
