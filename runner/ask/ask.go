package ask

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"proctor/backends"
	"proctor/runner/ask/form"
	"proctor/runner/ask/letters"
	"proctor/runner/ask/meters"
	"proctor/runner/ask/prefixes"
	"proctor/runner/ask/repeats"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
)

// Run asks the model for every item that resume (empty for a new run) does not hold yet, and appends each completion
// to the journal as it comes. The observer sees every record and interim analysis after it was written. A plan that stops by itself
// asks no more items than that takes.
//
// Failed items are data in the journal. An error means that the run stopped: the model broke, the journal could not
// be written, or ctx ended. What was appended stays, and the run can be resumed.
func (p *Plan) Run(ctx context.Context, model backends.Model, to *journal.Writer, resume *journal.Resume, observer Observer) error {
	if p.Task.Direct && p.letters == nil {
		return letters.ErrNone
	}
	return p.asking(model, to, resume, observer).sequentially(ctx)
}

// An asking is one Run of a plan.
type asking struct {
	*Plan
	model    backends.Model
	to       *journal.Writer
	resume   *journal.Resume
	observer Observer
	logprobs *logprobs.Writer // nil where none are kept
	clock    clock
	flights  map[string]*flight // by the item's id
	others   *meters.Others     // nil where the model computes elsewhere
	energy   *meters.Energy     // nil where none is read
}

func (p *Plan) asking(model backends.Model, to *journal.Writer, resume *journal.Resume, observer Observer) *asking {
	return &asking{Plan: p, model: model, to: to, resume: resume, observer: observer, clock: newClock(time.Now(), resume),
		flights: map[string]*flight{}, others: meters.BesideOthers(model)}
}

// A flight is a request that the backend has taken and not answered yet.
type flight struct {
	item     int // index into Items
	began    time.Time
	atAnswer bool // its completion was ended because it has its answer
}

// ask puts a block to the model, but for what is answered already.
func (a *asking) ask(ctx context.Context, items []int) error {
	items = slices.DeleteFunc(slices.Clone(items), func(i int) bool { return a.resume.Done[a.Items[i].ID] })
	items, err := a.refuse(items)
	if err != nil {
		return err
	}
	return a.model.Generate(ctx, a.requests(items), func(c backends.Completion) error {
		record, err := a.join(&c)
		if err != nil {
			return err
		}
		if a.logprobs != nil && len(c.Predictions) > 0 {
			part, err := a.logprobs.Append(c.ID, c.Predictions)
			if err != nil {
				return err
			}
			record.Logprobs = &part
		}
		return a.keep(record)
	})
}

// keep writes a record, and shows it.
func (a *asking) keep(record journal.Record) error {
	err := a.to.Append(record)
	if oversize := (*journal.OversizeError)(nil); errors.As(err, &oversize) {
		record = unkept(record, oversize)
		err = a.to.Append(record)
	}
	if err != nil {
		return err
	}
	if a.observer.Item != nil {
		a.observer.Item(&record)
	}
	return nil
}

// requests are those of a block, in its order. What is known of each that was taken goes into flights.
func (a *asking) requests(items []int) iter.Seq[backends.Request] {
	return func(yield func(backends.Request) bool) {
		for at, i := range items {
			item := &a.Items[i]
			request := backends.Request{
				ID:        item.ID,
				Stop:      a.header.Sampling.Stop,
				MaxTokens: a.header.Sampling.MaxTokens,
				Sampling:  a.header.Sampling.Sampling,
				Messages:  form.Messages(item.Conversation),
				Think:     a.think,
				Budget:    a.budget,
			}
			if request.Messages == nil {
				request.Prompt = item.Prompt()
				request.Partings = func() []int { return backends.Partings(request.Prompt, a.prompts(items[at+1:])) }
			}
			if a.logprobs != nil {
				request.Logprobs = backends.TopLogprobs
			}
			if a.letters != nil {
				a.letters.Ask(&request, item.Options)
			}
			request.Sampling.Seed = repeats.Seed(request.Sampling.Seed, a.repeats[i])
			taken := &flight{item: i, began: a.clock.now()}
			if a.stopAt != nil {
				decided := a.stopAt.Decider()
				request.Done = func(text []byte) bool {
					taken.atAnswer = decided(text)
					return taken.atAnswer
				}
			}
			a.flights[item.ID] = taken
			if !yield(request) {
				return
			}
		}
	}
}

// prompts are those of a block, in its order.
func (p *Plan) prompts(items []int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, i := range items {
			if !yield(p.Items[i].Prompt()) {
				return
			}
		}
	}
}

