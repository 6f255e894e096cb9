package ollama

import (
	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/ollama/client"
	"proctor/backends/servers"
)

// answer is what a server sends for a request.
type answer struct {
	*servers.Answer
	shared  int  // tokens with which the prompt asked before began too
	done    bool // the server said that it was through
	reason  string
	metrics api.Metrics
}

// add takes what came in one line of the stream.
func (a *answer) add(thinking, content string, done bool, reason string, metrics api.Metrics) error {
	if err := a.Add(thinking, content); err != nil {
		return err
	}
	if done {
		a.done, a.reason, a.metrics = true, reason, metrics
	}
	if a.Stopped && !done { // by what the server does not know
		return client.ErrWhole
	}
	return nil
}

// loops says whether the server gave up because the model kept repeating itself. An answer that ended so has no last
// line, or one without counts, as versions have it.
func (a *answer) loops() bool {
	return !a.Stopped && !a.counted() && (a.done && a.reason != "length" || a.Repeats())
}

// odd is the error of an answer that ended otherwise than answers do; nil for others.
func (a *answer) odd() *servers.Error {
	switch a.reason {
	case "", "stop", "length":
		return servers.OverCap(a.metrics.EvalCount, a.Request.MaxTokens)
	}
	return &servers.Error{Cause: backends.CauseEngine, Text: servers.InALine("the server ended the answer with done_reason " + a.reason)}
}

// counted says whether the server told how many tokens there were.
func (a *answer) counted() bool { return a.metrics.PromptEvalCount > 0 || a.metrics.EvalCount > 0 }

// finish says how the answer ended.
func (a *answer) finish() (backends.Finish, backends.Cause) {
	switch {
	case a.Stopped:
		return backends.FinishStop, ""
	case a.loops():
		return backends.FinishLength, backends.CauseLoop
	case a.reason == "length":
		return backends.FinishLength, backends.CauseLength
	}
	return backends.FinishStop, ""
}
