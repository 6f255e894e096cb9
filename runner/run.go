package runner

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"proctor/backends"
	"proctor/runner/grade"
	"proctor/runner/journal"
)

// Run asks the model for every item that resume (empty for a new run) does not hold yet, and appends each completion
// to the journal as it comes. watch, which may be nil, sees every record after it was written. A plan with a half width
// to reach asks no more items than that takes, and appends its interim analyses too.
//
// Failed items are data in the journal. An error means that the run stopped: the model broke, the journal could not
// be written, or ctx ended. What was appended stays, and the run can be resumed.
func (p *Plan) Run(ctx context.Context, model backends.Model, to *journal.Writer, resume *journal.Resume, watch func(*journal.Record)) error {
	if len(p.batches) > 0 {
		return p.sequence(ctx, model, to, resume, watch)
	}
	return p.ask(ctx, model, to, resume, watch, everything(len(p.Items)))
}

// A flight is a request that the backend has taken and not answered yet.
type flight struct {
	item     int // index into Items
	began    time.Time
	atAnswer bool // its completion was ended because it has its answer
}

// ask is Run for some of the items.
func (p *Plan) ask(ctx context.Context, model backends.Model, to *journal.Writer, resume *journal.Resume, watch func(*journal.Record), some batch) error {
	some = slices.DeleteFunc(slices.Clone(some), func(i int) bool { return resume.Done[p.Items[i].ID] })
	flights := map[string]*flight{}
	return model.Generate(ctx, p.requests(some, flights), func(c backends.Completion) error {
		taken, asked := flights[c.ID]
		if !asked {
			return fmt.Errorf("runner: the backend answered %q, which was not asked or was answered before", c.ID)
		}
		delete(flights, c.ID)
		c.Usage.ThinkingTokens = p.thinkingTokens(model, &c)
		record := p.join(taken.item, &c, resume.Failed[c.ID]+max(1, c.Tries))
		if c.Prompt != "" {
			read(&record, &p.Items[taken.item], c.Prompt)
		}
		record.Began = taken.began.UTC()
		record.Timing.Total = time.Since(taken.began)
		record.AtAnswer = taken.atAnswer && c.Finish == backends.FinishStop
		if err := to.Append(record); err != nil {
			return err
		}
		if watch != nil {
			watch(&record)
		}
		return nil
	})
}

// requests are some of the items, in the order given. What is known of each that was taken goes into flights.
func (p *Plan) requests(some batch, flights map[string]*flight) iter.Seq[backends.Request] {
	return func(yield func(backends.Request) bool) {
		for _, i := range some {
			item := &p.Items[i]
			request := backends.Request{
				ID:        item.ID,
				Stop:      p.header.Sampling.Stop,
				MaxTokens: p.header.Sampling.MaxTokens,
				Sampling:  p.header.Sampling.Sampling,
				Messages:  messagesOf(item.Conversation),
				Think:     p.think,
			}
			if request.Messages == nil {
				request.Prompt = item.Prompt()
			}
			request.Sampling.Seed = repeatSeed(request.Sampling.Seed, p.repeats[i])
			taken := &flight{item: i, began: time.Now()}
			if p.stopAt != nil {
				request.Done = taken.until(p.stopAt.Decider())
			}
			flights[item.ID] = taken
			if !yield(request) {
				return
			}
		}
	}
}

// until notes that a completion has its answer.
func (f *flight) until(decided grade.Decider) func(text []byte) bool {
	return func(text []byte) bool {
		f.atAnswer = decided(text)
		return f.atAnswer
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
		NewTokens:       p.newTokens(i),
	}
}
