package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"proctor/backends"
)

// Options say which server is asked, and how.
type Options struct {
	URL         string             // of the server, as in http://127.0.0.1:8080#MODEL; /v1, and the model where it has one, may be left out
	Concurrency int                // requests in flight; 0: as many as the server says that it answers at a time, else DefaultConcurrency
	Vocabulary  backends.Tokenizer // the vocabulary of the model that the server runs; nil where nobody knows it
}

// DefaultConcurrency is how many requests are in flight at a server that does not say how many it answers at a time.
const DefaultConcurrency = 8

// Model is a model that a server runs.
type Model struct {
	options     Options
	base        *url.URL // of the server, without /v1
	client      *http.Client
	completions openai.CompletionService
	name        string // of the model, as the server has it
	closed      bool
}

var (
	_ backends.Model     = (*Model)(nil)
	_ backends.Tokenizer = (*Model)(nil)
	_ backends.Forgetter = (*Model)(nil)
)

// ErrClosed is returned by a model that was closed.
var ErrClosed = errors.New("the model is closed")

// checkTime is how long a server may take to say what it has.
const checkTime = 10 * time.Second

// tries are how often the server is asked: one closes a connection now and then that it had kept.
const tries = 3

// Open finds a server, and the model on it.
func Open(ctx context.Context, options Options) (*Model, error) {
	base, wanted, err := parse(options.URL)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 256
	m := &Model{options: options, base: base, client: &http.Client{Transport: transport}}
	// Nothing is read from the environment: a key that is meant for another server is not sent to this one.
	asks := []option.RequestOption{
		option.WithBaseURL(base.JoinPath("v1").String() + "/"), option.WithHTTPClient(m.client), option.WithMaxRetries(tries - 1),
	}
	m.completions = openai.NewCompletionService(asks...)
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	models := openai.NewModelService(asks...)
	listed, err := models.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s does not list its models: %s", base, oneLine(err))
	}
	if m.name, err = choose(base, wanted, listed.Data); err != nil {
		return nil, err
	}
	if m.options.Concurrency == 0 {
		m.options.Concurrency = m.slots(ctx)
	}
	return m, nil
}

// choose finds the wanted model among those that the server has; without one, the only one.
func choose(base *url.URL, wanted string, listed []openai.Model) (string, error) {
	var names []string
	for _, model := range listed {
		names = append(names, model.ID)
	}
	switch {
	case len(names) == 0:
		return "", fmt.Errorf("%s has no model", base)
	case wanted == "" && len(names) == 1:
		return names[0], nil
	case !slices.Contains(names, wanted):
		return "", fmt.Errorf("%s has the models %s: name one of them, as in %s#%s",
			base, strings.Join(names, ", "), base, names[0])
	default:
		return wanted, nil
	}
}

// parse reads a server's address, and the model that it names.
func parse(text string) (base *url.URL, model string, err error) {
	base, err = url.Parse(text)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, "", fmt.Errorf("%q is no server's address: give one as in http://127.0.0.1:8080", text)
	}
	path := strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/v1")
	return &url.URL{Scheme: base.Scheme, User: base.User, Host: base.Host, Path: path}, base.Fragment, nil
}

// slots asks a llama-server how many requests it answers at a time. The protocol has no such question.
func (m *Model) slots(ctx context.Context) int {
	var props struct {
		Slots int `json:"total_slots"`
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.base.JoinPath("props").String(), nil)
	if err != nil {
		return DefaultConcurrency
	}
	answer, err := m.client.Do(request)
	if err != nil {
		return DefaultConcurrency
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK || json.NewDecoder(answer.Body).Decode(&props) != nil || props.Slots < 1 {
		return DefaultConcurrency
	}
	return props.Slots
}

// Info implements [backends.Model].
func (m *Model) Info(context.Context) (backends.Info, error) {
	if m.closed {
		return backends.Info{}, ErrClosed
	}
	return backends.Info{
		Model:  backends.ModelInfo{Ref: m.base.String(), Name: m.name, Architecture: m.name},
		Engine: backends.EngineInfo{Name: "openai", Slots: m.options.Concurrency, Servers: []string{m.base.Host}},
	}, nil
}

// Tokenize implements [backends.Tokenizer]. Without a vocabulary its error is [errors.ErrUnsupported].
func (m *Model) Tokenize(prompt string) ([]int32, error) {
	if m.options.Vocabulary == nil {
		return nil, errors.ErrUnsupported
	}
	return m.options.Vocabulary.Tokenize(prompt)
}

// Forget implements [backends.Forgetter]: the protocol cannot empty a server's cache, so every slot is given another prompt,
// which takes the place of the one before. A server that keeps more than that still has earlier prompts.
func (m *Model) Forget(ctx context.Context) error {
	others := func(yield func(backends.Request) bool) {
		for i := range m.options.Concurrency {
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

// Close implements [backends.Model].
func (m *Model) Close() error {
	m.closed = true
	m.client.CloseIdleConnections()
	return nil
}
