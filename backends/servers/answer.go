package servers

import (
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/stream"
)

// An Answer gathers what a server sends for a request.
type Answer struct {
	Request  *Request
	Text     *stream.Text
	Thinking strings.Builder
	Loops    bool // it repeats itself, and is to end here
	Pieces   int  // with text in them, which are no tokens

	loop    stream.Loop
	repeats repeats
	size    size
	load    *Load
	sent    time.Time
	share   *Share // of the server's time; nil until the first piece came
}

// NewAnswer begins the answer of a server with this load.
func NewAnswer(r *Request, load *Load) *Answer {
	return &Answer{Request: r, load: load, sent: time.Now(), Text: stream.NewText(r.Stop)}
}

// Add takes a piece of the thinking or of the text. The error is [TooLong].
func (a *Answer) Add(thinking, text string) error {
	if thinking+text == "" {
		return nil
	}
	if a.Pieces++; a.share == nil {
		a.share = a.load.Begin()
		a.Request.share.Store(a.share)
	}
	a.share.Piece()
	a.repeats.add(thinking + text)
	a.Thinking.WriteString(thinking)
	a.Text.Add([]byte(text))
	a.Loops = a.Request.EndLoops && !a.Stopped() && a.loop.Add([]byte(thinking+text), a.Request.MaxTokens-a.Pieces)
	return a.Count(thinking + text)
}

// Count counts a piece that is neither, such as a refusal, by the answer's size alone. The error is [TooLong].
func (a *Answer) Count(piece string) error { return a.size.add(piece, a.Request.MaxTokens) }

// Ended ends the measurement of the answer's time. It is safe to call twice.
func (a *Answer) Ended() {
	if a.share == nil {
		a.share = a.load.Begin() // an answer without text
	}
	a.share.End()
}

// Whole is the text with the thinking in the tags that rule sets know.
func (a *Answer) Whole() string {
	return backends.Tags.Around(a.Thinking.String(), a.Text.String(), a.Stopped())
}

// Stopped says whether a stop string was found here.
func (a *Answer) Stopped() bool { return a.Text.Stop() != "" }

// Repeats says whether the answer repeats itself, or has repeated the same piece for so long that Ollama would give up on it.
func (a *Answer) Repeats() bool { return a.Loops || !a.Stopped() && a.repeats.loop() }

// MayHaveStopped says whether a stop string may have ended the answer, so that tokens were counted which the text lacks. Those of
// a conversation are looked for here alone.
func (a *Answer) MayHaveStopped() bool {
	return a.Stopped() || a.Request.Messages == nil && strings.Join(a.Request.Stop, "") != ""
}

// Timing is the answer's share of what the server says that it took; told is false where it reports nothing.
func (a *Answer) Timing(prefill, decode time.Duration, told bool) backends.Timing {
	return a.share.Timing(a.Request.Pulled, a.sent, prefill, decode, told)
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

// repeatsToLoop is how many equal pieces after the first Ollama lets through: it gives up at one more.
const repeatsToLoop = 30

// repeats counts how often a server sent the same piece of an answer, one after the other, spaces aside: where a model keeps
// repeating itself, Ollama ends the answer without a word, by whatever protocol it was asked.
type repeats struct {
	last  string
	count int
}

func (r *repeats) add(piece string) {
	if piece = strings.TrimSpace(piece); piece == r.last {
		r.count++
	} else {
		r.last, r.count = piece, 0
	}
}

func (r *repeats) loop() bool { return r.count >= repeatsToLoop }

// What an answer may have at most, for each of its tokens and beside them. The longest tokens are some hundred spaces; a piece of
// a stream has a frame around it.
const (
	tokenBytes   = 1 << 10
	frameBytes   = 2 << 10
	tokenPieces  = 16 // servers may send a token letter by letter
	answerBytes  = 1 << 20
	answerPieces = 64
	likelyBytes  = 512 // of a token with its probability
)

// MostBytes is how many bytes the answer to a request may have on its way.
func MostBytes(r *backends.Request) int64 {
	return answerBytes + int64(max(0, r.MaxTokens))*int64(tokenBytes+tokenPieces*frameBytes+likelyBytes*r.Logprobs)
}

// size counts what came of an answer, and knows when that is more than its tokens can be.
type size struct{ pieces, bytes int }

// add counts a piece; the error is [TooLong].
func (s *size) add(piece string, maxTokens int) error {
	s.pieces++
	s.bytes += len(piece)
	if s.pieces > answerPieces+tokenPieces*maxTokens || s.bytes > tokenBytes*(answerPieces+maxTokens) {
		return TooLong()
	}
	return nil
}
