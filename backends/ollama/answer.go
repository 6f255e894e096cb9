package ollama

import (
	"fmt"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/servers"
)

// answer gathers what a server sends for a request.
type answer struct {
	*servers.Answer
	shared  int  // tokens that the prompt shares with the beginning of the one before
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
	if (a.Stopped() || a.Loops) && !done { // by what the server does not know
		return errWhole
	}
	return nil
}

// loops says whether the server gave up because the model kept repeating itself. An answer that ended so has no last
// line, or one without counts, as versions have it.
func (a *answer) loops() bool {
	return a.Loops || !a.Stopped() && !a.counted() && (a.done && a.reason != "length" || a.Repeats())
}

// odd is the error of an answer that ended otherwise than answers do; nil for others.
func (a *answer) odd() *servers.Error {
	switch a.reason {
	case "", "stop", "length":
		return servers.OverCap(a.metrics.EvalCount, a.Request.MaxTokens)
	}
	return &servers.Error{Cause: backends.CauseEngine, Text: servers.InALine("the server ended the answer with done_reason " + a.reason)}
}

// counted says whether the server reported how many tokens there were.
func (a *answer) counted() bool { return a.metrics.PromptEvalCount > 0 || a.metrics.EvalCount > 0 }

// finish says how the answer ended.
func (a *answer) finish() (backends.Finish, backends.Cause) {
	switch {
	case a.Stopped():
		return backends.FinishStop, ""
	case a.loops():
		return backends.FinishLength, backends.CauseLoop
	case a.reason == "length":
		return backends.FinishLength, backends.CauseLength
	}
	return backends.FinishStop, ""
}

// checkTruncation checks that the server read the whole prompt and had room for the whole answer. Requests forbid to
// cut a prompt, but what stands between may change them.
func (m *Model) checkTruncation(a *answer) error {
	read, sent, written := a.metrics.PromptEvalCount, len(a.Request.IDs), a.metrics.EvalCount
	var text string
	switch {
	case sent > 0 && read > 0 && servers.Fewer(read, sent):
		text = servers.Shortened(read, fmt.Sprintf(" of %d", sent), 0)
	case a.reason == "length" && a.counted() && written < a.Request.MaxTokens || read >= m.context:
		text = fmt.Sprintf("the server read %d tokens, and its context was full after %d of %d tokens of answer", read,
			written, a.Request.MaxTokens)
	default:
		return nil
	}
	text += fmt.Sprintf("; num_ctx was %d", m.context)
	return &servers.Error{Cause: backends.CauseTruncated, Final: true, Text: text}
}

// count says how many tokens there were. Ollama counts the end-of-generation token as one of the answer, and does not
// say how much of a prompt it had in its cache.
func (m *Model) count(a *answer) backends.Usage {
	u := backends.Usage{PromptTokens: a.metrics.PromptEvalCount, OutputTokens: a.metrics.EvalCount}
	if sent := len(a.Request.IDs); sent > 0 {
		u.PromptTokens, u.ReusedTokens = sent, min(a.shared, sent-1)
	}
	thinking := a.Thinking.String()
	if u.OutputTokens == 0 {
		u.OutputTokens = servers.TokensOf(m.tokenize, thinking+a.Text.String())
	} else if a.reason == "stop" && !a.MayHaveStopped() {
		u.OutputTokens--
	}
	u.ThinkingTokens = min(servers.TokensOf(m.tokenize, thinking), u.OutputTokens)
	return u
}
