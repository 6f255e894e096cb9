package ollama

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

// tryError is why a try brought nothing.
type tryError struct {
	cause backends.Cause
	text  string
	lost  bool // the server may be gone: look after it before it is asked again
	final bool // asking again would bring the same
}

func (e *tryError) Error() string { return e.text }

var (
	// The reasons for which a try is given up.
	errLate   = errors.New("its time is over, see --timeout")
	errSilent = errors.New("the server sent nothing for too long")
	// errEarly is an answer that ended in order, but before it was done.
	errEarly = &tryError{cause: backends.CauseConnection, text: "the answer ended before it was done"}
)

// exchange makes one request by call, which sets done once it has the answer's end. It says what Ollama's client does not:
// whether the answer was whole. The error is a *tryError, or why ctx ended.
func exchange(ctx context.Context, m *monitor, done *bool, call func(context.Context) error) error {
	err := call(monitored(ctx, m))
	switch {
	case errors.Is(err, errWhole), err == nil && *done:
		return nil
	case ctx.Err() != nil:
		if err = context.Cause(ctx); errors.Is(err, errLate) || errors.Is(err, errSilent) {
			return classify(err)
		}
		return err
	case m.broken != nil: // err, if there is one, may be about half a line
		return &tryError{cause: backends.CauseConnection, text: "the connection broke in mid-answer: " + oneLine(m.broken), lost: true}
	case err != nil:
		return classify(err)
	case m.status >= http.StatusMultipleChoices:
		return classify(api.StatusError{StatusCode: m.status})
	}
	return errEarly
}

// classify says what an error of Ollama's client means for what was asked.
func classify(err error) *tryError {
	var already *tryError
	if errors.As(err, &already) {
		return already
	}
	var inRequest *url.Error
	e := &tryError{cause: backends.CauseEngine, text: oneLine(err)}
	code, words := status(err)
	if code != 0 {
		e.text = inALine(fmt.Sprintf("status %d: %s", code, words))
	}
	switch {
	case errors.Is(err, errLate):
		e.cause, e.final = backends.CauseTimeout, true
	case errors.Is(err, errSilent), errors.Is(err, context.DeadlineExceeded):
		e.cause, e.lost = backends.CauseTimeout, true
	case errors.As(err, &inRequest):
		e.cause, e.text, e.lost = backends.CauseConnection, oneLine(inRequest.Err), true
	case refusesLength(e.text):
		e.cause, e.final = backends.CauseTruncated, true
	case lacksMemory(e.text):
		e.cause = backends.CauseMemory
	case code == http.StatusNotFound: // the model was deleted: other servers may have it
		e.lost = true
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
	case code >= 300 && code < 500:
		e.final = true
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

// conclusive is a server's answer about the model that asking again would not change.
type conclusive struct {
	error
	missing bool // the server lacks the model
}

// isConclusive says whether an error is one, or a status that stands for one.
func isConclusive(err error) bool {
	var answered *conclusive
	code, _ := status(err)
	return errors.As(err, &answered) || code != 0
}

// plain makes an error of Ollama's client one that people can read: without the request's whole address, and with ctx's
// own reason where that ended it.
func plain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var inRequest *url.Error
	if errors.As(err, &inRequest) {
		err = inRequest.Err
	}
	return err
}

// status is the HTTP status that err reports, with the server's words; 0 for none.
func status(err error) (code int, words string) {
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

// oneLine is an error's text in one line.
func oneLine(err error) string { return inALine(err.Error()) }

// inALine makes a text one line, cut where it would fill a screen.
func inALine(text string) string {
	const longest = 300
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return text
}
