package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/semver"

	"proctor/backends"
	"proctor/backends/servers"
)

// Options say which model to ask, where, and how patiently. Zero values choose what fits.
type Options struct {
	Name  string   // of the model at the server, NAME or NAME:TAG
	Ref   string   // how the user named it; "": ollama:NAME
	Hosts []string // the servers, each written like OLLAMA_HOST; none: what OLLAMA_HOST names

	// Vocabulary finds the vocabulary of the GGUF file with a SHA-256, for counting prompts before they are sent; it
	// returns nil where that file is not at hand. Open calls it once; nil: no file is, and nothing is counted. What it
	// returns is used by one goroutine at a time, and closed with the model where it is an [io.Closer].
	Vocabulary func(fileSHA256 string) (backends.Tokenizer, error)

	Context     int  // num_ctx, tokens that prompt and answer may have together; 0: what the planned work needs
	Concurrency int  // requests in flight at each server; 0: as many as it answers fastest
	Threads     int  // num_thread; 0: the server decides
	GPULayers   *int // num_gpu; nil: the server decides

	servers.ClientOptions // its own transport uses no proxy
}

// applyDefaults fills in defaults and refuses what cannot be.
func (o *Options) applyDefaults() error {
	if o.Name == "" {
		return errors.New("ollama: the model's name is empty: give ollama:NAME or ollama:NAME:TAG, as ollama list shows it")
	}
	o.Ref = cmp.Or(o.Ref, "ollama:"+o.Name)
	o.ApplyDefaults()
	return nil
}

// Model is a model that one or more servers hold.
type Model struct {
	options   Options
	transport *transport
	pool      *servers.Pool[*server]
	facts     facts
	met       bool // facts are known

	vocabulary backends.Tokenizer // nil where it is not at hand
	counting   sync.Mutex         // around vocabulary

	context   int // num_ctx; 0 until it is fixed
	conversed bool
	effort    string // the reasoning effort; empty for none
	planned   bool
	notes     []string // of the plan
	closed    bool
}

var (
	_ servers.Model      = (*Model)(nil)
	_ backends.Templated = (*Model)(nil)
)

// Open asks the servers for the model. At least one must answer; the others may come later. All that answer must hold
// the same model. Where one lacks it, the error names the command that gets it.
func Open(ctx context.Context, options Options) (*Model, error) {
	if err := options.applyDefaults(); err != nil {
		return nil, err
	}
	m := &Model{options: options, transport: newTransport(options.Transport)}
	hosts, err := hostsAt(options.Hosts, m.transport)
	if err != nil {
		return nil, err
	}
	var all []*server
	for _, h := range hosts {
		all = append(all, &server{host: h})
	}
	m.pool = servers.NewPool(all, options.Concurrency, servers.Options[*server]{
		ClientOptions: options.ClientOptions, Prefix: "ollama: ", Admit: m.readmit,
	})
	nobody := "is `ollama serve` running, and does OLLAMA_HOST name it?"
	if err := m.pool.Meet(ctx, m.greet, nobody); err != nil {
		m.Close()
		return nil, err
	}
	if find, sum := m.options.Vocabulary, m.facts.info.FileSHA256; find != nil && sum != "" {
		if m.vocabulary, err = find(sum); err != nil {
			m.Close()
			return nil, fmt.Errorf("ollama: the vocabulary of %s: %w", m.options.Name, err)
		}
	}
	return m, nil
}

// greet is admit, tried again where the server does not answer. A status is a server's last word.
func (m *Model) greet(ctx context.Context, s *server) error {
	return servers.Try(ctx, servers.Greetings, func() error {
		err := m.admit(ctx, s)
		var answered *servers.Conclusive
		switch code, _ := statusOf(err); {
		case err == nil || errors.As(err, &answered):
			return err
		case code != 0:
			return servers.Conclude("%w", err)
		}
		return &servers.Error{Cause: backends.CauseConnection, Text: servers.OneLine(err)}
	})
}

// truncates is the first version that refuses a prompt which is too long, where a request forbids to cut it; unknown
// is what builds without a version say.
const (
	truncates = "v0.12.6"
	unknown   = "v0.0.0"
)

