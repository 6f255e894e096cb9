package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/setting"
)

// ClientOptions say how long to wait for servers, how often to try, and where messages go. Zero values choose what
// fits.
type ClientOptions struct {
	Silence  time.Duration // how long a server may send nothing before the request is repeated; 0: 5 minutes
	Patience time.Duration // how long to wait while no server answers, at most the timeout; 0: a minute
	Tries    int           // requests for an item at most; 0: 8

	// Transport carries the requests; nil: one of the backend's own.
	Transport http.RoundTripper
	// Log gets what a person at the screen should know: servers that go and come back. It may be called from any
	// goroutine, while a model is opened, plans or generates.
	Log func(level slog.Level, text string)
}

// Model is a model that one or more servers hold, whatever protocol they speak.
type Model struct {
	options Options
	run     Run
	servers []*server
	first   *server // the first that was met: it says which model that is
	planned bool
	closed  bool
	probes  int         // requests that generated something, before the first question
	last    atomic.Bool // no more items come
	failing atomic.Bool // the last item that was finished failed in all its tries
	told    atomic.Bool // why an item failed that would fail again

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever a waiting item should look again
	down    time.Time     // when the last of the servers went away; zero while one answers
	gone    bool          // none came back in time
	visits  sync.WaitGroup
	visit   func(*server) // probes a server that went away until it answers; nil while nothing is generated
	usual   proportion
	ends    endings
}

// greetings is the number of tries to reach a server before it counts as away; checkTime is how long it may take to
// report its facts; mostProbes is how many requests before the first question may generate something.
const (
	greetings  = 3
	checkTime  = 10 * time.Second
	mostProbes = 3
)

// Open asks the servers for the model. At least one must answer; the others may come later.
func Open(ctx context.Context, all []Protocol, o Options) (*Model, error) {
	o.Timeout, o.Silence = cmp.Or(o.Timeout, 15*time.Minute), cmp.Or(o.Silence, 5*time.Minute)
	o.Patience, o.Tries = min(cmp.Or(o.Patience, time.Minute), o.Timeout), cmp.Or(o.Tries, 8)
	if o.Log == nil {
		o.Log = func(slog.Level, string) {}
	}
	if o.Hide == nil {
		o.Hide = func(text string) string { return text }
	}
	m := &Model{options: o, changed: make(chan struct{})}
	for _, p := range all {
		s := &server{Protocol: p, pace: atATime(o.Concurrency)}
		s.facts.Store(&Facts{})
		m.servers = append(m.servers, s)
	}
	for _, s := range m.servers {
		err := m.meet(ctx, s)
		e := errorOf(err)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case e != nil && e.Final:
			return nil, err
		case e.Lasts():
			return nil, fmt.Errorf("%s: %w", s.Name(), err)
		default:
			s.outage = err
		}
	}
	if !m.anyUp() {
		return nil, fmt.Errorf("%s; %s", m.outage().Text, o.Nobody)
	}
	for _, s := range m.servers {
		if s.outage != nil {
			m.log(slog.LevelWarn, "%s: %s: the run begins without it", s.Name(), OneLine(s.outage))
		}
	}
	m.run.Context = m.room()
	return m, nil
}

// meet is admit, tried again where the server does not answer, and as long as it loads its model.
func (m *Model) meet(ctx context.Context, s *server) error {
	ctx, cancel := context.WithTimeoutCause(ctx, m.options.Timeout, ErrLate)
	defer cancel()
	var busy *Error
	err := retry(ctx, greetings, func() error {
		err := m.admit(ctx, s)
		e := errorOf(err)
		if e == nil || !e.Busy {
			return unlessLasting(err)
		}
		if busy == nil {
			m.log(slog.LevelWarn, "%s is not ready (%s): it is waited for, up to %s %s", s.Name(), e.Text, setting.Timeout,
				m.options.Timeout)
		}
		busy = e
		if err := wait(ctx, nil, cmp.Or(e.Pause, unsaidPause)); err != nil {
			return err
		}
		return e
	})
	if err != nil && ctx.Err() != nil {
		late := &Error{Cause: backends.CauseTimeout, Text: OneLine(context.Cause(ctx))}
		if busy != nil {
			late.Text += "; it said: " + busy.Text
		}
		return late
	}
	return err
}

