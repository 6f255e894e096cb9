package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/backends/stream"
)

// An Answer gathers what a server sends for a request.
type Answer struct {
	Request     *Request
	Text        *stream.Text
	Thinking    strings.Builder
	Refusal     strings.Builder // what the model says instead of an answer
	Loops       bool            // it repeats itself, and ends here
	Predictions []backends.Prediction
	NotTaken    []string // parts of the sampling that the server does not take
	Told

	loop  stream.Loop
	piece string // the last one, spaces aside
	again int    // how often it came again, one after the other
	size  int    // bytes of all pieces
	all   int    // pieces, those without a text too
	load  *load
	sent  time.Time
	share *share // of the server's time; nil until the first piece came
}

// Told is what a server says of an answer.
type Told struct {
	Finish      string // its word for how the answer ended; empty: it did not say that it did
	Ending      Ending // what the word means
	Stop        string // the stop string that ended it, where the server names it
	HasText     bool   // there was a text, if only an empty one
	Prompt      int    // tokens that it read, those from its cache too; 0 where it does not say
	Cached      int    // of them
	Output      int    // tokens that it wrote, in most servers with the one that ends texts; 0 where it does not say
	Apart       int    // tokens of thinking that Output leaves out
	Thought     int    // tokens of thinking, those of Apart too; 0 where it does not say
	Drafted     int    // tokens guessed ahead by speculative decoding
	Accepted    int    // of them, taken
	Timed       bool   // it says how long it took:
	Prefill     time.Duration
	Decode      time.Duration
	Fingerprint string
}

// An Ending is how a server says that an answer ended.
type Ending int

const (
	Unknown Ending = iota // by no word that is known: it may have failed
	Whole
	Length // by the cap on its tokens, or the end of the context
	Filter // by a filter of the server, or the model's refusal
	Tool   // by the call of a tool
)

// errWhole ends a request from here, whose answer is complete before the server knows it.
var errWhole = errors.New("the answer is complete")

// NewAnswer begins an answer that is a part of another one's, whose time it does not share.
func NewAnswer(r *Request) *Answer { return newAnswer(r, &load{}) }

func newAnswer(r *Request, l *load) *Answer {
	return &Answer{Request: r, load: l, sent: time.Now(), Text: stream.NewText(r.Stop)}
}

// What an answer may have at most, for each of its tokens and beside them. The longest tokens are some hundred spaces;
// a piece of a stream has a frame around it.
const (
	tokenBytes   = 1 << 10
	frameBytes   = 2 << 10
	tokenPieces  = 16 // servers may send a token letter by letter
	answerBytes  = 1 << 20
	answerPieces = 64
	likelyBytes  = 512 // of a token with its probability
)

// mostBytesOf is how many bytes the answer to a request may have on its way.
func mostBytesOf(r *backends.Request) int64 {
	return answerBytes + int64(max(0, r.MaxTokens))*int64(tokenBytes+tokenPieces*frameBytes+likelyBytes*r.Logprobs)
}

// Add takes a piece of the thinking or of the text, or of a refusal. An error ends the request: the answer is complete,
// or too long.
func (a *Answer) Add(thinking, text, refusal string) error {
	a.Refusal.WriteString(refusal)
	piece := thinking + text
	if piece+refusal == "" {
		return nil
	}
	a.all++
	a.size += len(piece) + len(refusal)
	if a.all > answerPieces+tokenPieces*a.Request.MaxTokens || a.size > tokenBytes*(answerPieces+a.Request.MaxTokens) {
		return errTooLong
	}
	if piece == "" {
		return nil
	}
	if a.share == nil {
		a.share = a.load.begin()
		a.Request.share.Store(a.share)
	}
	pieces := a.share.piece()
	if same := strings.TrimSpace(piece); same == a.piece {
		a.again++
	} else {
		a.piece, a.again = same, 0
	}
	a.Thinking.WriteString(thinking)
	a.Text.Add([]byte(text))
	a.Loops = a.Request.EndLoops && !a.Stopped() && a.loop.Add([]byte(piece), a.Request.MaxTokens-pieces)
	if (a.Stopped() || a.Loops) && a.Finish == "" {
		return errWhole
	}
	return nil
}

// ended ends the measurement of the answer's time.
func (a *Answer) ended() {
	if a.share == nil {
		a.share = a.load.begin() // an answer without text
	}
	a.share.end()
}

// Stopped says whether a stop string was found here.
func (a *Answer) Stopped() bool { return a.Text.Stop() != "" }

// mayHaveStopped says whether a stop string may have ended the answer, so that tokens were counted which the text
// lacks. Those of a conversation are looked for here alone.
func (a *Answer) mayHaveStopped() bool {
	return a.Stopped() || a.Request.Messages == nil && strings.Join(a.Request.Stop, "") != ""
}

