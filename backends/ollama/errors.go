package ollama

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/ollama/ollama/api"

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
	errLate   = errors.New("its time is over, see --timeout")
	errSilent = errors.New("the server sent nothing for too long")
)

// judge says what an error of Ollama's client means for the item that was asked.
func judge(err error) *fault {
	var inRequest *url.Error
	f := &fault{cause: backends.CauseEngine, text: oneLine(err)}
	code, words := status(err)
	if code != 0 {
		f.text = inALine(fmt.Sprintf("status %d: %s", code, words))
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

// cutShort says why an answer has no end.
func (e *ear) cutShort() *fault {
	switch {
	case e.broken != nil:
		return &fault{cause: backends.CauseConnection, text: "the connection broke in mid-answer: " + oneLine(e.broken), lost: true}
	case e.status >= http.StatusMultipleChoices:
		return judge(api.StatusError{StatusCode: e.status})
	}
	return &fault{cause: backends.CauseConnection, text: "the answer ended before it was done"}
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
