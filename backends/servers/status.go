package servers

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"proctor/backends"
)

// meanings are the words by which servers say why they refuse a request, in lower case: the first that fits counts, whatever the status.
// Those of a lasting cause count with an error's status only, since a chat about billing has them too, and the others not with status 429.
var meanings = []struct {
	words *regexp.Regexp
	cause backends.Cause
}{
	{regexp.MustCompile(`context (length|size|window)|maximum (context|prompt length|number of tokens)|exceed_context_size|` +
		`input tokens exceed|(prompt|input) is too (long|big)|(tokens to keep from|size of) the initial prompt`), backends.CauseTruncated},
	{regexp.MustCompile(`out of memory|requires more system memory|(unable|failed) to allocate`), backends.CauseMemory},
	{regexp.MustCompile(`quota.*(billing|exceeded)|exceeded.*quota|insufficient_quota|credit balance|(out of|no|any|all available) credits|` +
		`spending limit|budget has been exceeded`), backends.CauseQuota},
	{regexp.MustCompile(`api[ _-]?key (not valid|is invalid)|(invalid|incorrect|missing) api[ _-]?key|invalid_api_key`), backends.CauseAuth},
	{regexp.MustCompile(`model_not_found|\b(unknown|invalid|no such) model\b|\bmodel\b.{0,99}(not found|does not exist|is not loaded)`),
		backends.CauseGone},
}

// statuses has the cause that a status means if the server says no more.
var statuses = map[int]backends.Cause{
	http.StatusUnauthorized: backends.CauseAuth, http.StatusForbidden: backends.CauseAuth, http.StatusPaymentRequired: backends.CauseQuota,
	http.StatusNotFound: backends.CauseGone, http.StatusGone: backends.CauseGone,
	http.StatusRequestEntityTooLarge: backends.CauseTruncated,
	http.StatusRequestTimeout:        backends.CauseTimeout, http.StatusGatewayTimeout: backends.CauseTimeout,
}

// full are the words of llama-server and ik_llama.cpp for a context that is full because slots share it; queued are SGLang's, and those of
// older llama-servers, for more requests than it keeps waiting.
var (
	full   = regexp.MustCompile(`context size has been exceeded|too big compared to kv size`)
	queued = regexp.MustCompile(`queue is full|no slot available`)
)

// Means notes in an error, whose text has the server's words, what they and the status of the answer say of the request, and of those
// that come after it. A code below 300 says nothing.
func (e *Error) Means(code int, header http.Header) {
	text, refused := strings.ToLower(e.Text), code >= http.StatusMultipleChoices
	e.Cause = backends.CauseEngine
	if cause, has := statuses[code]; has {
		e.Cause = cause
	}
	for _, m := range meanings {
		of := &Error{Cause: m.cause}
		counts := of.Lasts() && refused || !of.Lasts() && code != http.StatusTooManyRequests // whose words are of tokens a minute
		if counts && m.words.MatchString(text) {
			e.Cause = m.cause
			break
		}
	}
	switch busy, pause := Busy(code, header, time.Now()); {
	case e.Lasts():
		e.Lost = true
	case e.Cause == backends.CauseTruncated:
		e.Final, e.Full = true, full.MatchString(text)
	case busy || queued.MatchString(text):
		e.Busy, e.Pause = true, pause
	case e.Cause == backends.CauseEngine && refused && code < http.StatusInternalServerError:
		e.Final = true
	}
}

// Lasts says whether a server would refuse every request for the same reason, until a person does something about it. Such a server gets
// no more items, as one that is lost.
func (e *Error) Lasts() bool {
	return e.Cause == backends.CauseAuth || e.Cause == backends.CauseQuota || e.Cause == backends.CauseGone
}

// Busy says whether a status means that a server refuses a request for now, and for how long it asks for a pause: 0 where it does not
// say. A server that is not available (503) is busy only if it says until when; else it may be broken.
func Busy(status int, header http.Header, now time.Time) (busy bool, pause time.Duration) {
	pause = retryAfter(header, now)
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && pause > 0, pause
}

// retryAfter is the pause that a server asks for, in seconds, at most a year, or until a date; 0 where it asks for none.
func retryAfter(header http.Header, now time.Time) time.Duration {
	const year = 365 * 24 * time.Hour
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds*float64(time.Second), float64(year)))
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
