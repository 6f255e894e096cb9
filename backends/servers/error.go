package servers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
)

// Error is why a request brought nothing.
type Error struct {
	Cause backends.Cause
	Text  string
	Lost  bool          // the server may be gone: look after it before it is asked again
	Final bool          // asking again would bring the same
	Busy  bool          // no failure: the server refused the request for now, since it gets too many
	Pause time.Duration // for which a busy server is to be asked nothing; 0: it did not say
}

func (e *Error) Error() string { return e.Text }

var (
	// ErrLate and ErrSilent are reasons to give a request up, as the cause of its context's end.
	ErrLate   error = setting.Errorf("its time is over, see %s", setting.Timeout)
	ErrSilent       = errors.New("the server sent nothing for too long")
	// ErrRefusing is what items get while all servers have refused every request for longer than an item may take.
	ErrRefusing error = setting.Errorf("every request has been refused for as long as %s: lower %s, or %s the run later",
		setting.Timeout, setting.Concurrency, setting.Resume)
	// ErrEarly is an answer that ended in order, but before it was done.
	ErrEarly = &Error{Cause: backends.CauseConnection, Text: "the answer ended before it was done"}
)

// TooLong is the error of an answer that has more bytes than its tokens can have. It is always the same one.
var TooLong = sync.OnceValue(func() *Error {
	return &Error{Cause: backends.CauseEngine, Final: true, Text: fmt.Sprintf(
		"the server sends more than %s can be: it does not keep to max_tokens, so the answer was ended here", setting.MaxTokens)}
})

// Unwritable is the error of a conversation that a server does not write down.
func Unwritable(format string, a ...any) *Error {
	return &Error{Cause: backends.CauseEngine, Final: true, Text: fmt.Sprintf(format, a...)}
}

// LacksTurn is an error where a server wrote a conversation down and left one of its turns out. instead is the prompt mode to take.
func LacksTurn(text string, messages []backends.Message, instead string) error {
	for i, message := range messages {
		if !strings.Contains(text, strings.TrimSpace(message.Content)) {
			return Unwritable("the server's chat template leaves out turn %d, the %s's: take %s, or name a template with %s", i+1,
				message.Role, setting.Prompt.As(instead), setting.ChatTemplate)
		}
	}
	return nil
}

// Ended is the error of a request whose context has ended: an [*Error] where its own time was over, else why ctx ended.
func Ended(ctx context.Context) error {
	switch err := context.Cause(ctx); {
	case errors.Is(err, ErrLate):
		return &Error{Cause: backends.CauseTimeout, Text: OneLine(err), Final: true}
	case errors.Is(err, ErrSilent):
		return &Error{Cause: backends.CauseTimeout, Text: OneLine(err), Lost: true}
	default:
		return err
	}
}

// Conclusive is a server's answer about the model that asking again would not change.
type Conclusive struct {
	Err     error
	Missing bool // the server lacks the model
}

func (c *Conclusive) Error() string { return c.Err.Error() }

// Unwrap returns what Err wraps.
func (c *Conclusive) Unwrap() error { return c.Err }

// OverCap is the error of an answer of more tokens than it was to have; nil for others. Some engines count a few more, such as marks.
func OverCap(written, most int) *Error {
	const tolerated = 16
	if written <= most+tolerated || !Fewer(most, written) {
		return nil
	}
	return &Error{Cause: backends.CauseEngine, Final: true, Text: fmt.Sprintf(
		"the server wrote %d tokens where %s is %d: it does not keep to max_tokens", written, setting.MaxTokens, most)}
}

// OneLine is an error's text in one line.
func OneLine(err error) string { return InALine(err.Error()) }

// InALine makes a text one line, cut where it would fill a screen.
func InALine(text string) string {
	const longest = 300
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return text
}
