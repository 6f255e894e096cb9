package servers

import (
	"cmp"
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