// cause says why an answer ended otherwise than by its end or a stop string; empty where it did not. A text that a stop
// string ended was whole before a refusal, and below its cap.
func (a *Answer) cause() backends.Cause {
	// servers call such an answer whole, too
	filled := a.Ending == Whole && a.Output >= a.Request.MaxTokens && !a.mayHaveStopped()
	switch {
	case !a.Stopped() && (a.Ending == Filter || a.Refusal.Len() > 0):
		return backends.CauseRefused
	case a.Ending == Tool:
		return backends.CauseTool
	case a.Loops:
		return backends.CauseLoop
	case !a.Stopped() && (a.Ending == Length || filled):
		return backends.CauseLength
	}
	return ""
}

// odd is the error of an answer that ended otherwise than answers do, or has no text where there should be one; nil for
// others.
func (a *Answer) odd() *Error {
	written := a.Output + a.Apart
	failed := func(format string, values ...any) *Error {
		return &Error{Cause: backends.CauseEngine, Text: fmt.Sprintf(format, values...)}
	}
	const tolerated = 16 // some engines count a few more, such as marks
	switch most, cause := a.Request.MaxTokens, a.cause(); {
	case a.Predictions != nil, a.Stopped(), cause != "" && cause != backends.CauseLength:
		return nil
	case a.Ending == Unknown:
		return failed("the server ended the answer with %q", a.Finish)
	case a.share.pieces == 0 && cause == "" && a.Thought == 0 && written > 1 && !(a.HasText && a.mayHaveStopped()):
		return failed("the server wrote %d tokens, and sent no text of them", written)
	case a.share.pieces == 0 && !a.HasText && written == 0:
		return failed("the answer has no text: its content is null")
	case a.Output > most+tolerated && fewer(most, a.Output):
		return Final("the server wrote %d tokens where %s is %d: it does not keep to max_tokens", a.Output, setting.MaxTokens,
			most)
	}
	return nil
}

// completion returns the answer. count splits texts into tokens, where the server did not count them; counts that
// nobody has are 0.
func (a *Answer) completion(count func(string) ([]int32, error)) backends.Completion {
	c := backends.Completion{Predictions: a.Predictions, Finish: backends.FinishStop, Usage: a.usage(count),
		NotTaken: a.NotTaken, Timing: a.share.timing(a.Request.Pulled, a.sent, &a.Told)}
	if a.Predictions != nil {
		return c
	}
	c.Text = backends.Tags.Around(a.Thinking.String(), a.Text.String(), a.Stopped())
	c.Stop, c.Fingerprint, c.Cause = cmp.Or(a.Text.Stop(), a.Stop), a.Fingerprint, a.cause()
	switch c.Cause {
	case backends.CauseRefused:
		c.Text = cmp.Or(c.Text, strings.ToValidUTF8(a.Refusal.String(), "\uFFFD"))
	case backends.CauseLoop, backends.CauseLength:
		c.Finish = backends.FinishLength
	}
	if a.Output+a.Apart > 0 && c.Finish == backends.FinishStop && !a.mayHaveStopped() {
		c.Usage.OutputTokens-- // the token that ends texts
	}
	if b := a.Request.Budget; b != nil {
		c.Closed = c.Usage.ThinkingTokens >= b.Most()
	}
	return c
}

// usage is how many tokens there were: the server's own numbers count, and those of a tokenizer where it sent none, as
// of an answer that was ended here. The pieces of a stream are no tokens.
func (a *Answer) usage(count func(string) ([]int32, error)) backends.Usage {
	read, thinking := cmp.Or(a.Prompt, len(a.Request.IDs)), a.Thinking.String()
	u := backends.Usage{
		PromptTokens: read, ReusedTokens: max(0, min(a.Cached, read-1)), // the last token is always evaluated
		OutputTokens: a.Output + a.Apart, ThinkingTokens: a.Thought,
		DraftedTokens: max(0, a.Drafted), AcceptedTokens: max(0, min(a.Accepted, a.Drafted)),
	}
	if u.OutputTokens == 0 {
		u.OutputTokens = TokensOf(count, thinking+a.Text.String())
	}
	if u.ThinkingTokens == 0 {
		u.ThinkingTokens = min(TokensOf(count, thinking), u.OutputTokens)
	}
	return u
}

// TokensOf is how many tokens a text has behind others; 0 where tokenize fails.
func TokensOf(tokenize func(string) ([]int32, error), text string) int {
	if text == "" {
		return 0
	}
	none, err := tokenize("") // what begins every text
	if err != nil {
		return 0
	}
	all, err := tokenize(text)
	if err != nil {
		return 0
	}
	return max(0, len(all)-len(none))
}

// repeatsToLoop is how many equal pieces after the first Ollama lets through: at one more it ends the answer without a
// word, by whatever protocol it was asked, since the model keeps repeating itself.
const repeatsToLoop = 30

