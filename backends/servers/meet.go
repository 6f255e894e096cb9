package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Greetings is the number of tries to reach a server before it counts as away.
const Greetings = 3

// Meet asks every server once, with greet, whether it holds the model: nil, a [*Conclusive] error, which Meet returns, or why it
// does not answer. One at least must answer; nobody says what to do where none does.
func (p *Pool[S]) Meet(ctx context.Context, greet func(context.Context, S) error, nobody string) error {
	var away []string
	for _, s := range p.Servers {
		err := greet(ctx, s)
		var answered *Conclusive
		switch {
		case err == nil:
			p.Found(s, nil)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &answered):
			return fmt.Errorf("%s%w", p.options.Prefix, err)
		default:
			p.Found(s, err)
			away = append(away, s.Name()+": "+OneLine(err))
		}
	}
	if len(away) == len(p.Servers) {
		return fmt.Errorf("%sno server answers: %s; %s", p.options.Prefix, strings.Join(away, "; "), nobody)
	}
	for _, server := range away {
		p.log(slog.LevelWarn, "%s: the run begins without it", server)
	}
	return nil
}

// Ready has prepare run for every server that answers. One that goes away meanwhile is left out, where others remain.
func (p *Pool[S]) Ready(prepare func(S) error) error {
	for _, s := range p.Up() {
		err := prepare(s)
		if lost := (*Error)(nil); errors.As(err, &lost) && lost.Lost && p.Leave(s, lost) {
			p.options.Warn("%v: the run begins without it", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Names returns the names of all servers.
func (p *Pool[S]) Names() (all []string) {
	for _, s := range p.Servers {
		all = append(all, s.Name())
	}
	return all
}

// Versions are the servers' engines for people, each once; of says one's.
func (p *Pool[S]) Versions(of func(S) string) string {
	var all []string
	for _, s := range p.Servers {
		if version := of(s); version != "" && !slices.Contains(all, version) {
			all = append(all, version)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// ClientOptions say how long to wait for servers, how often to try, and where messages go. Zero values choose what fits.
type ClientOptions struct {
	Deadline time.Duration // an item's time, all its tries and the waits between them, but those for a server's room; 0: 15 minutes
	Silence  time.Duration // how long a server may send nothing before the request is repeated; 0: 5 minutes
	Patience time.Duration // how long to wait while no server answers, at most Deadline; 0: a minute
	Tries    int           // requests for an item at most; 0: 8

	// Transport carries the requests; nil: one of the backend's own.
	Transport http.RoundTripper
	// Log gets what a person at the screen should know: servers that go and come back. It may be called from any
	// goroutine, while a model is opened, plans or generates.
	Log func(level slog.Level, text string)
}

// ApplyDefaults fills in what was left open.
func (a *ClientOptions) ApplyDefaults() {
	a.Deadline, a.Silence = cmp.Or(a.Deadline, 15*time.Minute), cmp.Or(a.Silence, 5*time.Minute)
	a.Patience, a.Tries = min(cmp.Or(a.Patience, time.Minute), a.Deadline), cmp.Or(a.Tries, 8)
	if a.Log == nil {
		a.Log = func(slog.Level, string) {}
	}
}

// Warn logs a warning.
func (a *ClientOptions) Warn(format string, args ...any) {
	a.Log(slog.LevelWarn, fmt.Sprintf(format, args...))
}

// Watched is the context of one request for an answer, which ends with [ErrSilent] where the server sends nothing for too long, and what
// sees the answer's bytes. end is to be called when the answer is there.
func (a *ClientOptions) Watched(ctx context.Context, r *Request) (watched context.Context, m *Monitor, end func()) {
	watched, cancel := context.WithCancelCause(ctx)
	silence := time.AfterFunc(a.Silence, func() { cancel(ErrSilent) })
	m = &Monitor{Received: func() { silence.Reset(a.Silence) }, Limit: MostBytes(&r.Request)}
	return watched, m, func() {
		silence.Stop()
		cancel(nil)
	}
}
