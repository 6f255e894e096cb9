package scripted

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/stream"
)

// Model answers by its functions. Its fields are set before it is used.
type Model struct {
	// Answer gives the whole text that follows a prompt, before stop strings and the cap are applied; nil: a
	// sentence with a letter that depends on the prompt.
	Answer func(backends.Request) string
	// Write writes down the conversation of a request that has no prompt.
	Write func(messages []backends.Message, think *bool) string
	// Fail makes a request fail instead; nil, or a nil result: none does.
	Fail func(backends.Request) *Error
	// Delay is how long a step takes in which every slot gets one token, and how long a prompt takes.
	Delay time.Duration

	Slots   int // requests in flight; 0: 1
	Context int // tokens that prompt and answer may have together; 0: any number

	closed bool
}

// Error is a way to fail.
type Error struct {
	Cause backends.Cause // of the completion that failed
	Text  string         // for people
	Break bool           // the whole backend breaks: Generate returns the text as an error
}

var (
	_ backends.Model     = (*Model)(nil)
	_ backends.Tokenizer = (*Model)(nil)
	_ backends.Planner   = (*Model)(nil)
)

// pieceBytes is how many bytes a token has: so few that characters and stop strings are spread over several.
const pieceBytes = 3

// begin is the token that every prompt begins with.
const begin = 1

// Tokenize implements [backends.Tokenizer]: a token for the beginning, then one for every three bytes.
func (m *Model) Tokenize(prompt string) ([]int32, error) {
	tokens := make([]int32, 1, 2+len(prompt)/pieceBytes)
	tokens[0] = begin
	for piece := range slices.Chunk([]byte(prompt), pieceBytes) {
		var b [4]byte
		copy(b[:], piece)
		tokens = append(tokens, int32(binary.LittleEndian.Uint32(b[:]))<<2|int32(len(piece)))
	}
	return tokens, nil
}

// Plan implements [backends.Planner].
func (m *Model) Plan(_ context.Context, w backends.Workload) (backends.Allocation, error) {
	if err := w.Fits(m.Context); err != nil {
		return backends.Allocation{}, err
	}
	return backends.Allocation{Slots: m.slots(), Context: m.Context}, nil
}

// Info implements [backends.Model].
func (m *Model) Info(context.Context) (backends.Info, error) {
	return backends.Info{
		Model:  backends.ModelInfo{Ref: "scripted", Name: "scripted", Architecture: "script", ContextLength: m.Context},
		Engine: backends.EngineInfo{Name: "scripted", Version: "1", Slots: m.slots(), Context: m.Context},
	}, nil
}

// Close implements [backends.Model].
func (m *Model) Close() error {
	m.closed = true
	return nil
}

func (m *Model) slots() int { return max(m.Slots, 1) }

// answer is one request in flight.
type answer struct {
	request    backends.Request
	pulled     time.Time
	rest       []byte
	loop       stream.Loop
	text       *stream.Text
	completion backends.Completion
}

// Generate implements [backends.Model].
func (m *Model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if m.closed {
		return backends.ErrClosed
	}
	next, stop := iter.Pull(requests)
	defer stop()
	var flying []*answer
	var before []int32 // tokens of the prompt before
	more := true
	for {
		for more && len(flying) < m.slots() {
			if err := ctx.Err(); err != nil {
				return err
			}
			var r backends.Request
			if r, more = next(); !more {
				break
			}
			a, tokens, err := m.begin(r, before)
			if err != nil {
				return err
			}
			before = tokens
			if a.completion.Finish == backends.FinishError {
				if err := done(a.completion); err != nil {
					return err
				}
				continue
			}
			if err := m.wait(ctx); err != nil {
				return err
			}
			flying = append(flying, a)
		}
		if len(flying) == 0 {
			return ctx.Err()
		}
		if err := m.wait(ctx); err != nil {
			return err
		}
		var left []*answer
		for _, a := range flying {
			if !a.step() {
				left = append(left, a)
			} else if err := done(a.completion); err != nil {
				return err
			}
		}
		flying = left
	}
}

// begin looks a request up in the script. The completion of one that cannot be run is whole already.
func (m *Model) begin(r backends.Request, before []int32) (*answer, []int32, error) {
	written := ""
	if r.Messages != nil && r.Prompt == "" && m.Write != nil {
		written = m.Write(r.Messages, r.Think)
		r.Prompt = written
	}
	tokens, err := m.Tokenize(r.Prompt)
	if err != nil {
		return nil, nil, err
	}
	a := &answer{request: r, pulled: time.Now(), text: stream.NewText(r.Stop)}
	a.completion = backends.Completion{ID: r.ID, Prompt: written, Usage: backends.Usage{PromptTokens: len(tokens)}}
	var failed *Error
	if m.Fail != nil {
		failed = m.Fail(r)
	}
	unfit := backends.Workload{PromptTokens: len(tokens), MaxTokens: r.MaxTokens}.Fits(m.Context)
	switch {
	case failed != nil && failed.Break:
		return nil, nil, fmt.Errorf("%s", failed.Text)
	case failed != nil:
	case r.MaxTokens <= 0:
		failed = &Error{Cause: backends.CauseEngine, Text: fmt.Sprintf("a cap of %d tokens leaves nothing to generate", r.MaxTokens)}
	case unfit != nil:
		failed = &Error{Cause: backends.CauseTruncated, Text: unfit.Error()}
	}
	if failed != nil {
		a.completion.Finish, a.completion.Cause, a.completion.Error = backends.FinishError, failed.Cause, failed.Text
		return a, before, nil
	}
	a.completion.Usage.ReusedTokens = backends.CommonPrefix(tokens[:max(0, len(tokens)-1)], before)
	a.completion.Timing.Prefill = m.Delay
	write := m.Answer
	if write == nil {
		write = Letter
	}
	a.rest = []byte(write(r))
	return a, tokens, nil
}

// step generates one token and says whether the completion is whole.
func (a *answer) step() (whole bool) {
	c := &a.completion
	if c.Timing.FirstToken == 0 {
		c.Timing.FirstToken = time.Since(a.pulled)
	}
	stopped, loops := len(a.rest) == 0, false
	if !stopped {
		n := min(pieceBytes, len(a.rest))
		c.Usage.OutputTokens++
		stopped = a.text.Add(a.rest[:n])
		loops = a.request.EndLoops && a.loop.Add(a.rest[:n], a.request.MaxTokens-c.Usage.OutputTokens)
		a.rest = a.rest[n:]
	}
	switch {
	case stopped:
		c.Finish = backends.FinishStop
	case loops:
		c.Finish, c.Cause = backends.FinishLength, backends.CauseLoop
	case c.Usage.OutputTokens == a.request.MaxTokens:
		c.Finish, c.Cause = backends.FinishLength, backends.CauseLength
	default:
		return false
	}
	c.Text, c.Stop, c.Timing.Decode = a.text.String(), a.text.Stop(), time.Since(a.pulled)-c.Timing.FirstToken
	return true
}

// wait lets Delay pass, or less where ctx ends.
func (m *Model) wait(ctx context.Context) error {
	if m.Delay == 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(m.Delay):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Letter is the answer of a model that guesses: a letter from A to J that depends on the prompt alone.
func Letter(r backends.Request) string {
	hash := fnv.New32a()
	hash.Write([]byte(r.Prompt))
	return fmt.Sprintf(" Weighing the options, one remains. The answer is (%c).\n\nQuestion:", 'A'+hash.Sum32()%10)
}
