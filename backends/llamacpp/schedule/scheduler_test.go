package schedule

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// fakeEngine is a cache of tokens without a model: what follows a text is a letter that all of the text decides, so that a
// token in the wrong place shows in everything after it.
type fakeEngine struct {
	t        *testing.T
	ctx      context.Context
	cells    [][]int32 // what each sequence holds
	room     int       // tokens of a batch
	decoded  int       // tokens
	batches  int
	reported int // how often sharing was told
	shared   int // tokens that sequences were told to share, at most
	spoilt   int // how often it was
	drawn    []int32
	onDecode func(engine.Batch) error
}

func (e *fakeEngine) Context() int    { return 1000 }
func (e *fakeEngine) Shares() bool    { return true }
func (e *fakeEngine) Clear()          { clear(e.cells) }
func (e *fakeEngine) Spoil()          { e.spoilt++ }
func (e *fakeEngine) Copy(a, b int32) { e.cells[b] = slices.Clone(e.cells[a]) }

func (e *fakeEngine) Trim(sequence int32, from int) bool {
	e.cells[sequence] = e.cells[sequence][:min(from, len(e.cells[sequence]))]
	return true
}

// Only a model with recurrent layers has a state: see statefulEngine.
func (e *fakeEngine) State(buf []byte, _ int32) []byte {
	e.t.Error("a state was asked for")
	return buf
}

func (e *fakeEngine) SetState(int32, []byte) bool {
	e.t.Error("a state was set")
	return false
}

// begin empties the engine and returns its traits.
func (e *fakeEngine) begin(t *testing.T, slots, room int) Traits {
	e.t, e.room, e.cells = t, room, make([][]int32, slots)
	return Traits{Slots: slots, Batch: room, Microbatch: room}
}

func (e *fakeEngine) CancelWith(ctx context.Context) func() {
	e.ctx = ctx
	return func() {}
}

// Share checks that what it is told is so.
func (e *fakeEngine) Share(group, length []int32) {
	e.reported++
	for seq, first := range group {
		if first < 0 {
			continue
		}
		n := length[first]
		e.shared = max(e.shared, int(n))
		if int(n) > len(e.cells[seq]) || !slices.Equal(e.cells[seq][:n], e.cells[first][:n]) {
			e.t.Errorf("sequences %d and %d are said to share %d tokens; they hold %v and %v", seq, first, n, e.cells[seq], e.cells[first])
		}
	}
}

func (e *fakeEngine) Decode(b engine.Batch) ([]int32, error) {
	e.batches++
	if e.reported != e.batches {
		e.t.Errorf("batch %d: sharing was told %d times", e.batches, e.reported)
	}
	if len(b) == 0 || len(b) > e.room {
		e.t.Errorf("a batch of %d tokens, there is room for %d", len(b), e.room)
	}
	drawn := make([]int32, len(b))
	for i, token := range b {
		if i > 0 && token.Sequence < b[i-1].Sequence {
			e.t.Errorf("sequence %d comes after %d", token.Sequence, b[i-1].Sequence)
		}
		if at := len(e.cells[token.Sequence]); int(token.Position) != at {
			e.t.Fatalf("position %d of sequence %d, which holds %d tokens", token.Position, token.Sequence, at)
		}
		e.cells[token.Sequence] = append(e.cells[token.Sequence], token.ID)
		if token.Draw {
			drawn[i] = following(e.cells[token.Sequence])
			if s := token.Sampler; s != nil {
				drawn[i] = following([]int32{drawn[i], int32(s.Seed), int32(s.Position), int32(len(s.Before))})
			}
		}
	}
	if e.onDecode != nil {
		if err := e.onDecode(b); err != nil {
			return nil, err
		}
	}
	if e.ctx.Err() != nil {
		return nil, engine.ErrCancelled
	}
	e.decoded += len(b)
	e.drawn = drawn
	return drawn, nil
}

