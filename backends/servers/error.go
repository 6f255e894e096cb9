package servers

import (
	"context"
	"errors"
	"strings"
	"time"

	"proctor/backends"
)

// Error is why a request brought nothing.
type Error struct {
	Cause backends.Cause
	Text  string
	Lost  bool          // the server may be gone: look after it before it is asked again
	Final bool          // asking again would bring the same
	Pause time.Duration // for which the server is to be asked nothing; 0: it did not say
}

func (e *Error) Error() string { return e.Text }

var (
	// ErrLate and ErrSilent are reasons to give a request up, as the cause of its context's end.
	ErrLate   = errors.New("its time is over, see --timeout")
	ErrSilent = errors.New("the server sent nothing for too long")
	// ErrEarly is an answer that ended in order, but before it was done.
	ErrEarly = &Error{Cause: backends.CauseConnection, Text: "the answer ended before it was done"}
)

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
