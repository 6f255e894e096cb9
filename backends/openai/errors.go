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

// classify says what an error means for the request, without secrets.
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
		e = refusedBy(refused, e.Text)
		switch {
		case e.Cause == backends.CauseAuth && (m.options.Key == "" || isPlaceholder(m.options.Key)):
			e.Text += ": it asks for a key, set OPENAI_API_KEY"
		case e.Cause == backends.CauseAuth:
			e.Text += ": it refuses the key of OPENAI_API_KEY"
		case e.Cause == backends.CauseQuota:
			e.Text += ": wait for the next period, or raise the quota there"
		}
	case errors.Is(err, context.DeadlineExceeded):
		e.Cause, e.Lost = backends.CauseTimeout, true
	case errors.As(err, &inRequest):
		e.Cause, e.Text, e.Lost = backends.CauseConnection, m.plain(inRequest.Err.Error()), true
	}
	return e
}

// refusedBy returns the meaning of a server's refusal; text is the server's words.
func refusedBy(refused *statusError, text string) *servers.Error {
	e := &servers.Error{Text: text}
	e.Means(refused.code, refused.header)
	return e
}

// spent says whether an error is how OpenAI says that a model has thought until the cap.
func spent(err error) bool {
	refused, is := errors.AsType[*statusError](err)
	return is && refused.code == http.StatusBadRequest && strings.Contains(refused.words, "output limit was reached")
}

// absent says whether a server has nothing at the requested address.
func absent(e *servers.Error) bool {
	for _, code := range []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented} {
		if strings.HasPrefix(e.Text, fmt.Sprintf("status %d:", code)) {
			return strings.Contains(e.Text, "completions") || !strings.Contains(strings.ToLower(e.Text), "model") // which it has not
		}
	}
	return false
}
