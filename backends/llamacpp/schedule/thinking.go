package schedule

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"proctor/backends"
	"proctor/backends/stream"
)

// A budget ends thinking at a number of tokens: the token that was drawn there gives way to those of the closing mark, one after
// the other, and the answer is drawn behind them. At each smaller budget it is noted what the sequence holds. When the completion
// is whole, the sequence is cut back to there, the largest first, and continues with the closing mark: nothing is decoded twice but
// that, and no other sequence is needed. A fork so reads in each place what a run with its budget alone would.

// thought is the state of a job's thinking.
type thought struct {
	*backends.Budget
	job     *job
	closing []int32 // closes thinking by force
	close   int32   // the mark that ends thinking, where that is one token; else none

	started, ended bool    // thinking
	tokens         int     // between its marks
	marked         int     // tokens up to its end, marks counted
	budgets        []int   // that it has not come to
	tail           []byte  // of the text, as much as a mark may begin in
	queue          []int32 // of closing, still to be taken
	forces         bool    // the token at hand is of the closing mark, and was not drawn
	closed         bool    // thinking was, by force

	forks []fork               // to be followed
	whole *backends.Completion // while they are; nil before
	at    fork                 // that is being followed
}

// fork is a place where a completion forks.
type fork struct {
	budget  int
	drawn   int           // tokens of the completion up to there
	state   []byte        // of the sequence, where it can't be cut back without
	decoded time.Duration // by the job, when the fork was gone back to
}

// noToken is one that no vocabulary has.
const noToken = -1

// budgeted gives a job its budget, and refuses what cannot be run.
func (g *generation) budgeted(j *job) (err error) {
	b := j.request.Budget
	switch {
	case len(b.Tokens) == 0 || b.Tokens[0] < 0 || !slices.IsSorted(b.Tokens):
		return fmt.Errorf("thinking can't have budgets of %d tokens", b.Tokens)
	case j.request.IgnoreEOS || j.request.Logprobs > 0 && len(b.Tokens) > 1:
		return errors.New("thinking with a budget ends by itself alone, and with several has no log-probabilities")
	}
	t := &thought{Budget: b, job: j, budgets: b.Tokens, close: noToken, started: b.Way.Opened(j.request.Prompt)}
	if t.closing, err = g.inside(b.Closing()); err != nil {
		return err
	}
	mark, err := g.inside(b.Way.Close)
	if err != nil {
		return err
	}
	if len(mark) == 1 {
		t.close = mark[0]
	}
	j.thought = t
	return nil
}

// inside returns the tokens of a text that others come before.
func (g *generation) inside(text string) ([]int32, error) {
	whole, err := g.vocabulary.Tokenize(text)
	if err != nil {
		return nil, err
	}
	nothing, err := g.vocabulary.Tokenize("")
	if err != nil {
		return nil, err
	}
	return whole[backends.CommonPrefix(whole, nothing):], nil
}

// instead returns the token that is taken where one was drawn, and whether that is another.
func (g *generation) instead(s *slot, token int32) (taken int32, forced bool) {
	t := s.job.thought
	switch {
	case len(t.queue) > 0:
		return t.forced(), true
	case !t.started || t.ended || token == t.close || len(t.budgets) == 0 || t.tokens < t.budgets[0]:
		return token, false
	}
	f := fork{budget: t.budgets[0], drawn: len(t.job.drawn)}
	if t.budgets = t.budgets[1:]; len(t.budgets) == 0 {
		t.shut()
		return t.forced(), true
	}
	if g.traits.Stateful {
		f.state = g.engine.State(nil, s.seq)
	}
	t.forks = append(t.forks, f)
	return token, false
}

// shut closes thinking by force, with the part of the closing mark that the completion does not end in already.
func (t *thought) shut() {
	n := len(t.closing) - 1
	for n > 0 && !slices.Equal(t.closing[:n], t.job.drawn[max(0, len(t.job.drawn)-n):]) {
		n--
	}
	t.closed, t.queue = true, t.closing[n:]
}

// forced takes a token of the closing mark.
func (t *thought) forced() (token int32) {
	token, t.queue = t.queue[0], t.queue[1:]
	return token
}