// admit checks that a server answers and holds the model. The first one decides which model that is.
func (m *Model) admit(ctx context.Context, s *server) error {
	f, err := s.facts(ctx, &m.options)
	if err != nil {
		return err
	}
	version := s.now.Get().version
	if version == "" {
		if version, err = s.Version(ctx); err != nil {
			return plain(ctx, err)
		}
	}
	if v := "v" + version; semver.IsValid(v) && semver.Compare(v, unknown) > 0 && semver.Compare(v, truncates) < 0 {
		return servers.Conclude("%s has Ollama %s, which cuts long prompts without a word: update it to %s or later",
			s.Name(), version, truncates[1:])
	}
	s.now.Change(func(c *condition) { *c = condition{version: version} }) // it may come back without the model
	if !m.met {
		m.met, m.facts = true, f
		return nil
	}
	if what, ours, theirs := m.facts.differs(&f); what != "" {
		return servers.Conclude("the servers hold different models: the digest of the %s of %s is %s at %s, and %s at %s: "+
			"have them pull or create the same one", what, m.options.Name, theirs, s.Name(), ours, m.others(s))
	}
	return nil
}

// readmit is admit of a server that was away. In a run it must load the model as the others did before the run began: one with a
// smaller context would cut prompts.
func (m *Model) readmit(ctx context.Context, s *server) error {
	err := m.admit(ctx, s)
	if err == nil && m.planned {
		_, err = m.prepare(ctx, s)
	}
	return err
}

// others names the servers beside s.
func (m *Model) others(s *server) string {
	return strings.Join(slices.DeleteFunc(m.pool.Names(), func(name string) bool { return name == s.Name() }), ", ")
}

// Close lets the connections and the vocabulary go. It is safe to call twice. The servers keep the model for as long as the last request
// asked them to.
func (m *Model) Close() error {
	m.closed = true
	m.transport.CloseIdleConnections()
	if closer, can := m.vocabulary.(io.Closer); can {
		return closer.Close()
	}
	return nil
}

// Tokenize implements [backends.Tokenizer]. Without a vocabulary the error wraps [errors.ErrUnsupported].
func (m *Model) Tokenize(prompt string) ([]int32, error) {
	if m.closed {
		return nil, backends.ErrClosed
	}
	if m.vocabulary == nil {
		return nil, fmt.Errorf("ollama: the vocabulary of %s is not at hand, since its file is not here: %w", m.options.Name,
			errors.ErrUnsupported)
	}
	m.counting.Lock()
	defer m.counting.Unlock()
	return m.vocabulary.Tokenize(prompt)
}

// tokenize is Tokenize, but returns nil without a vocabulary.
func (m *Model) tokenize(text string) ([]int32, error) {
	ids, err := m.Tokenize(text)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	return ids, err
}

// Info implements [backends.Model].
func (m *Model) Info(context.Context) (backends.Info, error) {
	if m.closed {
		return backends.Info{}, backends.ErrClosed
	}
	engine := backends.EngineInfo{
		Name: "ollama", Version: m.pool.Versions(func(s *server) string { return s.now.Get().version }),
		Slots: m.pool.Slots(), Threads: m.options.Threads, GPULayers: m.gpuLayers(), Context: m.room(),
		Servers: m.pool.Names(),
	}
	reuse := "Ollama does not report how much of a prompt was cached: the reused tokens are those that it begins with in common " +
		"with the previous prompt."
	if m.vocabulary == nil {
		reuse = "Ollama does not report how much of a prompt was cached, and the model's vocabulary is not at hand: " +
			"all prompt tokens count as evaluated, which flatters the prefill's speed."
	}
	notes := append(slices.Clone(m.notes), reuse)
	if m.conversed && len(m.facts.stop) > 0 {
		notes = append(notes, fmt.Sprintf("The server also ends a turn at the stop strings of its template: %q.", m.facts.stop))
	}
	return backends.Info{Model: m.facts.info, Engine: engine, Notes: notes}, nil
}