// admit asks a server for its facts. The first one decides which model it is.
func (m *Model) admit(ctx context.Context, s *server) error {
	var first *Facts
	if m.first != nil {
		first = m.first.facts.Load()
	}
	var facts Facts
	err := m.exchange(ctx, checkTime, &monitor{}, func(ctx context.Context) (err error) {
		facts, err = s.Facts(ctx, first)
		return err
	})
	if err != nil {
		return err
	}
	s.facts.Store(&facts)
	if m.options.Concurrency == 0 && facts.Slots > 0 {
		m.mu.Lock()
		if now := &s.pace; now.most != min(facts.Slots, MostInFlight) || now.searching {
			*now = atATime(facts.Slots) // else it was away, and what was learnt of it holds
		}
		m.mu.Unlock()
	}
	if m.first == nil {
		m.first = s
		return nil
	}
	if name, theirs, ours := facts.differs(first); name != "" {
		return Final("the servers hold different models: the %s of %s is %s at %s, and %s at %s: have them serve the same "+
			"one", name, m.options.Name, ours, m.first.Name(), theirs, s.Name())
	}
	return nil
}

// readmit is admit of a server that was away. In a run it must do what the others did before the run began, and its
// context must hold what theirs do: prompts would be cut there.
func (m *Model) readmit(ctx context.Context, s *server) error {
	if err := m.admit(ctx, s); err != nil || !m.planned {
		return err
	}
	m.mu.Lock()
	lasts := errorOf(s.outage).Lasts()
	m.mu.Unlock()
	if lasts { // which an answer alone can disprove
		if err := m.probe(ctx, s); err != nil {
			return err
		}
	}
	return m.load(ctx, s)
}

// load has a server load the model, and demands the run's context of it.
func (m *Model) load(ctx context.Context, s *server) error {
	err := m.prepare(ctx, s, func(ctx context.Context, s *server) error {
		return m.exchange(ctx, m.options.Silence, &monitor{}, func(ctx context.Context) error { return s.Load(ctx, &m.run) })
	})
	if err != nil {
		return err
	}
	if err := m.meet(ctx, s); err != nil {
		return err
	}
	if facts := s.facts.Load(); (facts.Chooses || m.planned) && facts.Context > 0 && facts.Context < m.run.Context {
		return &Error{Cause: backends.CauseTruncated,
			Text: fmt.Sprintf("a request gets %d tokens there, and the run's may have %d, so longer prompts "+
				"would be cut: %s", facts.Context, m.run.Context, m.options.Remedy)}
	}
	return nil
}

// Plan implements [backends.Planner]. It has the servers load the model, and tries a few of them, so that what is wrong
// with all requests shows before the run begins.
func (m *Model) Plan(ctx context.Context, w backends.Workload) (backends.Allocation, error) {
	if m.closed {
		return backends.Allocation{}, backends.ErrClosed
	}
	m.run.Workload = w
	if err := m.planContext(ctx, &w, true); err != nil {
		return backends.Allocation{}, err
	}
	for _, s := range m.up() {
		err := m.tryOut(ctx, s)
		if e := errorOf(err); e != nil && e.Lost && !e.Lasts() && len(m.up()) > 1 {
			m.mu.Lock()
			s.outage = e
			m.mu.Unlock()
			m.log(slog.LevelWarn, "%s: %v: the run begins without it", s.Name(), err)
			continue
		}
		if err != nil {
			return backends.Allocation{}, fmt.Errorf("%s: %w", s.Name(), err)
		}
	}
	m.planned = true
	for _, note := range m.notes() {
		m.log(slog.LevelInfo, "%s", note)
	}
	facts := m.first.facts.Load()
	if !facts.Chooses {
		m.run.Context = m.room()
	}
	a := backends.Allocation{Slots: m.slots(), Context: m.run.Context, Unfit: mostCut, Description: m.inFlight()}
	if m.run.Context > 0 {
		a.Description += fmt.Sprintf(", a context of %d tokens", m.run.Context)
	}
	if facts.Bytes > 0 {
		a.Weights, a.KV = facts.Model.SizeBytes, max(0, facts.Bytes-facts.Model.SizeBytes)
		size := func(bytes int64) string { return humanize.IBytes(uint64(bytes)) }
		a.Description += fmt.Sprintf(": weights %s + cache and scratch %s = %s at the server", size(a.Weights), size(a.KV),
			size(a.Total()))
	}
	a.Description += fmt.Sprintf("; %s before the first question", english.Plural(m.probes, "probe", ""))
	return a, ctx.Err()
}