// take notes a token of the completion, the last that was drawn.
func (t *thought) take(token int32, piece []byte) {
	if t.ended {
		return
	}
	mark := t.Way.Open
	if t.started {
		t.tokens++
		mark = t.Way.Close
	}
	t.tail = append(t.tail, piece...)
	found := bytes.Contains(t.tail, []byte(mark))
	switch {
	case t.started && (found || token == t.close || t.closed && len(t.queue) == 0):
		t.ended, t.marked = true, len(t.job.drawn)+len(t.queue) // what is left of a closing mark belongs to it
	case found:
		t.started, t.tail = true, nil
	case t.started:
		t.tail = t.tail[max(0, len(t.tail)-len(mark)):]
	default: // it answers at once where its text is no beginning of a mark
		t.ended = !strings.HasPrefix(mark, strings.TrimLeft(string(t.tail), " \t\n"))
	}
}

// thinking is how many tokens the thinking has, its marks counted.
func (t *thought) thinking() int {
	if t.started && !t.ended {
		return len(t.job.drawn)
	}
	return t.marked
}

// left is how many tokens the cap still allows a job; capped is false while it thinks under a budget, which ends that instead.
func (j *job) left() (tokens int, capped bool) {
	if t := j.thought; t != nil {
		return j.request.MaxTokens - (len(t.job.drawn) - t.thinking()), len(t.queue) == 0 && (t.ended || !t.started)
	}
	return j.request.MaxTokens - j.usage.OutputTokens, true
}

// follow keeps a completion whose thinking had a budget and goes back to its next fork. It returns nil where there is one, else what
// is to be handed over.
func (g *generation) follow(s *slot, c backends.Completion) (*backends.Completion, error) {
	t := s.job.thought
	if c.Usage.ThinkingTokens = t.thinking(); t.started && !t.ended && c.Finish == backends.FinishStop {
		c.Cause = backends.CauseThinkUnclosed
	}
	if t.whole == nil {
		c.Closed = t.closed
		t.whole = &c
	} else {
		t.add(&c)
	}
	if len(t.forks) == 0 {
		return t.whole, nil
	}
	if !g.goBack(s) {
		lost := failed(s.job, backends.CauseEngine, errors.New("the engine can't go back to where a smaller budget closes the thinking"))
		return &lost, nil
	}
	return nil, g.put(s, t.forced())
}

// add puts a fork's completion to the whole one. They come from the largest budget down.
func (t *thought) add(c *backends.Completion) {
	shared := backends.CommonPrefix([]byte(t.whole.Text), []byte(c.Text))
	for shared < len(c.Text) && !utf8.RuneStart(c.Text[shared]) || shared < len(t.whole.Text) && !utf8.RuneStart(t.whole.Text[shared]) {
		shared--
	}
	t.whole.Forks = append([]backends.Fork{{
		Budget: t.at.budget, Shared: shared, Text: c.Text[shared:], Finish: c.Finish, Stop: c.Stop, Cause: c.Cause,
		OutputTokens: c.Usage.OutputTokens, ThinkingTokens: c.Usage.ThinkingTokens, Decode: c.Timing.Decode - t.at.decoded,
	}}, t.whole.Forks...)
}

// goBack cuts a slot's sequence back to its last fork, whose thinking is closed by force; false where it can't be cut back.
func (g *generation) goBack(s *slot) bool {
	j, t := s.job, s.job.thought
	last := len(t.forks) - 1
	at := t.forks[last]
	size := len(j.prompt()) + at.drawn
	if at.state != nil && !g.engine.SetState(s.seq, at.state) || !g.engine.Trim(s.seq, size) {
		return false
	}
	at.decoded = j.timing.Decode
	j.tokens, s.held = j.tokens[:min(len(j.tokens), size)], s.held[:min(len(s.held), size)]
	s.size, j.usage.OutputTokens, j.text, j.loop = size, at.drawn, stream.NewText(j.request.Stop), stream.Loop{}
	t.started, t.ended, t.tokens, t.marked, t.tail = true, false, at.budget, 0, nil
	t.job.drawn, t.forks, t.at, t.budgets = t.job.drawn[:at.drawn], t.forks[:last], at, nil
	for _, token := range t.job.drawn {
		j.text.Add(g.vocabulary.Piece(nil, token))
	}
	t.shut()
	return true
}
