package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/stream"
)

// Generate answers requests, and calls done for each as [backends.Model] says. Prompts are decoded before any running slot goes
// on, so that as many as possible share the batches that generate. A request fails alone: where a batch fails, it is split until
// the request that fails is found.
//
// With one slot, texts do not depend on what was decoded before: each is that of a loop which decodes the whole prompt and then
// token by token.
func Generate(
	ctx context.Context, e Engine, v Vocabulary, t Traits, requests iter.Seq[backends.Request], done func(backends.Completion) error,
) error {
	next, stop := iter.Pull(requests)
	defer stop()
	g := &generation{engine: e, vocabulary: v, traits: t, slots: newSlots(t.Slots), ctx: ctx, pull: next, done: done}
	return g.run()
}

// Engine has the methods that a generation calls on a context, which is empty when the generation starts.
type Engine interface {
	// Context is how many tokens a sequence can hold.
	Context() int
	// Decode computes a batch and draws at its places with Draw, until the next call. Cancelled, it fails with
	// [engine.ErrCancelled].
	Decode(engine.Batch) (drawn []int32, err error)
	// Clear forgets all sequences, and overwrites what they held if it was spoilt since the last time.
	Clear()
	// Spoil says that sequences have left numbers that are none.
	Spoil()
	// Trim forgets a sequence from a position on. It returns false where it cannot; the caller then empties the sequence.
	Trim(sequence int32, from int) bool
	// Copy makes a sequence hold what another one holds.
	Copy(from, to int32)
	// State appends what Trim cannot cut back of a sequence to buf.
	State(buf []byte, sequence int32) []byte
	// SetState gives it back; false where it does not fit.
	SetState(sequence int32, state []byte) bool
	// Shares says whether Share makes anything faster.
	Shares() bool
	// Share sets which sequences hold the same tokens at their beginning, as [prefixGroups] returns them.
	Share(group, length []int32)
	// CancelWith makes decodes end with ctx, until undo.
	CancelWith(context.Context) (undo func())
	// Predict returns the model's predictions at places of the last batch, each with the top likeliest tokens.
	Predict(places []engine.Place, top int) []backends.Prediction
}

// Vocabulary has the methods that a generation calls on a model's vocabulary.
type Vocabulary interface {
	Tokenize(prompt string) ([]int32, error)
	Piece(buf []byte, token int32) []byte
	IsEnd(token int32) bool
	Tokens() int32
}

// Traits are the properties of the engine and its model that a generation depends on.
type Traits struct {
	Slots             int  // sequences decoded at a time
	Batch, Microbatch int  // tokens given to the engine at a time, and computed at a time
	Stateful          bool // there are layers whose memory cannot be cut back to a prefix
	Hybrid            bool // and others with a cache of tokens
	// Chunk is how many of a prompt's tokens some layers sum up together, counted from where a batch begins; 0: none do. A prompt
	// then is alone in its batches, which end at whole chunks of it, so that its bits do not depend on others.
	Chunk int
}

// generation is one call of Generate.
type generation struct {
	engine     Engine
	vocabulary Vocabulary
	traits     Traits
	slots      []*slot
	ctx        context.Context
	pull       func() (backends.Request, bool)
	done       func(backends.Completion) error

	batch       engine.Batch // that is being decoded
	checkpoints checkpoints
	pulled      int
	exhausted   bool // no more requests
	spoilt      bool // no request begins until the engine is cleared
}

func (g *generation) run() (err error) {
	defer g.engine.CancelWith(g.ctx)()
	defer g.drop()
	defer func() {
		if g.ctx.Err() != nil {
			err = cmp.Or(g.report(true), err)
		}
	}()
	g.engine.Clear()
	for {
		if err := g.admit(); err != nil {
			return err
		}
		if err := g.prefill(); err != nil {
			return err
		}
		if !slices.ContainsFunc(g.slots, (*slot).running) {
			if g.exhausted && !slices.ContainsFunc(g.slots, (*slot).prefilling) {
				return nil
			}
			continue // every prompt ended at its first token, or failed: take the next ones
		}
		g.compact()
		if err := g.decode(); err != nil {
			return err
		}
		if err := g.report(false); err != nil {
			return err
		}
	}
}

// drop forgets the jobs that are not finished. Nobody knows whether what they have left are numbers.
func (g *generation) drop() {
	for _, s := range g.slots {
		if s.job != nil {
			s.job = nil
			g.engine.Spoil()
		}
	}
}

// admit gives idle slots a request each.
func (g *generation) admit() error {
	for !g.exhausted && slices.ContainsFunc(g.slots, func(s *slot) bool { return s.job == nil }) {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		request, ok := g.pull()
		if !ok {
			g.exhausted = true
			return nil
		}
		j := &job{request: request, pulled: time.Now(), order: g.pulled}
		g.pulled++
		if cause, err := g.prepare(j); err != nil {
			if err := g.done(failed(j, cause, err)); err != nil {
				return err
			}
			continue
		}
		s := g.idle(j.tokens)
		s.job, s.started = j, false
	}
	return nil
}

