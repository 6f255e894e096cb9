package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"proctor/backends"
	"proctor/runner/ask/form"
	"proctor/runner/ask/prefixes"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/validity"
)

// An execution sends a plan's items to a model and appends each completion to the journal as it arrives. Failed items are data in the
// journal. It returns an error when it had to stop: the model broke, the journal could not be written, or ctx ended. Everything
// appended stays, and the run can be resumed.
type execution struct {
	*Plan
	model    backends.Model
	to       *journal.Writer
	held     *journal.Held
	observer Observer
	logprobs *logprobs.Writer // nil where none are kept
	clock    clock
	flights  map[string]*flight         // by the item's id
	open     map[string]journal.Partial // unfinished answers, by the item's id
	others   *others                    //  nil where the model computes elsewhere
	thoughts validity.Thinking          // of this session's completions
	unheeded bool                       // the model ignores the setting of thinking, and a warning said so
	slotted  bool                       // each slot keeps its prompts to itself: see [backends.Slotted]
}

// execute asks the model for every item that the journal does not have yet (held; empty for a new run). The observer gets every record
// and interim analysis after it was written.
func (p *Plan) execute(model backends.Model, to *journal.Writer, held *journal.Held, observer Observer) *execution {
	now := time.Now()
	backends.LoadOf(model)
	a := &execution{Plan: p, model: model, to: to, held: held, observer: observer, flights: map[string]*flight{},
		open: map[string]journal.Partial{}, others: &others{model, now}}
	maps.Copy(a.open, held.Open)
	a.clock = clock{now.Round(0).UTC(), func() time.Duration { return time.Since(now) }}
	if held.Ended.After(a.clock.began) { // where an earlier session ended, if that is later
		a.clock.began = held.Ended
	}
	if model, isSlotted := model.(backends.Slotted); isSlotted {
		a.slotted = model.Slotted()
	}
	return a
}

// sequentially asks block after block, and after each checks whether the run may stop. Interim analyses that the journal has are not
// repeated: their decisions stand, even where failed items have since been answered.
func (a *execution) sequentially(ctx context.Context) error {
	taken := map[int]journal.Interim{}
	for _, interim := range a.held.Interims {
		taken[interim.Number] = interim
	}
	for i, block := range a.blocks {
		if err := a.ask(ctx, block); err != nil {
			return err
		}
		if a.stops == nil {
			continue
		}
		interim, before := taken[i+1]
		if !before {
			var err error
			if interim, err = a.stops.Interim(a.to.Path(), i+1, i+1 == len(a.blocks)); err != nil {
				return err
			}
			if err := a.to.AppendInterim(interim); err != nil {
				return err
			}
			Notify(a.observer.Interim, &interim)
		}
		if interim.Stop != "" {
			return nil
		}
	}
	return nil
}

// A flight is a request that the backend has taken and not answered yet.
type flight struct {
	item   int // index into Items
	began  time.Time
	before journal.Partial // the answer that an earlier session left unfinished; zero where there is none
}

// interrupted counts how often asking the item was interrupted.
func (f *flight) interrupted() int {
	if f.before.ID == "" {
		return 0
	}
	return f.before.Interrupted + 1
}

