package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// Model is a model that one or more servers run.
type Model struct {
	options   Options
	transport *servers.Transport
	secrets   *strings.Replacer
	pool      *servers.Pool[*server]
	first     *server   // the first that was met: it says which model that is
	unkept    sync.Once // warns of a budget of thinking that is not

	context   int // tokens that prompt and answer may have together; 0: nobody knows
	conversed bool
	given     map[string]any // variables of chat templates that people gave
	effort    string         // the reasoning effort; empty for none
	usual     servers.Guarded[proportion]
	planned   bool
	work      backends.Workload // of the plan
	closed    bool
}

var (
	_ servers.Model           = (*Model)(nil)
	_ backends.TemplateArguer = (*Model)(nil)
	_ backends.Budgeter       = (*Model)(nil)
)

// Open asks the servers for the model. At least one must answer; the others may come later.
func Open(ctx context.Context, options Options) (*Model, error) {
	m, err := unmet(options)
	if err != nil {
		return nil, err
	}
	greet := func(ctx context.Context, s *server) error {
		return servers.Try(ctx, servers.Greetings, func() error { return m.admit(ctx, s) })
	}
	hint := fmt.Sprintf("is it running, and does OPENAI_BASE_URL or %s name it?", setting.Servers)
	if err := m.pool.Meet(ctx, greet, hint); err != nil {
		m.Close()
		return nil, err
	}
	m.fixContext()
	return m, nil
}

// unmet is a model whose servers have had no request yet.
func unmet(options Options) (*Model, error) {
	options.ApplyDefaults()
	options.Body = cmp.Or(options.Body, &Body{})
	addresses, err := options.addresses()
	if err != nil {
		return nil, err
	}
	if options.Transport == nil {
		own := servers.Connections()
		own.Proxy = http.ProxyFromEnvironment
		options.Transport = own
	}
	m := &Model{options: options, transport: &servers.Transport{Next: options.Transport}, secrets: secrets(options.Key, addresses)}
	if body := string(options.Body.whole()); options.Body.everybodyReads && m.secrets.Replace(body) != body {
		return nil, fmt.Errorf("%s has the key or the password of a server, and a command line is read by everybody who lists the "+
			"processes: put the object into a file that you alone can read, and give @FILE", setting.ExtraBody)
	}
	client := servers.Client(m.transport)
	var all []*server
	for _, address := range addresses {
		all = append(all, &server{address: address, key: options.Key, client: client})
	}
	m.pool = servers.NewPool(all, options.Concurrency, servers.Options[*server]{
		ClientOptions: options.ClientOptions, Admit: m.readmit,
	})
	return m, nil
}

// admit checks that a server answers and holds the model. The first one decides which model that is. The error is [*servers.Error]
// where the server may answer later, [*servers.Conclusive] where it did, or why ctx ended.
func (m *Model) admit(ctx context.Context, s *server) error {
	timed, cancel := context.WithTimeoutCause(ctx, checkTime, servers.ErrSilent)
	defer cancel()
	all, err := s.list(timed)
	if err != nil {
		return m.notListed(timed, s, err)
	}
	wanted := m.options.Name
	if m.first != nil && wanted == "" {
		wanted = m.first.known().model
	}
	found, err := s.find(wanted, all)
	if err != nil {
		return err
	}
	about := s.facts(timed, found)
	s.now.Change(func(now *known) { now.facts, now.model = about, found.ID })
	if m.options.Concurrency == 0 && about.slots > 0 {
		m.pool.Tells(s, about.slots)
	}
	if m.first == nil {
		m.first = s
		return nil
	}
	ours := m.first.known()
	if what := ours.differs(&about); what != "" {
		return servers.Conclude("the servers hold different models: %s has %s, at %s and %s", m.options.Name, what,
			m.first.Name(), s.Name())
	}
	return nil
}

// readmit is admit of a server that was away. In a run it must do what the others did before the run began, and its context must
// hold what theirs do: prompts would be cut there.
func (m *Model) readmit(ctx context.Context, s *server) error {
	if err := m.admit(ctx, s); err != nil || !m.planned {
		return err
	}
	if err := m.prepare(ctx, s); err != nil {
		return err
	}
	if room := s.known().context; room > 0 && room < m.context {
		return &servers.Error{Cause: backends.CauseTruncated, Text: fmt.Sprintf(
			"its context holds %d tokens, where the run's holds %d: give it a larger one", room, m.context)}
	}
	return nil
}