// prepare tokenises a job's prompt and refuses what cannot be run.
func (g *generation) prepare(j *job) (backends.Cause, error) {
	tokens, err := g.vocabulary.Tokenize(j.request.Prompt)
	if err != nil {
		return backends.CauseEngine, err
	}
	if f := j.request.Forced; f != nil {
		if tokens, err = promptOfForced(tokens, f); err != nil {
			return backends.CauseEngine, err
		}
	}
	j.tokens, j.usage.PromptTokens, j.first = tokens, len(tokens), len(tokens)-1
	if g.traits.Stateful {
		if j.partings, err = g.partingTokens(j); err != nil {
			return backends.CauseEngine, err
		}
	}
	if j.request.Forced != nil {
		return g.force(j)
	}
	limit := j.request.MaxTokens
	if j.request.Budget != nil && limit > 0 {
		if err := g.budgeted(j); err != nil {
			return backends.CauseEngine, err
		}
		limit += j.request.Budget.Room()
	}
	switch {
	case limit <= 0:
		return backends.CauseEngine, fmt.Errorf("a cap of %d tokens leaves nothing to generate", limit)
	case len(tokens) == 0:
		return backends.CauseEngine, errors.New("the prompt is empty, and the model has no token that texts begin with")
	}
	if err := (backends.Workload{PromptTokens: len(tokens), MaxTokens: limit}).Fits(g.engine.Context()); err != nil {
		return backends.CauseTruncated, err
	}
	j.text, j.reported = stream.NewText(j.request.Stop), j.pulled
	if err := g.continueDrawn(j); err != nil {
		return backends.CauseEngine, err
	}
	return "", nil
}

// idle returns the idle slot that already holds most of a prompt.
func (g *generation) idle(tokens []int32) *slot {
	var best *slot
	most := -1
	for _, s := range g.slots {
		if s.job != nil {
			continue
		}
		if n := backends.CommonPrefix(s.held, tokens); n > most {
			best, most = s, n
		}
	}
	return best
}

// accept takes the token that was drawn for a slot.
func (g *generation) accept(s *slot, token int32) error {
	j := s.job
	if j.usage.OutputTokens == 0 && j.timing.FirstToken == 0 {
		j.timing.FirstToken = time.Since(j.pulled)
	}
	if err := engine.Undrawn(token); err != nil {
		g.spoil()
		return g.fail(s, backends.CauseEngine, err)
	}
	if j.request.Forced != nil {
		return g.finish(s, backends.FinishStop, "")
	}
	forced := j.thought != nil && j.thought.forces
	if !forced && !j.request.IgnoreEOS && g.vocabulary.IsEnd(token) {
		return g.finish(s, backends.FinishStop, "")
	}
	return g.put(s, token)
}

// put adds a token to a slot's completion.
func (g *generation) put(s *slot, token int32) error {
	if finish, cause := g.take(s.job, token); finish != "" {
		return g.finish(s, finish, cause)
	}
	s.job.next = token
	return nil
}

// take adds a token to a job's completion, and returns how that ends with it; nothing where it continues.
func (g *generation) take(j *job, token int32) (backends.Finish, backends.Cause) {
	j.usage.OutputTokens++
	j.drawn = append(j.drawn, token)
	piece := g.vocabulary.Piece(nil, token)
	if j.thought != nil {
		j.thought.take(token, piece)
	}
	left, capped := j.left()
	switch {
	case j.text.Add(piece):
		return backends.FinishStop, ""
	case j.request.EndLoops && capped && j.loop.Add(piece, left):
		return backends.FinishLength, backends.CauseLoop
	case capped && left == 0:
		return backends.FinishLength, backends.CauseLength
	}
	return "", ""
}

// finish hands over a slot's completion. What the slot holds stays, for the next prompt to share.
func (g *generation) finish(s *slot, finish backends.Finish, cause backends.Cause) error {
	j := s.job
	c := backends.Completion{
		ID: j.request.ID, Text: j.text.String(), Finish: finish, Stop: j.text.Stop(), Cause: cause, Usage: j.usage, Timing: j.timing,
		Predictions: j.predictions, Resumed: j.given(),
	}
	if j.thought != nil {
		whole, err := g.follow(s, c)
		if whole == nil {
			return err
		}
		c = *whole
	}
	s.job = nil
	return g.done(c)
}

// fail hands over that a slot's job failed, and empties the slot.
func (g *generation) fail(s *slot, cause backends.Cause, err error) error {
	j := s.job
	s.job, s.held, s.size = nil, nil, 0
	g.engine.Trim(s.seq, 0)
	return g.done(failed(j, cause, err))
}

func failed(j *job, cause backends.Cause, err error) backends.Completion {
	return backends.Completion{
		ID: j.request.ID, Finish: backends.FinishError, Cause: cause, Error: err.Error(), Usage: j.usage, Timing: j.timing,
	}
}

// compact closes gaps between busy slots once no request comes to fill them: llama.cpp computes only sequences with
// adjacent numbers together.
func (g *generation) compact() {
	if !g.exhausted {
		return
	}
	for low, high := 0, len(g.slots)-1; ; low, high = low+1, high-1 {
		for low < high && g.slots[low].job != nil {
			low++
		}
		for low < high && g.slots[high].job == nil {
			high--
		}
		if low >= high {
			return
		}
		from, to := g.slots[high], g.slots[low]
		g.engine.Copy(from.seq, to.seq)
		to.job, to.held, to.size, to.started, to.stops = from.job, from.held, from.size, from.started, from.stops
		g.engine.Trim(from.seq, 0)
		from.job, from.held, from.size = nil, nil, 0
	}
}