// ask sends the unanswered items of a block to the model.
func (a *execution) ask(ctx context.Context, items []int) error {
	items, err := a.pending(items)
	if err != nil {
		return err
	}
	err = a.model.Generate(ctx, a.requests(items), func(c backends.Completion) error {
		if c.Finish == backends.FinishOpen {
			return a.keepOpen(&c)
		}
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
	if ctx.Err() == nil {
		return err
	}
	for id, taken := range a.flights { // without new tokens: the time spent on them counts
		if a.open[id].Began.Equal(taken.began) {
			continue
		}
		before := &taken.before
		c := backends.Completion{ID: id, Tokens: before.Tokens, Resumed: len(before.Tokens)}
		if err := a.keepOpen(&c); err != nil {
			return err
		}
	}
	return err
}

// pending are the items of a block to ask: neither answered nor too long. Items that are too long are recorded as failures, without
// their texts.
func (a *execution) pending(items []int) (left []int, err error) {
	for _, i := range items {
		item := &a.Items[i]
		switch {
		case a.held.Done[item.ID]:
			continue
		case !prefixes.Oversize(item):
			left = append(left, i)
			continue
		}
		a.flights[item.ID] = &flight{item: i, began: a.clock.now()}
		record, err := a.join(&backends.Completion{
			ID: item.ID, Finish: backends.FinishError, Cause: backends.CauseOversize,
			Error: fmt.Sprintf("the prompt has %s, which is more than %s: it is neither asked nor kept",
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
	slices.SortStableFunc(left, func(i, j int) int { // items that never finish must not hold up the others
		return cmp.Compare(a.open[a.Items[i].ID].Interrupted, a.open[a.Items[j].ID].Interrupted)
	})
	return left, nil
}

// requests are a block's requests, in its order or in the one that suits the model's slots. Each is entered in flights when the model
// takes it.
func (a *execution) requests(items []int) iter.Seq[backends.Request] {
	return func(yield func(backends.Request) bool) {
		for at := range items {
			if a.slotted {
				a.bringForward(items[at:])
			}
			i := items[at]
			item := &a.Items[i]
			request := backends.Request{
				ID:        item.ID,
				Stop:      a.header.Sampling.Stop,
				MaxTokens: a.header.Sampling.MaxTokens,
				Drawn:     a.open[item.ID].Tokens,
				Every:     keepEvery,
				EndLoops:  a.header.Sampling.EndLoops,
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
				a.letters.ask(&request, item.Options)
			}
			request.Sampling.Seed = a.header.Sampling.SeedOf(item.ID)
			a.flights[item.ID] = &flight{i, a.clock.now(), a.open[item.ID]}
			a.notifyOpen(item.ID, len(request.Drawn))
			if !yield(request) {
				return
			}
		}
	}
}

// bringForward moves the best next item to the front of those left, for slots that don't share their prompts: the next one of the
// subject of the slot that just answered, else the first of a subject that no slot has, else one of the last subject. A subject's
// items stay in order, and interrupted items stay behind all others.
func (a *execution) bringForward(left []int) {
	subject := func(i int) string { return a.Items[i].Subject }
	interrupted := func(i int) int { return a.open[a.Items[i].ID].Interrupted }
	taken := map[string]bool{}
	for _, f := range a.flights {
		taken[subject(f.item)] = true
	}
	first, last := left[0], left[len(left)-1]
	for _, fits := range []func(i int) bool{
		func(i int) bool { return !taken[subject(i)] },
		func(i int) bool { return subject(i) == subject(last) },
	} {
		at := slices.IndexFunc(left, func(i int) bool { return fits(i) && interrupted(i) == interrupted(first) })
		if at >= 0 {
			i := left[at]
			copy(left[1:], left[:at])
			left[0] = i
			return
		}
	}
}

// prompts are a block's prompts, in its order.
func (p *Plan) prompts(items []int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, i := range items {
			if !yield(p.Items[i].Prompt()) {
				return
			}
		}
	}
}

// mostError is the length in bytes to which the error of an item without texts is cut.
const mostError = 1000

// keep writes a record, and shows it.
func (a *execution) keep(record journal.Record) error {
	err := a.to.Append(record)
	if oversize := (*journal.OversizeError)(nil); errors.As(err, &oversize) {
		// Without its texts it is a failure that asking again would not change, unless it had failed otherwise before.
		r := &record
		r.Prompt, r.Text, r.Question, r.OptionTexts, r.Logprobs, r.LetterLogprobs, r.Forks = "", "", "", nil, nil, nil, nil
		if r.Failed() {
			r.Error = strings.ToValidUTF8(r.Error[:min(len(r.Error), mostError)], "")
		} else {
			r.Finish, r.Cause, r.Error = backends.FinishError, backends.CauseOversize,
				oversize.Error()+": its texts are not kept"
		}
		err = a.to.Append(record)
	}
	if err != nil {
		return err
	}
	Notify(a.observer.Item, &record)
	if !a.unheeded {
		a.thoughts.Add(&record, grade.Thinks(&a.header, &record))
		if why := a.thoughts.Unheeded(&a.header); why != nil {
			a.unheeded = true
			Notify(a.observer.Warn, why.String())
		}
	}
	return nil
}
