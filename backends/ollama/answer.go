package ollama

import (
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/ollama/client"
	"proctor/backends/servers"
	"proctor/backends/stream"
)

// answer is what a server sends for a request.
type answer struct {
	request  *servers.Request
	server   *server
	shared   int // tokens with which the prompt asked before began too
	text     *stream.Text
	thinking strings.Builder
	stopped  bool // a stop string was found here
	done     bool // the server said that it was through
	reason   string
	metrics  api.Metrics

	pieces, thoughts int // how many came, and how many of them were thinking; a piece is mostly a token
	repeats          servers.Repeats
	size             servers.Size

	asked time.Time
	share *servers.Share // of the server's time; nil until the first piece came
}

func newAnswer(r *servers.Request, s *server) *answer {
	return &answer{request: r, server: s, asked: time.Now(), text: stream.NewText(r.Stop).Until(r.Done)}
}

// add takes what came in one line of the stream.
func (a *answer) add(thinking, content string, done bool, reason string, metrics api.Metrics) error {
	if a.share == nil && (thinking+content != "" || done) {
		a.share = a.server.load.Begin()
	}
	if piece := thinking + content; piece != "" {
		a.pieces++
		if content == "" {
			a.thoughts++
		}
		a.repeats.Add(piece)
		if err := a.size.Add(piece, a.request.MaxTokens); err != nil {
			return err
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

// loops says whether the server gave up because the model kept repeating itself. An answer that ended so has no last
// line, or one without counts, as versions have it.
func (a *answer) loops() bool {
	return !a.stopped && !a.counted() && (a.done && a.reason != "length" || a.repeats.Loop())
}

// odd is the error of an answer that ended otherwise than answers do; nil for others.
func (a *answer) odd() *servers.Error {
	switch a.reason {
	case "", "stop", "length":
		return servers.OverCap(a.metrics.EvalCount, a.request.MaxTokens)
	}
	return &servers.Error{Cause: backends.CauseEngine, Text: servers.InALine("the server ended the answer with done_reason " + a.reason)}
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

// whole is the text with the thinking in the tags that rule sets know.
func (a *answer) whole() string {
	return backends.Tags.Around(a.thinking.String(), a.text.String(), a.stopped)
}

// timing is the answer's share of what the server says that it took. Where an answer was ended from here, it tells nothing.
func (a *answer) timing() backends.Timing {
	return a.share.Timing(a.request.Pulled, a.asked, a.metrics.PromptEvalDuration, a.metrics.EvalDuration, a.counted())
}
