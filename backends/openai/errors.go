package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"proctor/backends"
	"proctor/backends/servers"
)

var (
	errNoJSON    = errors.New("the answer is no JSON")
	errUncounted = errors.New("it counts no tokens")
	errUnwritten = errors.New("it does not render conversations")
)

// classify says what an error means for what was asked, without secrets.
func (m *Model) classify(err error) *servers.Error {
	if already, ok := errors.AsType[*servers.Error](err); ok {
		return already
	}
	e := &servers.Error{Cause: backends.CauseEngine, Text: m.plain(err.Error())}
	var inRequest *url.Error
	var refused *statusError
	var garbled *json.SyntaxError
	switch {
	case errors.As(err, &garbled):
		e.Cause = backends.CauseConnection
	case errors.As(err, &refused):
		m.byStatus(e, refused.code)
		e.Busy, e.Pause = refused.busy, refused.pause
	case errors.Is(err, context.DeadlineExceeded):
		e.Cause, e.Lost = backends.CauseTimeout, true
	case errors.As(err, &inRequest):
		e.Cause, e.Text, e.Lost = backends.CauseConnection, m.plain(inRequest.Err.Error()), true
	default:
		noteLength(e) // in mid-stream
	}
	return e
}

// byStatus says what a status means; its words are in the text already.
func (m *Model) byStatus(e *servers.Error, code int) {
	switch {
	case noteLength(e):
	case strings.Contains(strings.ToLower(e.Text), "out of memory"):
		e.Cause = backends.CauseMemory
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		e.Final = true
		if m.options.Key == "" {
			e.Text += ": it asks for a key, set OPENAI_API_KEY"
		} else {
			e.Text += ": it refuses the key of OPENAI_API_KEY"
		}
	case code == http.StatusNotFound: // the model is gone: other servers may have it
		e.Lost = true
	case code == http.StatusTooManyRequests:
	case code == http.StatusRequestTimeout || code == http.StatusGatewayTimeout:
		e.Cause = backends.CauseTimeout
	case code >= 300 && code < 500:
		e.Final = true
	}
}

// noteLength notes in an error that its words say that a prompt is too long for the server: the protocol has a code, which few use.
// llama-server has other words where its slots share a context that became full.
func noteLength(e *servers.Error) bool {
	text := strings.ToLower(e.Text)
	for _, words := range []string{
		"context length", "context size", "context_length_exceeded", "exceed_context_size", "maximum context", "context window",
	} {
		if strings.Contains(text, words) {
			e.Cause, e.Final, e.Full = backends.CauseTruncated, true, strings.Contains(text, "context size has been exceeded")
			return true
		}
	}
	return false
}

// absent says whether a server has nothing at the address that it was asked at.
func absent(e *servers.Error) bool {
	for _, code := range []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented} {
		if strings.HasPrefix(e.Text, fmt.Sprintf("status %d:", code)) {
			return true
		}
	}
	return false
}