// tryOut has a server load the model and, where nobody may charge for it, answer once.
func (m *Model) tryOut(ctx context.Context, s *server) error {
	if facts := s.facts.Load(); !facts.Chooses && m.probes < mostProbes && !Away(s.Name()) {
		m.probes++
		if err := m.probe(ctx, s); err != nil {
			return err
		}
	}
	return m.load(ctx, s)
}

// probe has a server write a few tokens.
func (m *Model) probe(ctx context.Context, s *server) error {
	r := &Request{Run: &m.run,
		Request: backends.Request{Prompt: "Which of these?", MaxTokens: 4, Sampling: m.run.Sampling}}
	if m.run.Conversed {
		r.Messages, r.Prompt = []backends.Message{{Role: "user", Content: r.Prompt}}, ""
	}
	return m.prepare(ctx, s, func(ctx context.Context, s *server) error {
		_, err := m.ask(ctx, s, r)
		return err
	})
}

// unmeasured is the context that is chosen where nobody counted the prompts.
const unmeasured = 8192

// room is how many tokens prompt and answer may have together: the smallest context that the servers report, or the
// user's where that is smaller; 0 where nobody knows.
func (m *Model) room() (room int) {
	room = m.options.Context
	for _, s := range m.servers {
		facts := s.facts.Load()
		if facts.Chooses && room == 0 {
			room = min(unmeasured, cmp.Or(facts.Model.ContextLength, unmeasured))
		}
		if !facts.Chooses && facts.Context > 0 && (room == 0 || facts.Context < room) {
			room = facts.Context
		}
	}
	return room
}

// planContext chooses the context that requests ask for, where they do: as much as the work needs, unless a person
// says. asks says that a server may count the longest prompt.
func (m *Model) planContext(ctx context.Context, w *backends.Workload, asks bool) error {
	m.run.Context = m.room()
	facts := m.first.facts.Load()
	if !facts.Chooses {
		return nil
	}
	trained := facts.Model.ContextLength
	if m.options.Context == 0 && w.PromptTokens == 0 && w.Longest != "" && asks {
		if err := m.measure(ctx, w); err != nil {
			return err
		}
	}
	unfit := w.Fits(m.options.Context)
	switch {
	case w.PromptTokens > 0 && unfit != nil:
		return fmt.Errorf("%w: give %s", unfit, setting.Context.As(strconv.Itoa(w.Tokens())))
	case m.options.Context > 0 && trained > 0 && m.options.Context > trained:
		return fmt.Errorf("a context of %d tokens: the model was trained for %d, and its server gives no more",
			m.options.Context, trained)
	case m.options.Context > 0:
		return nil
	case w.PromptTokens > 0:
		m.run.Context = w.Tokens()
	case asks:
		m.log(slog.LevelWarn, "the prompts could not be counted: the context is %d; %s chooses another", m.run.Context,
			setting.Context)
	}
	if trained > 0 && m.run.Context > trained {
		m.run.Context = trained
		m.log(slog.LevelWarn, "%v, and the model was trained for no more: prompts that do not fit will fail", w.Fits(trained))
	}
	return nil
}

// measure has a server read the longest prompt, which nobody here can count. The context has room for a token a byte.
func (m *Model) measure(ctx context.Context, w *backends.Workload) error {
	trained := m.first.facts.Load().Model.ContextLength
	m.run.Context = len(w.Longest) + 1
	if trained > 0 {
		m.run.Context = min(m.run.Context, trained)
	}
	r := &Request{Run: &m.run, Request: backends.Request{Prompt: w.Longest, MaxTokens: 1}}
	m.probes++
	err := m.prepare(ctx, nil, func(ctx context.Context, s *server) error {
		a, err := m.ask(ctx, s, r)
		if err == nil {
			w.PromptTokens = a.Prompt
		}
		return err
	})
	switch e := errorOf(err); {
	case err == nil:
		return nil
	case e == nil || e.Cause != backends.CauseTruncated:
		return fmt.Errorf("the longest prompt cannot be counted: %w", err)
	case trained == 0:
		return fmt.Errorf("the longest prompt does not fit, and the server does not say how much would: give %s: %w",
			setting.Context, err)
	}
	w.PromptTokens = trained // or more
	return nil
}