// Predict has the token that follows for the likeliest.
func (e *fakeEngine) Predict(places []engine.Place, _ int) []backends.Prediction {
	reported := make([]backends.Prediction, len(places))
	for i, p := range places {
		reported[i] = backends.Prediction{Token: p.Token, Top: []backends.Logprob{{Token: e.drawn[p.At]}}, AskLogprobs: make([]float64, len(p.Ask))}
	}
	return reported
}

// following is the token that follows a text: a small letter, or sometimes the end.
func following(text []int32) int32 {
	hash := fnv.New32()
	for _, token := range text {
		hash.Write([]byte{byte(token)})
	}
	if n := hash.Sum32() % 27; n > 0 {
		return 'a' + int32(n) - 1
	}
	return '.'
}

// letters is a vocabulary of bytes, in which a full stop ends a text.
type letters struct{}

func (letters) Tokenize(prompt string) ([]int32, error) {
	var tokens []int32
	for _, b := range []byte(prompt) {
		tokens = append(tokens, int32(b))
	}
	return tokens, nil
}
func (letters) Piece(buf []byte, token int32) []byte { return append(buf, byte(token)) }
func (letters) IsEnd(token int32) bool               { return token == '.' }
func (letters) Tokens() int32                        { return 256 }

// expected is a request's text by the shortest of loops.
func expected(r backends.Request) string {
	tokens, _ := letters{}.Tokenize(r.Prompt)
	prompt := len(tokens)
	for len(tokens) < prompt+r.MaxTokens {
		next := following(tokens)
		if next == '.' {
			break
		}
		tokens = append(tokens, next)
	}
	return text(tokens[prompt:])
}

// subjects returns requests whose prompts begin alike, subject by subject.
func subjects(n, questions int) []backends.Request {
	var all []backends.Request
	for s := range n {
		shots := strings.Repeat(fmt.Sprintf("shot of subject %d\n", s), 5)
		for q := range questions {
			all = append(all, backends.Request{
				ID: fmt.Sprintf("%d/%d", s, q), MaxTokens: 1 + (5*s+3*q)%20,
				Prompt: shots + strings.Repeat(fmt.Sprint("question ", q, " "), 1+q%4),
			})
		}
	}
	return all
}

// scheduled is an engine to try the scheduler with.
type scheduled interface {
	Engine
	begin(t *testing.T, slots, room int) Traits
}

// schedule answers requests in a number of slots of a fake engine.
func schedule(
	ctx context.Context, t *testing.T, e scheduled, slots, room int, requests []backends.Request,
) (map[string]backends.Completion, error) {
	t.Helper()
	done := map[string]backends.Completion{}
	return done, Generate(ctx, e, letters{}, e.begin(t, slots, room), slices.Values(requests), func(c backends.Completion) error {
		_, twice := done[c.ID]
		assert.Check(t, !twice, "%s is done twice", c.ID)
		done[c.ID] = c
		return nil
	})
}

// answered returns the completions of requests, and fails the test if one is missing.
func answered(t *testing.T, e scheduled, slots, room int, requests []backends.Request) map[string]backends.Completion {
	t.Helper()
	done, err := schedule(t.Context(), t, e, slots, room, requests)
	assert.Assert(t, err == nil && len(done) == len(requests), "%d of %d requests are done: %v", len(done), len(requests), err)
	return done
}

// checkTexts demands of each request its text, or that it fails.
func checkTexts(t *testing.T, done map[string]backends.Completion, requests []backends.Request, failing ...int) {
	t.Helper()
	for i, r := range requests {
		c, fails := done[r.ID], slices.Contains(failing, i)
		assert.Check(t, fails == (c.Finish == backends.FinishError) && (fails || c.Text == expected(r)),
			"%s: got %+v, want %q", r.ID, c, expected(r))
	}
}

// failsAt is an engine's way to fail at an exclamation mark.
func failsAt(err error) func(engine.Batch) error {
	return func(b engine.Batch) error {
		if slices.ContainsFunc(b, func(token engine.Token) bool { return token.ID == '!' }) {
			return err
		}
		return nil
	}
}