// checkTruncation checks that the server read the whole prompt and had room for the whole answer, by the counts that it
// reports.
func (m *Model) checkTruncation(ctx context.Context, s *server, a *Answer, used backends.Usage) error {
	read, sent, room := a.Prompt, len(a.Request.IDs), s.facts.Load().Context
	if a.Request.Context > 0 && (m.options.Context > 0 || room == 0) {
		room = a.Request.Context
	}
	bytes := len(a.Request.Prompt)
	for _, message := range a.Request.Messages {
		if a.Request.Prompt == "" {
			bytes += len(message.Content)
		}
	}
	cut := read > 0 && (sent > 0 && fewer(read, sent) || room > 0 && read >= room)
	if read > 0 && !cut && sent == 0 && m.usual.short(bytes, read) {
		var err error
		if cut, err = m.readsNoMore(ctx, s, a.Request, read); err != nil {
			return err
		}
	}
	switch {
	case cut:
		of := fmt.Sprintf("its %d bytes", bytes)
		if sent > 0 {
			of = fmt.Sprint(sent)
		}
		return Shortened(read, of, room)
	// Pieces are no tokens, so nothing follows from them, and LM Studio counts one token less than it wrote.
	case a.Ending == Length && a.Output > 0 && a.Output+a.Apart < a.Request.MaxTokens-1:
		return &Error{Cause: backends.CauseTruncated, Final: true,
			Text: fmt.Sprintf("the answer got %d of %d tokens behind the %d "+
				"that the server read, then its context was full", used.OutputTokens, a.Request.MaxTokens, read)}
	}
	if read > 0 {
		m.usual.add(bytes, read)
	}
	return nil
}

// fewer says whether a server read so few of the tokens sent that another way to split the text does not explain it.
func fewer(read, sent int) bool {
	const tolerated = 50 // a difference of one token in 50
	return read < sent-max(2, sent/tolerated)
}

// Shortened is the error of a prompt of which a server read fewer tokens than it was sent.
func Shortened(read int, of string, room int) *Error {
	text := fmt.Sprintf("the prompt was cut: the server read %d tokens of %s", read, of)
	if room > 0 {
		text += fmt.Sprintf("; its context holds %d", room)
	}
	return &Error{Cause: backends.CauseTruncated, Final: true, Text: text}
}

// readsNoMore finds out whether a server cut a prompt: then it reads no more tokens of the same prompt said twice.
// Prompts of a run may differ in how many tokens they have for their length.
func (m *Model) readsNoMore(ctx context.Context, s *server, r *Request, read int) (bool, error) {
	twice := r.Request
	twice.MaxTokens = 1
	twice.Prompt += twice.Prompt
	twice.Messages = slices.Clone(r.Messages) // their turns stay, since templates refuse two of one role in a row
	for i := range twice.Messages {
		twice.Messages[i].Content += twice.Messages[i].Content
	}
	a, err := m.ask(ctx, s, &Request{Request: twice, Run: r.Run})
	if e := errorOf(err); e != nil && e.Final { // it refuses what is too long, and so does not cut
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return 2*a.Prompt < 3*read, nil
}

// proportion is how many tokens a run's prompts have for their length, where nobody counts them.
type proportion struct {
	mu                     sync.Mutex
	prompts, bytes, tokens int
	most                   int // tokens of one
}

// Prompts of one run are much alike, so one with so small a share of the usual number of tokens may be no whole one.
const (
	fewestSeen  = 8
	cutPrompts  = 0.6
	shortPrompt = 1000 // bytes; shorter ones vary
)

func (p *proportion) add(bytes, tokens int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prompts, p.bytes, p.tokens, p.most = p.prompts+1, p.bytes+bytes, p.tokens+tokens, max(p.most, tokens)
}

// short says whether tokens are too few for a prompt of the given bytes. Where more were read of another prompt, there
// was room.
func (p *proportion) short(bytes, tokens int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.prompts >= fewestSeen && bytes >= shortPrompt && tokens >= p.most &&
		float64(tokens) < cutPrompts*float64(bytes)*float64(p.tokens)/float64(p.bytes)
}

// endings watches how a server's answers end: it may cap them on its own, or let a model think on past its budget.
type endings struct {
	mu           sync.Mutex
	longest      int // tokens of an answer that the server calls whole
	times        int // that one had as many
	told, unkept bool
}

// A server seems to have a cap of its own where this many answers have equally many tokens, and none has more.
const (
	sameEnds   = 5
	fewestEnds = 64 // tokens; short answers may well be equally long
)

// see takes an answer, and returns what a person should know of the server; empty for nothing, and the second time.
func (e *endings) see(a *Answer, c *backends.Completion) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := a.Request.Budget; b != nil && !e.unkept && c.Usage.ThinkingTokens > 2*(b.Most()+len(b.Closing())) {
		e.unkept = true
		return fmt.Sprintf("%d tokens of thinking with a budget of %d: this server does not heed it; update it, or give it "+
			"what it wants to close thinking (vLLM a reasoning configuration)", c.Usage.ThinkingTokens, b.Most())
	}
	if a.Ending != Whole || a.Stopped() || a.Output == 0 || a.Output >= a.Request.MaxTokens {
		return ""
	}
	switch {
	case a.Output > e.longest:
		e.longest, e.times = a.Output, 1
	case a.Output == e.longest:
		e.times++
	}
	if e.times < sameEnds || e.longest < fewestEnds || e.told {
		return ""
	}
	e.told = true
	return fmt.Sprintf("%d answers end at %d tokens, and none has more, though %s is %d: the server seems to have a "+
		"cap of its own, which it calls a stop", e.times, e.longest, setting.MaxTokens, a.Request.MaxTokens)
}
