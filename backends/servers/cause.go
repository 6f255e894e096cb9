package servers

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
)

// Error is why a request brought nothing.
type Error struct {
	Cause backends.Cause
	Text  string
	Lost  bool          // the server may be gone: it is visited before the next request
	Final bool          // a repeated request would fail the same way
	Busy  bool          // no failure: the server refused the request for now
	Full  bool          // the server's context is, which the requests that it answers at a time may share
	Pause time.Duration // for which a busy server is to get no requests; 0: it named none
	Code  int           // of the answer's status; 0 where there was none
}

func (e *Error) Error() string { return e.Text }

// Final is an error that a repeated request would not change.
func Final(format string, a ...any) *Error {
	return &Error{Cause: backends.CauseEngine, Final: true, Text: fmt.Sprintf(format, a...)}
}

// Lasts says whether a server would refuse every request for the same reason, until a person does something about it.
// Such a server gets no more requests, as one that is lost. Of nil it says no.
func (e *Error) Lasts() bool {
	return e != nil && (e.Cause == backends.CauseAuth || e.Cause == backends.CauseQuota || e.Cause == backends.CauseGone)
}

// errorOf is the [*Error] that an error wraps; nil for none.
func errorOf(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}

// A Refusal is a server's answer that is an error. Secrets in it are not hidden yet.
type Refusal struct {
	Code   int // the status; 0 for an error that came in the stream of an answer
	Path   string
	Header http.Header
	Words  string // the server's; empty where it says nothing
	Field  string // of the request that it is about; empty where it names none
}

func (r *Refusal) Error() string {
	switch {
	case r.Code == 0:
		return r.Words
	case r.Path == "":
		return fmt.Sprintf("status %d: %s", r.Code, cmp.Or(r.Words, http.StatusText(r.Code)))
	}
	return fmt.Sprintf("status %d at %s: %s", r.Code, r.Path, cmp.Or(r.Words, http.StatusText(r.Code)))
}

// Absent says whether the server has nothing at the path.
func (r *Refusal) Absent() bool {
	words := strings.ToLower(r.Words)
	lacksModel := strings.Contains(words, "model") || strings.Contains(words, "deployment")
	return slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, r.Code) &&
		(strings.Contains(words, "completions") || !lacksModel)
}

// An effect is what follows from a cause.
type effect int

const (
	again effect = iota // the request is sent again, to another server where there is one
	final               // the item fails, the run goes on
	waits               // the server is busy: the request waits, and loses no try
	// the server gets no more requests until a person does something; the first such answer ends the run
	lasts
)

// causes says what a refusal means: the first row that fits counts. codes are those of its status, nil for any, that of
// a stream too; words are found in what the server says, in lower case.
var causes = []struct {
	codes []int
	words *regexp.Regexp // nil: whatever it says
	pause bool           // it names one
	cause backends.Cause
	effect
}{
	{codes: []int{400, 403, 422, 451}, cause: backends.CauseRefused, effect: final, words: says(
		`content.?(filter|management|policy|moderation|safety)`, `responsibleai`, `data.?inspection`, `inappropriate content`,
		`safety (filter|setting|system|reasons?)`, `prohibited_content`, `moderation`, `flagged`, `guardrail`)},
	{codes: []int{429, 503, 529}, pause: true, cause: backends.CauseEngine, effect: waits},
	{codes: []int{503}, words: says(`loading`, `currently busy`, `backlog limit`, `higher priority`, `waiting timeout`,
		`retry later`), cause: backends.CauseEngine, effect: waits},
	{codes: []int{413}, words: says(`tokens per minute`, `\(tpm\)`), cause: backends.CauseOversize, effect: final},
	{codes: statuses, cause: backends.CauseQuota, effect: lasts, words: says(
		`quota.*(billing|exceeded)`, `exceeded.*quota`, `insufficient[ _](quota|balance|credits)`, `credit balance`,
		`(out of|no|any|all available) credits`, `spending limit`, `budget has been exceeded`, `arrearage`,
		`access denied.*account.*good standing`)},
	{codes: []int{429, 529}, cause: backends.CauseEngine, effect: waits},
	{cause: backends.CauseTruncated, effect: final, words: says(
		`context (length|size|window)`, `maximum (context|prompt length|number of tokens)`, `exceed_context_size`,
		`input tokens exceed`, `input token count`, `(prompt|input) is too (long|big)`, `too big compared to kv size`,
		`(tokens to keep from|size of) the initial prompt`, `range of input length`,
		`reduce the length of the (messages|input|prompt)`, `cannot be greater than max_model_len`,
		`max_tokens must be at least 1, got 0`, `maximum model length`, `maximum allowed length`)},
	{cause: backends.CauseMemory, effect: again, words: says(
		`out of memory`, `requires more system memory`, `(unable|failed) to allocate`)},
	{codes: statuses, cause: backends.CauseAuth, effect: lasts, words: says(
		`api[ _-]?key (not valid|is invalid)`, `(invalid|incorrect|missing) api[ _-]?key`, `invalid_api_key`,
		`no connected db`)}, // of LiteLLM without one, for any other key than its own

	{codes: statuses, cause: backends.CauseGone, effect: lasts, words: says(
		`model_not_found`, `\b(unknown|invalid|no such) model\b`,
		`\bmodel\b.{0,99}(not found|does not exist|is not loaded|decommissioned)`, `no models? (is )?loaded`,
		`deployment.*does not exist`)},
	{cause: backends.CauseEngine, effect: waits, words: says(
		`queue is full`, `no slot available`, `overloaded`, `server busy`, `pending requests`)},
	{codes: []int{401, 403}, cause: backends.CauseAuth, effect: lasts},
	{codes: []int{402}, cause: backends.CauseQuota, effect: lasts},
	{codes: []int{404, 410}, cause: backends.CauseGone, effect: lasts},
	{codes: []int{413}, cause: backends.CauseOversize, effect: final},
	{codes: []int{408, 504, 524}, cause: backends.CauseTimeout, effect: again},
	{codes: statuses[100:200], cause: backends.CauseEngine, effect: final},
	{cause: backends.CauseEngine, effect: again},
}