// Forecast implements [backends.Forecaster]. It sends the servers nothing.
func (m *Model) Forecast(ctx context.Context, w backends.Workload) (backends.Forecast, error) {
	if m.closed {
		return backends.Forecast{}, backends.ErrClosed
	}
	facts := m.first.facts.Load()
	unread := facts.Chooses && w.PromptTokens == 0 && w.Longest != "" && m.options.Context == 0
	if !unread {
		if err := m.planContext(ctx, &w, false); err != nil {
			return backends.Forecast{}, err
		}
	}
	f := backends.Forecast{Source: "a server's speed is unknown before the first request"}
	f.Context, f.Slots, f.Weights = m.run.Context, m.slots(), facts.Model.SizeBytes
	f.Description = "the server sets memory aside when it loads the model"
	if facts.Chooses {
		f.Description = fmt.Sprintf("a context of %d tokens; %s", f.Context, f.Description)
	}
	if unread {
		f.Description = "the server counts the longest prompt for its context, and sets memory aside when it loads the model"
	}
	return f, nil
}

// Info implements [backends.Model].
func (m *Model) Info(context.Context) (backends.Info, error) {
	if m.closed {
		return backends.Info{}, backends.ErrClosed
	}
	model := m.first.facts.Load().Model
	model.Ref = cmp.Or(m.options.Model, m.first.Name())
	if model.Parameters > 0 {
		model.BitsPerWeight = 8 * float64(model.SizeBytes) / float64(model.Parameters)
	}
	var versions, names []string
	for _, s := range m.servers {
		names = append(names, s.Name())
		if version := s.facts.Load().Engine; version != "" {
			versions = append(versions, version)
		}
	}
	slices.Sort(versions)
	return backends.Info{Model: model, Notes: m.notes(), Engine: backends.EngineInfo{
		Name: m.options.By, Version: strings.Join(slices.Compact(versions), ", "), Slots: m.slots(),
		Context: m.run.Context, Servers: names,
	}}, nil
}

// notes lists what the servers do not report, or cannot do.
func (m *Model) notes() (notes []string) {
	facts := m.first.facts.Load()
	counts := facts.Counts || m.options.Tokenize != nil
	switch {
	case m.run.Context == 0 && !counts:
		notes = append(notes, "The server reports neither its context nor a prompt's tokens: whether it cut a prompt is "+
			"judged by the tokens that it says it read, for the prompt's length.")
	case m.run.Context == 0:
		notes = append(notes, "The server does not report its context: whether it cut a prompt is judged by the tokens "+
			"that it says it read.")
	case !counts:
		notes = append(notes, fmt.Sprintf("The server does not count a prompt's tokens beforehand: a prompt counts as cut "+
			"where it fills the context of %d.", m.run.Context))
	}
	if m.run.Conversed && !facts.Writes {
		notes = append(notes, "The server does not show how it renders conversations: the prompts here are the messages "+
			"that it got, each after its role.")
	}
	if len(m.servers) > 1 && !slices.ContainsFunc(facts.Same, func(f Fact) bool { return f.Value != "" }) {
		notes = append(notes, "Only its name says that all servers hold the same model.")
	}
	for _, s := range m.up() {
		for _, note := range s.facts.Load().Notes {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return append(notes, m.options.Notes(&m.run)...)
}

// First is the protocol of the server that says which model it is, and its facts.
func (m *Model) First() (Protocol, *Facts) { return m.first.Protocol, m.first.facts.Load() }

// Run is what all requests have in common, as it is now.
func (m *Model) Run() *Run { return &m.run }

// Recommended implements [backends.Recommender].
func (m *Model) Recommended() *backends.Recommendation { return m.first.facts.Load().Recommended }

// Slotted implements [backends.Slotted].
func (m *Model) Slotted() bool { return m.first.facts.Load().Slotted }

// SetEffort implements [backends.Efforter].
func (m *Model) SetEffort(effort string) { m.run.Effort = effort }

// Converse is that of a [backends.Converser]: it has a server render the conversation. What cannot do that gets the
// messages alone, and the text is they, each behind its role.
func (m *Model) Converse(ctx context.Context, messages []backends.Message, think *bool) (text string, err error) {
	m.run.Conversed = true
	r := &Request{Run: &m.run, Request: backends.Request{Messages: messages, Think: think, MaxTokens: 1}}
	err = m.prepare(ctx, m.first, func(ctx context.Context, s *server) error {
		text, err = m.render(ctx, s, r)
		return err
	})
	if errors.Is(err, ErrUnable) {
		return transcript(messages), nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", m.first.Name(), err)
	}
	return text, nil
}

// render has a server render a conversation, and refuses a text that leaves a message out: servers do that without a
// word.
func (m *Model) render(ctx context.Context, s *server, r *Request) (text string, err error) {
	err = m.exchange(ctx, checkTime, &monitor{}, func(ctx context.Context) (err error) {
		text, err = s.Chat(ctx, r)
		return err
	})
	if err != nil {
		return "", err
	}
	for i, message := range r.Messages {
		if !strings.Contains(text, strings.TrimSpace(message.Content)) {
			fewer := "raw"
			if len(r.Messages) > 1 {
				fewer = "chat"
			}
			return "", Final("the server's chat template leaves out turn %d, the %s's: take %s, or name a template with %s", i+1,
				message.Role, setting.Prompt.As(fewer), setting.ChatTemplate)
		}
	}
	return text, nil
}

// transcript are the messages of a conversation that nobody renders, each behind its role.
func transcript(messages []backends.Message) string {
	var text strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&text, "%s: %s\n\n", m.Role, m.Content)
	}
	return text.String() + "assistant:"
}

