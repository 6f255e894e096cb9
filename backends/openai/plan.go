package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// probeMost is how many requests at a time the probe tries at most.
const probeMost = 64

// Plan implements [backends.Planner]. It tries whether every server answers, and reads their facts once the model is loaded. Unless the
// user chose, it finds out how many requests at a time each of them answers fastest.
func (m *Model) Plan(ctx context.Context, w backends.Workload) (backends.Allocation, error) {
	if m.closed {
		return backends.Allocation{}, backends.ErrClosed
	}
	m.work = w
	err := m.pool.Ready(func(s *server) error {
		if err := m.prepare(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
		return nil
	})
	if err != nil {
		return backends.Allocation{}, err
	}
	m.fixContext()
	if !w.Forced { // what is forced has no seed
		m.tryOut(ctx, w.MaxTokens)
	}
	if m.options.Concurrency == 0 {
		told := func(s *server) bool { return s.known().slots > 0 }
		err := m.pool.Tune(ctx, probeMost, w.Requests, cmp.Or(m.context, DefaultRoom), told,
			func(ctx context.Context, s *server, r backends.Request) (int, error) {
				a, err := m.try(ctx, s, r)
				if err != nil {
					return 0, err
				}
				return a.tokens().written, nil
			})
		if err != nil {
			return backends.Allocation{}, err
		}
	}
	m.planned = true
	for _, note := range slices.Concat(m.notes, m.about()) {
		m.options.Log(slog.LevelInfo, note)
	}
	a := backends.Allocation{Slots: m.pool.Room(), Context: m.context, Unfit: servers.MostCut}
	a.Description = english.Plural(a.Slots, "request", "") + " in flight"
	if m.context > 0 {
		a.Description += fmt.Sprintf(", a context of %d tokens", m.context)
	}
	return a, ctx.Err()
}

// Forecast implements [backends.Forecaster]. It sends the servers nothing.
func (m *Model) Forecast(context.Context, backends.Workload) (backends.Forecast, error) {
	if m.closed {
		return backends.Forecast{}, backends.ErrClosed
	}
	f := backends.Forecast{Source: "a server's speed is unknown before the first request"}
	f.Context, f.Slots = m.context, m.pool.Room()
	f.Description = "the server sets memory aside when it loads the model"
	return f, nil
}

// short is a request with a short answer, as the run's are: a prompt or a conversation.
func (m *Model) short(r backends.Request) *servers.Request {
	if m.conversed {
		r.Messages, r.Prompt = []backends.Message{{Role: "user", Content: r.Prompt}}, ""
	}
	return &servers.Request{Request: r, Pulled: time.Now()}
}

// try has a server answer a short request, at its pace.
func (m *Model) try(ctx context.Context, s *server, r backends.Request) (a *answer, err error) {
	err = m.pool.Ask(ctx, s, func(s *server) error {
		a, err = m.ask(ctx, s, m.short(r))
		return err
	})
	return a, err
}

// prepare has a server answer once, so that what is wrong with all requests shows before the run begins.
func (m *Model) prepare(ctx context.Context, s *server) error {
	timed, cancel := context.WithTimeoutCause(ctx, m.options.Deadline, servers.ErrLate)
	defer cancel()
	err := servers.Try(timed, m.options.Tries, func() error {
		_, err := m.try(timed, s, backends.Request{Prompt: "Which of these?", MaxTokens: 4, Sampling: m.work.Sampling})
		return err
	})
	if e := (*servers.Error)(nil); errors.As(err, &e) && !m.conversed && absent(e) {
		return conclusive("it does not continue raw prompts (%s): take %s", e.Text, setting.Prompt.As("chat"))
	}
	if e := (*servers.Error)(nil); errors.As(err, &e) && e.Cause == backends.CauseGone {
		if all, _ := s.list(timed); len(all) > 0 {
			e.Text += "; it lists " + names(all)
		}
	}
	if err != nil {
		return err
	}
	return m.admit(timed, s)
}

// tryOut finds out whether a server heeds seeds, and how long an answer of most tokens takes it.
func (m *Model) tryOut(ctx context.Context, most int) {
	texts, pace := make([]string, 2), 0.0
	for i := range texts {
		a, err := m.try(ctx, m.first, backends.Request{
			Prompt: "Once upon a time", MaxTokens: 24, Sampling: backends.Sampling{Temperature: 1, Seed: 7},
		})
		if err != nil {
			return
		}
		texts[i], pace = a.Text.String(), a.Rate(a.tokens().written)
	}
	m.notes = nil
	if texts[0] != texts[1] {
		m.notes = []string{"Two answers of " + m.first.Name() + " with the same seed differed: above temperature 0 a run " +
			"cannot be repeated."}
	}
	if slow := m.options.Slow(most, pace); slow != "" {
		m.notes = append(m.notes, slow)
	}
}

// DefaultRoom is the context that a probe reckons with where nobody knows it, in tokens.
const DefaultRoom = 2048

// fixContext sets the context to the smallest of those that the servers report, or the user's where that is smaller.
func (m *Model) fixContext() {
	m.context = m.options.Context
	for _, s := range m.pool.Servers {
		if room := s.known().context; room > 0 && (m.context == 0 || room < m.context) {
			m.context = room
		}
	}
}

// unsent are the settings that requests to the first server lack, since it refuses or does not know them.
func (m *Model) unsent() (all []string) {
	known := m.first.known()
	for _, name := range known.lacks {
		if !slices.Contains([]string{"max_tokens", "stop", "seed", "stream_options"}, name) { // these are made up for, or told beside it
			all = append(all, name)
		}
	}
	for part := range m.work.Sampling.Parts() {
		if part.Set && known.takes != nil && known.takes[part.Name] == "" && !slices.Contains(ofProtocol, part.Name) {
			all = append(all, part.Name)
		}
	}
	return all
}

// about lists what the servers do not report, or cannot do.
func (m *Model) about() []string {
	var notes []string
	say := func(format string, a ...any) { notes = append(notes, fmt.Sprintf(format, a...)) }
	known := m.first.known()
	switch {
	case m.context == 0 && !known.tokenizes:
		say("The server reports neither its context nor a prompt's tokens: whether it cut a prompt is judged by the tokens that it says " +
			"it read, for the prompt's length.")
	case m.context == 0:
		say("The server does not report its context: whether it cut a prompt is judged by the tokens that it says it read.")
	case !known.tokenizes:
		say("The server does not count a prompt's tokens beforehand: a prompt counts as cut where it fills the context "+
			"of %d.", m.context)
	}
	if m.conversed && !known.llama() {
		say("The server does not show how it renders conversations: the prompts here are the messages that it got, each " +
			"after its role.")
	}
	if known.kind == ollama {
		say("Over this protocol Ollama puts a raw prompt into the model's template, where it has one, and takes no top_k, min_p and " +
			"repeat penalty: the model's own apply, or a repeat penalty of 1.1, with temperature 0 too; ollama:NAME applies the flags.")
	}
	if unsent := m.unsent(); len(unsent) > 0 {
		say("The server takes no %s: they are left out, and its own hold.", strings.Join(unsent, ", "))
	}
	if own := known.drawn; own != nil && own.Lacks != "" {
		say("The server draws in ways that no request here sets: %s.", own.Lacks)
	}
	if slices.Contains(known.lacks, "seed") {
		say("The server takes no seed: above temperature 0 a run cannot be repeated.")
	}
	if slices.Contains(known.lacks, "stream_options") {
		say("The server does not say how many tokens an answer had: its tokenizer counts them, where it shows that, else nobody does.")
	}
	if len(m.pool.Servers) > 1 && known.parameters == 0 && known.root == "" {
		say("Only its name says that all servers hold the same model.")
	}
	return notes
}