func says(words ...string) *regexp.Regexp { return regexp.MustCompile(strings.Join(words, "|")) }

// statuses are those of refusals, 300 to 599: a stream's words may be a model's own, about billing.
var statuses = slices.Collect(func(yield func(int) bool) {
	for code := 300; code < 600 && yield(code); code++ {
	}
})

// shares are the words of llama-server and ik_llama.cpp for a context that is full because slots share it.
var shares = regexp.MustCompile(`context size has been exceeded|too big compared to kv size`)

// Means returns what a refusal means for the request, and for those that come after it.
func (r *Refusal) Means(now time.Time) *Error {
	text := strings.ToLower(r.Words)
	e := &Error{Text: r.Error(), Code: r.Code, Pause: r.pause(text, now)}
	for _, row := range causes {
		if row.codes != nil && !slices.Contains(row.codes, r.Code) || row.words != nil && !row.words.MatchString(text) ||
			row.pause && e.Pause == 0 {
			continue
		}
		e.Cause, e.Final, e.Busy, e.Lost = row.cause, row.effect == final, row.effect == waits, row.effect == lasts
		break
	}
	e.Full = e.Cause == backends.CauseTruncated && shares.MatchString(text)
	return e
}

// asked are the words for a pause in what servers say: "retry after 2 seconds", "Please try again in 7m12.5s", "retry
// in 3.2s", "retryDelay": "3s".
var asked = regexp.MustCompile(`(?:retry(?:ing)?|try again|retrydelay)["']?\s*(?:after|in|:)?\s*["']?` +
	`((?:\d+(?:\.\d+)?\s?(?:ms|s|m|h)(?:ec(?:ond)?s?|in(?:ute)?s?)?)+)`)

// unit is a number and its unit among such words.
var unit = regexp.MustCompile(`(\d+(?:\.\d+)?)\s?(ms|s|m|h)`)

// pause is how long a server asks to wait: in its header, as seconds, at most a year, or until a date, else in its
// words; 0 where it asks for none.
func (r *Refusal) pause(text string, now time.Time) (pause time.Duration) {
	const year = 365 * 24 * time.Hour
	said := r.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(said, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds*float64(time.Second), float64(year)))
	}
	if date, err := http.ParseTime(said); err == nil {
		return max(0, date.Sub(now))
	}
	if found := asked.FindStringSubmatch(text); found != nil {
		for _, part := range unit.FindAllStringSubmatch(found[1], -1) {
			one, _ := time.ParseDuration(part[1] + part[2]) // of a number and a unit
			pause += one
		}
	}
	return min(pause, year)
}

var (
	// ErrLate and ErrSilent are reasons to give a request up, as the cause of its context's end.
	ErrLate   error = setting.Errorf("it ran out of time, see %s", setting.Timeout)
	ErrSilent       = errors.New("the server sent nothing for too long")
	// ErrUnable is the error of a protocol, or a server, that has no way to do what is asked of it.
	ErrUnable = errors.New("the server has no way to do that")

	// ErrEarly is an answer that ended in order, but before it was done.
	ErrEarly = &Error{Cause: backends.CauseConnection, Text: "the answer ended before it was done"}
	// errTooLong is an answer of more bytes than its tokens can have.
	errTooLong = Final("the server sends more than the cap of tokens can be: it does not keep to max_tokens, so the " +
		"answer was ended here")
)

// failure says what the error of a request to a server means, in a line without secrets.
func (m *Model) failure(err error) *Error {
	if e := errorOf(err); e != nil {
		seen := *e
		seen.Text = m.options.Hide(e.Text)
		return &seen
	}
	e := &Error{Cause: backends.CauseEngine, Text: err.Error()}
	garbled := (*json.SyntaxError)(nil)
	refusal, isRefusal := errors.AsType[*Refusal](err)
	inRequest, isInRequest := errors.AsType[*url.Error](err)
	switch {
	case isRefusal:
		e = refusal.Means(time.Now())
	case errors.As(err, &garbled):
		e.Cause = backends.CauseConnection
	case errors.Is(err, context.DeadlineExceeded):
		e.Cause, e.Lost = backends.CauseTimeout, true
	case isInRequest:
		e.Cause, e.Text, e.Lost = backends.CauseConnection, inRequest.Err.Error(), true
		unknown, badName := (x509.UnknownAuthorityError{}), (x509.HostnameError{})
		if errors.As(err, &unknown) || errors.As(err, &badName) {
			e.Text += ": name the file of the certificate that signs the server's in SSL_CERT_FILE"
		}
	}
	e.Text = m.plain(e.Text)
	switch e.Cause {
	case backends.CauseAuth:
		e.Text += ": " + m.options.KeyHint
	case backends.CauseQuota:
		e.Text += ": wait for the next period, or raise the quota there"
	}
	return e
}

// ended is the error of a request whose context ended with err: an [*Error] where its own time was over, else err.
func ended(err error) error {
	switch {
	case errors.Is(err, ErrLate):
		return &Error{Cause: backends.CauseTimeout, Text: OneLine(err), Final: true}
	case errors.Is(err, ErrSilent):
		return &Error{Cause: backends.CauseTimeout, Text: OneLine(err), Lost: true}
	}
	return err
}

// Listed are the first of names, in an error, and how many there are more.
func Listed(names []string) string {
	const most = 8
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
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
