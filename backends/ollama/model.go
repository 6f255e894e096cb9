package ollama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// Prefix begins the names of models.
const Prefix = "ollama:"

// Options say which model to ask, where, and how patiently. Zero values choose what fits.
type Options struct {
	// Model is ollama:NAME or ollama:NAME:TAG, each of Servers is written like OLLAMA_HOST; none: what that names.
	backends.Settings

	// Vocabulary finds the vocabulary of the GGUF file with a SHA-256, for counting prompts before they are sent; it
	// returns nil where that file is not at hand. Open calls it once; nil: no file is, and nothing is counted. What it
	// returns is used by one goroutine at a time, and closed with the model where it is an [io.Closer].
	Vocabulary func(fileSHA256 string) (backends.Tokenizer, error)

	servers.ClientOptions // its own transport uses no proxy
}

// Model is a model that one or more servers hold.
type Model struct {
	*servers.Model
	options Options
	name    string // at the servers

	vocabulary backends.Tokenizer // nil where it is not at hand
	counting   sync.Mutex         // around vocabulary
}

var (
	_ backends.Templated = (*Model)(nil)
	_ backends.Planner   = (*Model)(nil)
	_ backends.Converser = (*Model)(nil)
)

// Open asks the servers for the model. At least one must answer; the others may come later. All that answer must hold
// the same model. Where one lacks it, the error names the command that gets it.
func Open(ctx context.Context, options Options) (*Model, error) {
	m := &Model{options: options, name: strings.TrimPrefix(options.Model, Prefix)}
	if m.name == "" {
		return nil, errors.New("ollama: the model's name is empty: give ollama:NAME or ollama:NAME:TAG, as ollama list " +
			"shows it")
	}
	t := newTransport(options.Transport)
	hosts, err := serversAt(options.Servers, t)
	if err != nil {
		return nil, err
	}
	var all []servers.Protocol
	for _, s := range hosts {
		s.model = m
		all = append(all, s)
	}
	m.Model, err = servers.Open(ctx, all, servers.Options{
		Settings: options.Settings, By: "ollama", Name: m.name, ClientOptions: options.ClientOptions, Notes: m.about,
		Idle: t.CloseIdleConnections, Tokenize: m.tokenize,
		KeyHint: "its protocol has no key; openai:NAME sends OPENAI_API_KEY",
		Nobody:  "is `ollama serve` running, and does OLLAMA_HOST name it?",
		Remedy: fmt.Sprintf("give a larger %s, or see what limits the server (OLLAMA_CONTEXT_LENGTH, its memory, a proxy)",
			setting.Context),
	})
	if err != nil {
		t.CloseIdleConnections()
		return nil, fmt.Errorf("ollama: %w", err)
	}
	_, facts := m.First()
	if find, sum := options.Vocabulary, facts.Model.FileSHA256; find != nil && sum != "" {
		if m.vocabulary, err = find(sum); err != nil {
			m.Close()
			return nil, fmt.Errorf("ollama: the vocabulary of %s: %w", m.name, err)
		}
	}
	return m, nil
}

// Close lets the connections and the vocabulary go. It is safe to call twice.
func (m *Model) Close() error {
	m.Model.Close()
	if closer, can := m.vocabulary.(io.Closer); can {
		return closer.Close()
	}
	return nil
}

// tokenize splits a text by the vocabulary. Without one the error wraps [errors.ErrUnsupported].
func (m *Model) tokenize(text string) ([]int32, error) {
	if m.vocabulary == nil {
		return nil, fmt.Errorf("ollama: the vocabulary of %s is not at hand, since its file is not here: %w", m.name,
			errors.ErrUnsupported)
	}
	m.counting.Lock()
	defer m.counting.Unlock()
	return m.vocabulary.Tokenize(text)
}

// withoutBOS leaves out the token that begins a text, where a chat template wrote it and the server adds it again.
func (m *Model) withoutBOS(prompt string) string {
	bos := m.ChatTemplate().BOS
	rest, there := strings.CutPrefix(prompt, bos)
	if bos == "" || !there {
		return prompt
	}
	with, err := m.tokenize(prompt)
	if err != nil {
		return prompt
	}
	without, err := m.tokenize(rest)
	if err != nil || !slices.Equal(with, without) {
		return prompt
	}
	return rest
}

// ChatTemplate implements [backends.Templated] with the template of the GGUF file, if there is one: a server reports
// only its own.
func (m *Model) ChatTemplate() backends.ChatTemplate {
	if templated, ok := m.vocabulary.(backends.Templated); ok {
		return templated.ChatTemplate()
	}
	return backends.ChatTemplate{}
}

// Info implements [backends.Model].
func (m *Model) Info(ctx context.Context) (backends.Info, error) {
	info, err := m.Model.Info(ctx)
	info.Engine.Threads, info.Engine.GPULayers = m.options.Threads, m.gpuLayers()
	return info, err
}

// about lists what the server does not report of a run.
func (m *Model) about(run *servers.Run) []string {
	notes := []string{"Ollama does not report how much of a prompt was cached: the reused tokens are those that it " +
		"begins with in common with the previous prompt."}
	if m.vocabulary == nil {
		notes[0] = "Ollama does not report how much of a prompt was cached, and the model's vocabulary is not at hand: " +
			"all prompt tokens count as evaluated, which flatters the prefill's speed."
	}
	p, _ := m.First()
	if stop := p.(*server).facts.Load().stop; run.Conversed && len(stop) > 0 {
		notes = append(notes, fmt.Sprintf("The server also ends a turn at the stop strings of its template: %q.", stop))
	}
	return notes
}

// gpuLayers is num_gpu: -1 has the server decide.
func (m *Model) gpuLayers() int {
	switch layers := m.options.GPULayers; {
	case layers > 0:
		return int(layers)
	case layers == backends.NoLayers:
		return 0
	}
	return -1
}

// Converses implements [backends.Converser].
func (m *Model) Converses() string {
	if p, _ := m.First(); p.(*server).facts.Load().converses {
		return "the Ollama server"
	}
	return ""
}

// Converse implements [backends.Converser].
func (m *Model) Converse(ctx context.Context, messages []backends.Message, on *bool) (string, error) {
	p, _ := m.First()
	switch now := p.(*server).facts.Load(); {
	case !now.converses:
		return "", fmt.Errorf("ollama: the server's template of %s is only %q, which marks no turns: take %s, "+
			"or name a template with %s", m.name, now.template, setting.Prompt.As("raw"), setting.ChatTemplate)
	case (on != nil || m.Run().Effort != "") && !now.thinks:
		return "", fmt.Errorf("ollama: the server does not know how %s thinks: leave thinking on auto, and %s out",
			m.name, setting.ReasoningEffort)
	}
	return m.Model.Converse(ctx, messages, on)
}
