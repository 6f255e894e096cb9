package servers

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Asking says how patiently servers are asked, and who hears of it. Zero values choose what fits.
type Asking struct {
	Deadline time.Duration // an item's time, all its tries and the waits between them, but those for a server's room; 0: 15 minutes
	Silence  time.Duration // how long a server may send nothing before it is asked again; 0: 5 minutes
	Patience time.Duration // how long to wait while no server answers, at most Deadline; 0: a minute
	Tries    int           // how often an item is asked at most; 0: 8

	// Transport carries the requests; nil: one of the backend's own.
	Transport http.RoundTripper
	// Log is told what a person at the screen should know: servers that go and come back. It may be called from any
	// goroutine, while a model is opened, plans or generates.
	Log func(level slog.Level, text string)
}

// ApplyDefaults fills in what was left open.
func (a *Asking) ApplyDefaults() {
	a.Deadline, a.Silence = cmp.Or(a.Deadline, 15*time.Minute), cmp.Or(a.Silence, 5*time.Minute)
	a.Patience, a.Tries = min(cmp.Or(a.Patience, time.Minute), a.Deadline), cmp.Or(a.Tries, 8)
	if a.Log == nil {
		a.Log = func(slog.Level, string) {}
	}
}

// Warn logs a warning.
func (a *Asking) Warn(format string, args ...any) {
	a.Log(slog.LevelWarn, fmt.Sprintf(format, args...))
}

// Watched is the context of one request for an answer, which ends with [ErrSilent] where the server sends nothing for too long, and what
// sees the answer's bytes. end is to be called when the answer is there.
func (a *Asking) Watched(ctx context.Context, r *Request) (watched context.Context, m *Monitor, end func()) {
	watched, cancel := context.WithCancelCause(ctx)
	silence := time.AfterFunc(a.Silence, func() { cancel(ErrSilent) })
	m = &Monitor{Received: func() { silence.Reset(a.Silence) }, Limit: MostBytes(&r.Request)}
	return watched, m, func() {
		silence.Stop()
		cancel(nil)
	}
}
