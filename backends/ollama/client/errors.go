package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/ollama/ollama/api"

	"proctor/backends"
)

// Error is why a request brought nothing.
type Error struct {
	Cause backends.Cause
	Text  string
	Lost  bool // the server may be gone: look after it before it is asked again
	Final bool // asking again would bring the same
}

func (e *Error) Error() string { return e.Text }

var (
	// ErrLate and ErrSilent are reasons to give a request up, as the cause of its context's end.
	ErrLate   = errors.New("its time is over, see --timeout")
	ErrSilent = errors.New("the server sent nothing for too long")
	// ErrWhole ends a request from here, whose answer is complete before the server knows it.
	ErrWhole = errors.New("the answer is complete")
	// ErrEarly is an answer that ended in order, but before it was done.
	ErrEarly = &Error{Cause: backends.CauseConnection, Text: "the answer ended before it was done"}
)

// Exchange makes one request by call, which sets done once it has the answer's end. It says what Ollama's client does not:
// whether the answer was whole. received, which may be nil, is called for each piece of the answer. The error is an
// [*Error], or why ctx ended.
func Exchange(ctx context.Context, received func(), done *bool, call func(context.Context) error) error {
	m := &monitor{received: received}
	err := call(monitored(ctx, m))
	switch {
	case errors.Is(err, ErrWhole), err == nil && *done:
		return nil
	case ctx.Err() != nil:
		if err = context.Cause(ctx); errors.Is(err, ErrLate) || errors.Is(err, ErrSilent) {
			return Classify(err)
		}
		return err
	case m.broken != nil: // err, if there is one, may be about half a line
		return &Error{Cause: backends.CauseConnection, Text: "the connection broke in mid-answer: " + OneLine(m.broken), Lost: true}
	case err != nil:
		return Classify(err)
	case m.status >= http.StatusMultipleChoices:
		return Classify(api.StatusError{StatusCode: m.status})
	}
	return ErrEarly
}

// Classify says what an error of Ollama's client means for what was asked.
func Classify(err error) *Error {
	var already *Error
	if errors.As(err, &already) {
		return already
	}
	var inRequest *url.Error
	e := &Error{Cause: backends.CauseEngine, Text: OneLine(err)}
	code, words := Status(err)
	if code != 0 {
		e.Text = inALine(fmt.Sprintf("status %d: %s", code, words))
	}
	switch {
	case errors.Is(err, ErrLate):
		e.Cause, e.Final = backends.CauseTimeout, true
	case errors.Is(err, ErrSilent), errors.Is(err, context.DeadlineExceeded):
		e.Cause, e.Lost = backends.CauseTimeout, true
	case errors.As(err, &inRequest):
		e.Cause, e.Text, e.Lost = backends.CauseConnection, OneLine(inRequest.Err), true
	case refusesLength(e.Text):
		e.Cause, e.Final = backends.CauseTruncated, true
	case lacksMemory(e.Text):
		e.Cause = backends.CauseMemory
	case code == http.StatusNotFound: // the model was deleted: other servers may have it
		e.Lost = true
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
	case code >= 300 && code < 500:
		e.Final = true
	}
	return e
}

// refusesLength and lacksMemory know the words in which Ollama says so: it has no codes for them.

func refusesLength(text string) bool { return strings.Contains(text, "exceeds the context length") }

func lacksMemory(text string) bool {
	for _, words := range []string{"requires more system memory", "out of memory", "unable to allocate", "failed to allocate"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// Conclusive is a server's answer about the model that asking again would not change.
type Conclusive struct {
	Err     error
	Missing bool // the server lacks the model
}

func (c *Conclusive) Error() string { return c.Err.Error() }

// Unwrap returns what Err wraps.
func (c *Conclusive) Unwrap() error { return c.Err }

// IsConclusive says whether an error is one, or a status that stands for one.
func IsConclusive(err error) bool {
	var answered *Conclusive
	code, _ := Status(err)
	return errors.As(err, &answered) || code != 0
}

// Plain makes an error of Ollama's client one that people can read: without the request's whole address, and with ctx's
// own reason where that ended it.
func Plain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var inRequest *url.Error
	if errors.As(err, &inRequest) {
		err = inRequest.Err
	}
	return err
}

// Status is the HTTP status that err reports, with the server's words; 0 for none.
func Status(err error) (code int, words string) {
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

// OneLine is an error's text in one line.
func OneLine(err error) string { return inALine(err.Error()) }

// inALine makes a text one line, cut where it would fill a screen.
func inALine(text string) string {
	const longest = 300
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return text
}