// failing puts exclamation marks into two of the requests, and says into which.
func failing(requests []backends.Request) []int {
	requests[4].Prompt += "!"
	requests[11].Prompt = "!" + requests[11].Prompt
	return []int{4, 11}
}

func TestTheEndOfTheContextEndsAGeneration(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	requests := subjects(2, 9)
	e := fakeEngine{}
	e.onDecode = func(engine.Batch) error {
		if e.batches == 12 {
			cancel()
		}
		return nil
	}
	done, err := schedule(ctx, t, &e, 3, 64, requests)
	assert.Check(t, errors.Is(err, context.Canceled) && e.batches == 12 && len(done) != 0 && len(done) != len(requests),
		"after %d batches and %d of %d requests: %v", e.batches, len(done), len(requests), err)
	for _, r := range requests {
		c, found := done[r.ID]
		assert.Check(t, !found || c.Text == expected(r), "%s: got %q, want %q", r.ID, c.Text, expected(r))
	}
}

func TestACancelledDecodeIsAFailureWhereNobodyCancelled(t *testing.T) {
	e := fakeEngine{onDecode: func(engine.Batch) error { return engine.ErrCancelled }}
	done, err := schedule(t.Context(), t, &e, 2, 64, subjects(1, 2))
	assert.Check(t, err == nil && len(done) == 2 && done["0/0"].Finish == backends.FinishError && done["0/1"].Cause == backends.CauseEngine,
		"%+v, %v", done, err)
}

func TestAFailedDecodeFailsTheRequestsThatCannotBeDecoded(t *testing.T) {
	requests := subjects(2, 9)
	broken := failing(requests)
	for _, slots := range []int{1, 4} {
		e := fakeEngine{onDecode: failsAt(&engine.DecodeError{Cause: backends.CauseMemory, Reason: "no memory for this"})}
		done := answered(t, &e, slots, 64, requests)
		checkTexts(t, done, requests, broken...)
		for _, i := range broken {
			c := done[requests[i].ID]
			assert.Check(t, c.Cause == backends.CauseMemory && c.Error == "no memory for this", "%d slots, %s: %+v", slots, c.ID, c)
		}
	}
}

// chunkedEngine is a fake of a model with layers that sum up a prompt's tokens in chunks, counted from where a batch begins.
type chunkedEngine struct{ statefulEngine }

const chunk, chunkedMicrobatch = 16, 40

func (e *chunkedEngine) begin(t *testing.T, slots, room int) Traits {
	all := e.statefulEngine.begin(t, slots, room)
	all.Chunk, all.Microbatch = chunk, chunkedMicrobatch
	return all
}

func (e *chunkedEngine) Decode(b engine.Batch) ([]int32, error) {
	sequences := map[int32]bool{}
	for _, token := range b {
		sequences[token.Sequence] = true
	}
	prompt := len(sequences) < len(b) // else each sequence has the token that it has drawn
	if first := b[0]; prompt && (first.Position%chunk != 0 || len(sequences) > 1 || len(b) > chunkedMicrobatch) {
		e.t.Errorf("a batch has %d tokens of prompts from %d of sequence %d to sequence %d",
			len(b), first.Position, first.Sequence, b[len(b)-1].Sequence)
	}
	return e.statefulEngine.Decode(b)
}

func TestPromptsAreDecodedInWholeChunks(t *testing.T) {
	requests := subjectsWithShots(3, 9, 2)
	for _, slots := range []int{1, 3, 16} {
		t.Run(fmt.Sprintf("%d slots", slots), func(t *testing.T) {
			e := chunkedEngine{statefulEngine{hybrid: true}}
			done, reused := answered(t, &e, slots, 64, requests), 0
			checkTexts(t, done, requests)
			for _, c := range done {
				reused += c.Usage.ReusedTokens
			}
			least := 500 / chunk * chunk * (len(requests) - 3)
			assert.Check(t, reused >= least, "%d tokens are reused, the shots alone are %d", reused, least)
		})
	}
}
