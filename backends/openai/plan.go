package openai

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// Plan implements [backends.Planner]. It tries whether every server answers, and reads their facts once the model is
// loaded.
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
	m.planned = true
	for _, note := range m.about() {
		m.options.Log(slog.LevelInfo, note)
	}
	a := backends.Allocation{
		Slots: m.pool.Slots(), Context: m.context, Unfit: servers.MostCut, Description: m.pool.InFlight(),
	}
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
	f.Context, f.Slots = m.context, m.pool.Slots()
	f.Description = "the server sets memory aside when it loads the model"
	return f, nil
}

// prepare has a server answer once, so that what is wrong with all requests shows before the run begins.
func (m *Model) prepare(ctx context.Context, s *server) error {
	r := backends.Request{Prompt: "Which of these?", MaxTokens: 4, Sampling: m.work.Sampling}
	if m.conversed {
		r.Messages, r.Prompt = []backends.Message{{Role: "user", Content: r.Prompt}}, ""
	}
	err := m.pool.Prepare(ctx, s, func(ctx context.Context, s *server) error {
		_, err := m.ask(ctx, s, &servers.Request{Request: r, Pulled: time.Now()})
		return err
	})
	if e := (*servers.Error)(nil); errors.As(err, &e) && !m.conversed && absent(e) {
		return servers.Conclude("it does not continue raw prompts (%s): take %s", e.Text, setting.Prompt.As("chat"))
	}
	if e := (*servers.Error)(nil); errors.As(err, &e) && e.Cause == backends.CauseGone {
		if all, _ := s.list(ctx); len(all) > 0 {
			e.Text += "; it lists " + names(all)
		}
	}
	if err != nil {
		return err
	}
	return m.admit(ctx, s)
}

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
	switch known.lacks {
	case "", "max_tokens", "stop", "seed", "stream_options": // these are made up for, or told beside it
	default:
		all = append(all, known.lacks)
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
	if known.lacks == "seed" {
		say("The server takes no seed: above temperature 0 a run cannot be repeated.")
	}
	if known.lacks == "stream_options" {
		say("The server does not say how many tokens an answer had: its tokenizer counts them, where it shows that, else nobody does.")
	}
	if len(m.pool.Servers) > 1 && known.parameters == 0 && known.root == "" {
		say("Only its name says that all servers hold the same model.")
	}
	return notes
}