// join puts a completion and its item on one record.
func (a *asking) join(c *backends.Completion) (journal.Record, error) {
	taken, asked := a.flights[c.ID]
	if !asked {
		return journal.Record{}, fmt.Errorf("the backend answered %q, which was not asked or was answered before", c.ID)
	}
	delete(a.flights, c.ID)
	item, repeat := &a.Items[taken.item], a.repeats[taken.item]
	if repeat == 1 {
		repeat = 0 // the journal's word for it
	}
	record := journal.Record{
		ID:              item.ID,
		QuestionID:      item.QuestionID,
		Subject:         item.Subject,
		Variant:         item.Variant,
		Order:           item.Order,
		Repeat:          repeat,
		Options:         item.Options,
		OptionsOriginal: item.OptionsOriginal,
		Gold:            item.Gold,
		OptionTexts:     item.OptionTexts,
		Prompt:          item.Text,
		Text:            c.Text,
		Finish:          c.Finish,
		Cause:           c.Cause,
		Error:           c.Error,
		Usage:           c.Usage,
		Timing:          c.Timing,
		Attempt:         a.resume.Failed[c.ID] + max(1, c.Tries),
		Server:          c.Server,
		NewTokens:       a.newTokens(taken.item),
		Began:           taken.began,
		Others:          a.others.Since(),
		Energy:          a.energy.Taken(len(a.flights) == 0),
		AtAnswer:        taken.atAnswer && c.Finish == backends.FinishStop,
		ThinkClosed:     c.Closed,
		Forks:           c.Forks,
	}
	if len(a.header.AskedAgain) > 0 {
		record.MaxTokens = a.header.Sampling.MaxTokens
	}
	if item.Shown != nil {
		record.Shots, record.Prompt = item.Shown, item.Prompt()
	}
	if reference, ok := a.stops.(*stopping.Reference); ok {
		record.Stratum = reference.Stratum(taken.item)
	}
	if c.Prompt != "" {
		read(&record, item, c.Prompt)
	}
	if a.letters != nil && !record.Failed() {
		a.letters.Keep(&record, c)
	}
	record.Usage.ThinkingTokens = a.thinkingTokens(a.model, c)
	record.ThinkClosed = record.ThinkClosed || a.closedInText(a.model, c)
	record.Timing.Total = a.clock.now().Sub(taken.began)
	return record, nil
}

// thinkingTokens counts the tokens of a completion's thinking where the answers are marked without it and the backend,
// for which it is text like any other, did not count them. A tokenizer that fails here leaves it at that: the model's
// answer is there.
func (p *Plan) thinkingTokens(model backends.Model, c *backends.Completion) int {
	tokenizer, ok := model.(backends.Tokenizer)
	thought := grade.Thinking(&p.header, c.Text)
	if c.Usage.ThinkingTokens > 0 || !ok || !p.header.Strip || thought == "" {
		return c.Usage.ThinkingTokens
	}
	return min(tokensOf(tokenizer, thought), c.Usage.OutputTokens)
}

// tokensOf counts a text's tokens, without the one that texts begin with; 0 where the tokenizer fails.
func tokensOf(tokenizer backends.Tokenizer, text string) int {
	whole, err := tokenizer.Tokenize(text)
	if err != nil {
		return 0
	}
	nothing, err := tokenizer.Tokenize("")
	if err != nil {
		return 0
	}
	return max(0, len(whole)-len(nothing))
}

// closedInText says whether a completion, for whose backend thinking is text like any other, was closed at the budget.
func (p *Plan) closedInText(model backends.Model, c *backends.Completion) bool {
	tokenizer, ok := model.(backends.Tokenizer)
	thought := grade.Thinking(&p.header, c.Text)
	if p.budget == nil || !ok || c.Usage.ThinkingTokens > 0 || !strings.Contains(thought, p.budget.Way.Close) {
		return false
	}
	return tokensOf(tokenizer, thought)-tokensOf(tokenizer, p.budget.Way.Open+p.budget.Way.Close) >= p.budget.Most()
}

// refuse keeps the items of a block that are not asked, each as a failure, and returns the others. Their texts are left out.
func (a *asking) refuse(items []int) ([]int, error) {
	for _, i := range items {
		item := &a.Items[i]
		if !prefixes.Oversize(item) {
			continue
		}
		a.flights[item.ID] = &flight{item: i, began: a.clock.now()}
		record, err := a.join(&backends.Completion{
			ID: item.ID, Finish: backends.FinishError, Cause: backends.CauseOversize,
			Error: fmt.Sprintf("the prompt has %s, which is more than %s: it is not asked, nor kept here",
				format.Size(int64(len(item.Preamble)+len(item.Text)), ""), format.Size(prefixes.MostPrompt, "")),
		})
		if err != nil {
			return nil, err
		}
		record.Prompt, record.OptionTexts = "", nil
		if err := a.keep(record); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(items, func(i int) bool { return prefixes.Oversize(&a.Items[i]) }), nil
}

// mostError is how many bytes of an error are kept of an item whose texts are not.
const mostError = 1000

// unkept is a record whose line no reader would take, without its texts: a failure that asking again does not change, unless it was
// another failure before.
func unkept(r journal.Record, why *journal.OversizeError) journal.Record {
	r.Prompt, r.Text, r.Question, r.OptionTexts, r.Logprobs, r.LetterLogprobs, r.Forks = "", "", "", nil, nil, nil, nil
	if r.Failed() {
		r.Error = strings.ToValidUTF8(r.Error[:min(len(r.Error), mostError)], "")
		return r
	}
	r.Finish, r.Cause, r.Error, r.AtAnswer = backends.FinishError, backends.CauseOversize, why.Error()+": its texts are not kept", false
	return r
}

// A clock tells an asking's times. They never step back, though the machine's clock may be set back meanwhile: otherwise items would
// seem to have been asked side by side, and the run to be faster than it was.
type clock struct {
	began  time.Time            // as the machine's clock told, or later
	passed func() time.Duration // since then
}

// newClock begins at a moment of the machine's clock, or where an earlier session ended if that is later.
func newClock(now time.Time, resume *journal.Resume) clock {
	began := now.Round(0).UTC()
	if resume.Ended.After(began) {
		began = resume.Ended
	}
	return clock{began, func() time.Duration { return time.Since(now) }}
}

func (c clock) now() time.Time { return c.began.Add(c.passed()) }

// setBack says in a line that the machine's clock is behind the end of an earlier session; empty where it is not.
func setBack(now time.Time, resume *journal.Resume) string {
	if !resume.Ended.After(now) {
		return ""
	}
	return fmt.Sprintf("this machine's clock says %s, but the run's last answer came at %s: the clock was set back, or the other one was "+
		"ahead; the journal's times go on from that answer", now.UTC().Format(time.DateTime), resume.Ended.UTC().Format(time.DateTime))
}