// notListed is the error of a server that does not list its models.
func (m *Model) notListed(ctx context.Context, s *server, err error) error {
	var refused *statusError
	e := m.classify(err)
	switch {
	case ctx.Err() != nil:
		return servers.Ended(ctx)
	case errors.Is(err, errNoJSON):
		return servers.Conclude("%s answers, but does not speak OpenAI's protocol: is %s its base address?", s.Name(),
			s.address.Path)
	case !errors.As(err, &refused):
		return e
	case e.Lasts() && e.Cause != backends.CauseGone:
		return servers.Conclude("%s: %w", s.Name(), e)
	case refused.code >= http.StatusInternalServerError || e.Busy:
		return &servers.Error{Cause: backends.CauseEngine, Text: e.Text}
	}
	return servers.Conclude("%s does not list its models at %s/models (%s): does its address lack a path?", s.Name(),
		s.address.Path, m.plain(refused.Error()))
}

// plain is a text for people, without secrets: they are taken out before it is cut, or a part of one might stay.
func (m *Model) plain(text string) string { return servers.InALine(m.secrets.Replace(text)) }

// Close implements [backends.Model].
func (m *Model) Close() error {
	m.closed = true
	m.transport.CloseIdleConnections()
	return nil
}

// Tokenize implements [backends.Tokenizer] by a server that counts tokens. Where none does, its error is [errors.ErrUnsupported].
func (m *Model) Tokenize(prompt string) ([]int32, error) {
	if m.closed {
		return nil, backends.ErrClosed
	}
	for _, s := range m.pool.Up() {
		known := s.known()
		if !known.tokenizes {
			continue
		}
		ctx, cancel := context.WithTimeoutCause(context.Background(), checkTime, servers.ErrSilent)
		tokens, err := s.tokenize(ctx, known.kind, known.model, known.withoutBOS(prompt))
		cancel()
		if err == nil {
			return tokens, nil
		}
	}
	return nil, fmt.Errorf("no server counts tokens: %w", errors.ErrUnsupported)
}

// Info implements [backends.Model].
func (m *Model) Info(context.Context) (backends.Info, error) {
	if m.closed {
		return backends.Info{}, backends.ErrClosed
	}
	known := m.first.known()
	model := backends.ModelInfo{
		Ref: m.options.Ref, Name: named(known.model), Parameters: known.parameters, SizeBytes: known.bytes, ContextLength: known.trained,
	}
	if model.Ref == "" {
		model.Ref = m.first.Name()
	}
	if known.parameters > 0 {
		model.BitsPerWeight = 8 * float64(known.bytes) / float64(known.parameters)
	}
	engine := backends.EngineInfo{
		Name: "openai", Version: m.pool.Versions(version), Slots: m.pool.Slots(), Context: m.context, Servers: m.pool.Names(),
		ExtraBody: m.options.Body.hiding(m.secrets), Requests: m.requests(),
	}
	return backends.Info{Model: model, Engine: engine, Notes: m.about()}, nil
}

// named is a model's name for people: that of its file, where a server lists its path.
func named(id string) string {
	if name, is := strings.CutSuffix(id, ".gguf"); is {
		return path.Base(strings.ReplaceAll(name, `\`, "/"))
	}
	return id
}

// Forget implements [backends.Forgetter]: the protocol cannot empty a server's cache, so every slot is given another prompt,
// which takes the place of the one before. A server that keeps more than that still has earlier prompts.
func (m *Model) Forget(ctx context.Context) error {
	others := func(yield func(backends.Request) bool) {
		for i := range m.pool.Room() {
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

// Slotted implements [backends.Slotted]: llama-server and its forks look for the beginning of a prompt in idle slots, Ollama likewise.
func (m *Model) Slotted() bool {
	known := m.first.known()
	return known.llama() || known.kind == ollama
}

// version is a server's engine for people.
func version(s *server) string {
	known := s.known()
	return strings.TrimSpace(known.name + " " + known.version)
}

// List asks a server which models it has, and returns the server's address.
func List(ctx context.Context, options Options) (at string, all []backends.ModelInfo, err error) {
	m, err := unmet(options)
	if err != nil {
		return "", nil, err
	}
	defer m.Close()
	s := m.pool.Servers[0]
	found, err := s.list(ctx)
	if err != nil {
		return s.Name(), nil, m.notListed(ctx, s, err)
	}
	for _, l := range found {
		all = append(all, backends.ModelInfo{
			Name: l.ID, Parameters: l.Meta.Parameters, SizeBytes: l.Meta.Bytes, ContextLength: l.Meta.Trained,
		})
	}
	return s.Name(), all, nil
}
