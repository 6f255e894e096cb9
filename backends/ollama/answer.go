package ollama

import (
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/ollama/client"
	"proctor/backends/stream"
)

// answer is what a server sends for a request.
type answer struct {
	request  *request
	server   *server
	shared   int // tokens with which the prompt asked before began too
	text     *stream.Text
	thinking strings.Builder
	stopped  bool // a stop string was found here
	done     bool // the server said that it was through
	reason   string
	metrics  api.Metrics

	pieces, thoughts int // how many came, and how many of them were thinking; a piece is mostly a token
	last             string
	repeats          int // how often the last piece came before, one after the other

	asked   time.Time
	first   time.Time // when the first piece came
	beside  int       // answers that the server was writing then, this one counted
	mark    time.Duration
	writing bool
	wall    time.Duration // from the first piece to the end
	own     time.Duration // share of it
}

func newAnswer(r *request, s *server) *answer {
	return &answer{request: r, server: s, asked: time.Now(), text: stream.NewText(r.Stop).Until(r.Done)}
}

// repeatsToLoop is how many equal pieces after the first Ollama lets through: it gives up at one more.
const repeatsToLoop = 30

// add takes what came in one line of the stream.
func (a *answer) add(thinking, content string, done bool, reason string, metrics api.Metrics) error {
	if a.first.IsZero() && (thinking+content != "" || done) {
		a.first, a.writing = time.Now(), true
		a.mark, a.beside = a.server.load.begin(a.first)
	}
	if piece := thinking + content; piece != "" {
		a.pieces++
		if content == "" {
			a.thoughts++
		}
		if piece = strings.TrimSpace(piece); piece == a.last {
			a.repeats++
		} else {
			a.last, a.repeats = piece, 0
		}
	}
	a.thinking.WriteString(thinking)
	a.stopped = a.text.Add([]byte(content))
	if done {
		a.done, a.reason, a.metrics = true, reason, metrics
	}
	if a.stopped && !done { // by what the server does not know
		return client.ErrWhole
	}
	return nil
}

// end closes the account of the answer's time. It is safe to call twice.
func (a *answer) end() {
	if !a.writing {
		return
	}
	a.writing = false
	now := time.Now()
	a.own = a.server.load.end(now, a.mark)
	a.wall = now.Sub(a.first)
}

// loops says whether the server gave up because the model kept repeating itself. An answer that ended so has no last
// line, or one without counts, as versions have it.
func (a *answer) loops() bool {
	return !a.stopped && !a.counted() && (a.done || a.repeats >= repeatsToLoop)
}

// counted says whether the server told how many tokens there were.
func (a *answer) counted() bool { return a.metrics.PromptEvalCount > 0 || a.metrics.EvalCount > 0 }

// finish says how the answer ended.
func (a *answer) finish() (backends.Finish, backends.Cause) {
	switch {
	case a.stopped:
		return backends.FinishStop, ""
	case a.loops():
		return backends.FinishLength, backends.CauseLoop
	case a.reason == "length":
		return backends.FinishLength, backends.CauseLength
	}
	return backends.FinishStop, ""
}

// whole is the text with the thinking in the tags that rule sets know. Thinking that no answer follows stays open.
func (a *answer) whole() string {
	thinking, text := a.thinking.String(), a.text.String()
	switch {
	case thinking == "":
		return text
	case text == "" && !a.stopped:
		return backends.Tags.Open + thinking
	}
	return backends.Tags.Open + thinking + backends.Tags.Close + text
}

// timing shares the server's durations out among the answers that it was writing. Where an answer was ended from here,
// the server tells none: then they are those that were seen here, with the time on the way.
func (a *answer) timing() backends.Timing {
	prefill, decode := a.metrics.PromptEvalDuration, a.metrics.EvalDuration
	w := backends.Timing{FirstToken: a.first.Sub(a.request.pulled)}
	if !a.counted() {
		prefill, decode = a.first.Sub(a.asked), a.wall
	}
	w.Queue = max(0, w.FirstToken-prefill)
	w.Prefill = prefill / time.Duration(max(a.beside, 1))
	if a.wall > 0 {
		w.Decode = time.Duration(float64(decode) * min(1, float64(a.own)/float64(a.wall)))
	}
	return w
}

// sharing tells each of the answers that a server writes at a time what share of that time was its own. A server
// reports for each answer how long it took, although it wrote others beside it; what is journalled adds up to time
// that really passed.
type sharing struct {
	mu      sync.Mutex
	writing int
	each    time.Duration // own time of an answer that had been written from the beginning on
	last    time.Time
}

// begin notes that one more answer is being written. It returns how many there are now.
func (s *sharing) begin(now time.Time) (mark time.Duration, writing int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass(now)
	s.writing++
	return s.each, s.writing
}

// end notes that the answer which began at mark is written, and returns its own time.
func (s *sharing) end(now time.Time, mark time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass(now)
	s.writing--
	return s.each - mark
}

func (s *sharing) pass(now time.Time) {
	if passed := now.Sub(s.last); s.writing > 0 && passed > 0 {
		s.each += passed / time.Duration(s.writing)
	}
	s.last = now
}