// Tokenize implements [backends.Tokenizer] by the model's own file or a server that counts tokens. Where there is
// neither, its error is [errors.ErrUnsupported].
func (m *Model) Tokenize(prompt string) ([]int32, error) {
	if m.closed {
		return nil, backends.ErrClosed
	}
	if m.options.Tokenize != nil {
		return m.options.Tokenize(prompt)
	}
	for _, s := range m.up() {
		if !s.facts.Load().Counts {
			continue
		}
		ctx, cancel := context.WithTimeoutCause(context.Background(), checkTime, ErrSilent)
		tokens, err := s.Count(ctx, prompt)
		cancel()
		if err == nil {
			return tokens, nil
		}
	}
	return nil, fmt.Errorf("no server counts tokens: %w", errors.ErrUnsupported)
}

// count splits a prompt into tokens; nil where nobody can.
func (m *Model) count(prompt string) ([]int32, error) {
	ids, err := m.Tokenize(prompt)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	return ids, err
}

// Forget implements [backends.Forgetter]. Where nothing empties a server's cache, every slot is given another prompt,
// which takes the place of the one before: a server that keeps more than that still has earlier prompts.
func (m *Model) Forget(ctx context.Context) error {
	if m.closed {
		return backends.ErrClosed
	}
	for _, s := range m.up() {
		err := m.exchange(ctx, m.options.Silence, &monitor{}, s.Unload)
		if err == nil {
			err = m.load(ctx, s)
		}
		if errors.Is(err, ErrUnable) {
			return m.displace(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
	}
	return nil
}

// displace gives every slot another prompt.
func (m *Model) displace(ctx context.Context) error {
	others := func(yield func(backends.Request) bool) {
		for i := range m.atOnce() {
			if !yield(backends.Request{ID: "other", Prompt: fmt.Sprintf("%d was once upon a time", i), MaxTokens: 2}) {
				return
			}
		}
	}
	return m.Generate(ctx, others, func(c backends.Completion) error {
		if c.Finish == backends.FinishError {
			return errors.New(c.Error)
		}
		return nil
	})
}

// Close implements [backends.Model]. The servers keep the model for as long as the last request asked them to.
func (m *Model) Close() error {
	m.closed = true
	m.options.Idle()
	return nil
}

// plain is a text for people, in a line and without secrets: they are taken out before it is cut, or a part of one
// might stay.
func (m *Model) plain(text string) string { return inALine(m.options.Hide(text)) }

func (m *Model) log(level slog.Level, format string, a ...any) {
	m.options.Log(level, fmt.Sprintf(format, a...))
}
