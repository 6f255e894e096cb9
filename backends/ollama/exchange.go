package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/servers"
)

// errWhole ends a request from here, whose answer is complete before the server knows it.
var errWhole = errors.New("the answer is complete")

// exchange makes one request by call, which sets done once it has the answer's end. It says what Ollama's client does not:
// whether the answer was whole. The error is an
// [*servers.Error], or why ctx ended. m may have what the caller wants of the answer.
func exchange(ctx context.Context, m *servers.Monitor, done *bool, call func(context.Context) error) error {
	err := call(servers.Monitored(ctx, m))
	switch {
	case errors.Is(err, errWhole), err == nil && *done:
		return nil
	case ctx.Err() != nil:
		return servers.Ended(ctx)
	case m.Broken != nil: // err, if there is one, may be about half a line
		e := *m.Failure()
		e.Text = servers.InALine(e.Text)
		return &e
	case err == nil && m.Status >= http.StatusMultipleChoices:
		err = api.StatusError{StatusCode: m.Status}
	case err == nil:
		return servers.ErrEarly
	}
	return classify(err, m.Header)
}

// classify says what an error of Ollama's client means for the request; header is the header of the server's answer, nil for none.
func classify(err error, header http.Header) *servers.Error {
	if already, ok := errors.AsType[*servers.Error](err); ok {
		return already
	}
	var inRequest *url.Error
	e := &servers.Error{Cause: backends.CauseEngine, Text: servers.OneLine(err)}
	code, words := statusOf(err)
	if code != 0 {
		e.Text = servers.InALine(fmt.Sprintf("status %d: %s", code, words))
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		e.Cause, e.Lost = backends.CauseTimeout, true
	case errors.As(err, &inRequest):
		e.Cause, e.Text, e.Lost = backends.CauseConnection, servers.OneLine(inRequest.Err), true
	case code != 0:
		e.Means(code, header)
		if e.Cause == backends.CauseAuth {
			e.Text += ": its protocol has no key; openai:NAME sends OPENAI_API_KEY"
		}
	}
	return e
}

// plain makes an error of Ollama's client one that people can read: without the request's whole address, and with ctx's
// own reason where that ended it.
func plain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if inRequest, ok := errors.AsType[*url.Error](err); ok {
		err = inRequest.Err
	}
	return err
}

// statusOf is the HTTP status that err reports, with the server's words; 0 for none.
func statusOf(err error) (code int, words string) {
	var answered api.StatusError
	var refused api.AuthorizationError
	switch {
	case errors.As(err, &answered):
		return answered.StatusCode, cmp.Or(answered.ErrorMessage, http.StatusText(answered.StatusCode))
	case errors.As(err, &refused):
		return http.StatusUnauthorized, http.StatusText(http.StatusUnauthorized)
	}
	return 0, ""
}
