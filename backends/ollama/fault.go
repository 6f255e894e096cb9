package ollama

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"proctor/backends"
)

// fault is why a try brought no completion.
type fault struct {
	cause backends.Cause
	text  string
	lost  bool // the server may be gone: look after it before it is asked again
	final bool // asking again would bring the same
}

func (f *fault) Error() string { return f.text }

// The reasons for which a try is given up.
var (
	errLate   = errors.New("the item's time is over")
	errSilent = errors.New("the server sent nothing for too long")
)

// judge says what an error of Ollama's client means for the item that was asked.
func judge(err error) *fault {
	var inRequest *url.Error
	f := &fault{cause: backends.CauseEngine, text: oneLine(err)}
	code := status(err)
	if code != 0 {
		f.text = fmt.Sprintf("status %d: %s", code, f.text)
	}
	switch {
	case errors.Is(err, errLate):
		f.cause, f.final = backends.CauseTimeout, true
	case errors.Is(err, errSilent), errors.Is(err, context.DeadlineExceeded):
		f.cause, f.lost = backends.CauseTimeout, true
	case errors.As(err, &inRequest):
		f.cause, f.text, f.lost = backends.CauseConnection, oneLine(inRequest.Err), true
	case refusesLength(f.text):
		f.cause, f.final = backends.CauseTruncated, true
	case lacksMemory(f.text):
		f.cause = backends.CauseMemory
	case code == http.StatusNotFound: // the model was deleted: other servers may have it
		f.lost = true
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
	case code >= 300 && code < 500:
		f.final = true
	}
	return f
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
