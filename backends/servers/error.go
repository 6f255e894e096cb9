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
	Lost  bool          // the server may be gone: probe it before the next request
	Final bool          // a repeated request would fail the same way
	Busy  bool          // no failure: the server refused the request for now, since it gets too many
	Full  bool          // the server's context is, which the requests that it answers at a time may share
	Pause time.Duration // for which a busy server is to get no requests; 0: it named none
}

func (e *Error) Error() string { return e.Text }

var (
	// ErrLate and ErrSilent are reasons to give a request up, as the cause of its context's end.
	ErrLate   error = setting.Errorf("it ran out of time, see %s", setting.Timeout)
	ErrSilent       = errors.New("the server sent nothing for too long")
	// ErrRefusing is the error of items while all servers have refused every request for longer than an item may take.
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

// Conclusive is an error about the model that a repeated request would not change.
type Conclusive struct {
	Err error
}

func (c *Conclusive) Error() string { return c.Err.Error() }

// Unwrap returns what Err wraps.
func (c *Conclusive) Unwrap() error { return c.Err }

// Conclude is a [Conclusive] error.
func Conclude(format string, a ...any) *Conclusive { return &Conclusive{fmt.Errorf(format, a...)} }

// Listed are the first of names, in an error, and how many there are more.
func Listed(names []string) string {
	const most = 8
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

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

// Fewer says whether a server read so few of the tokens sent that another way to split the text does not explain it.
func Fewer(read, sent int) bool {
	const tolerated = 50 // a difference of one token in 50
	return read < sent-max(2, sent/tolerated)
}

// Shortened says that a server read fewer tokens than it was sent; of says how many those are, as in " of 100".
func Shortened(read int, of string, room int) string {
	text := fmt.Sprintf("the prompt was cut: the server read %d tokens%s", read, of)
	if room > 0 {
		text += fmt.Sprintf("; its context holds %d", room)
	}
	return text
}

// Truncations stops a run whose prompts are cut: what is wrong then is the server's setting, not an item.
type Truncations struct {
	Prefix    string // begins the error
	What      string // of the server did not hold them, as in "the server's context"
	Remedy    string
	seen, cut int
}

// A run stops where more than a share of its items were cut, unless those are so few that they may be the longest by chance.
const (
	MostCut   = 0.01
	fewestCut = 3
)

// See counts an item. failed is why it has no answer, nil where it has one.
func (t *Truncations) See(failed *Error) error {
	t.seen++
	if failed == nil || failed.Cause != backends.CauseTruncated {
		return nil
	}
	t.cut++
	if t.cut < fewestCut || float64(t.cut)/float64(t.seen) <= MostCut {
		return nil
	}
	return fmt.Errorf("%s%d of %d prompts did not fit %s, so the run stops: %w; %s", t.Prefix, t.cut, t.seen, t.What, failed, t.Remedy)
}
