package openai

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// Prefix begins the names of models.
const Prefix = "openai:"

// Options say which model to use, at which servers. Zero values choose what fits.
type Options struct {
	// Model is openai:NAME, as the servers list it, or openai: for their only one. Servers are addresses as in
	// http://127.0.0.1:8080, without credentials; http:// and /v1 may be left out.
	backends.Settings

	Base string // where there are no Servers, the address of one, which may have a user and a password
	Key  string // that servers ask for; "": none is sent

	servers.ClientOptions // its own transport takes the environment's proxy
}

// Model is a model that one or more servers run.
type Model struct {
	*servers.Model
	options Options
	name    string // at the servers; "": the only one
	body    *Body
	client  *http.Client
	secrets *strings.Replacer
	all     []*server
}

var (
	_ backends.TemplateArguer = (*Model)(nil)
	_ backends.Budgeter       = (*Model)(nil)
	_ backends.Planner        = (*Model)(nil)
	_ backends.Converser      = (*Model)(nil)
)

// Open asks the servers for the model. At least one must answer; the others may come later.
func Open(ctx context.Context, options Options) (*Model, error) {
	m, err := unmet(options)
	if err != nil {
		return nil, err
	}
	hint := "it asks for a key, set OPENAI_API_KEY"
	if m.options.Key != "" && !placeholder.MatchString(m.options.Key) {
		hint = "it refuses the key of OPENAI_API_KEY"
	}
	var all []servers.Protocol
	for _, s := range m.all {
		all = append(all, s)
	}
	m.Model, err = servers.Open(ctx, all, servers.Options{
		Settings: options.Settings, By: "openai", Name: cmp.Or(m.name, "the model"),
		ClientOptions: options.ClientOptions, KeyHint: hint, Hide: m.secrets.Replace, Notes: m.about,
		Idle:   m.client.CloseIdleConnections,
		Nobody: fmt.Sprintf("is it running, and does OPENAI_BASE_URL or %s name it?", setting.Servers),
		Remedy: fmt.Sprintf("give the server a larger one (llama-server -c, vLLM --max-model-len, OLLAMA_CONTEXT_LENGTH), "+
			"or lower %s or %s", setting.Shots, setting.MaxTokens),
	})
	if err != nil {
		m.client.CloseIdleConnections()
		return nil, err
	}
	return m, nil
}

// unmet is a model whose servers have had no request yet.
func unmet(options Options) (*Model, error) {
	body, err := ParseBody(options.Body)
	if err != nil {
		return nil, err
	}
	options.Key = strings.TrimSpace(options.Key)
	if strings.ContainsFunc(options.Key, unicode.IsControl) {
		return nil, errors.New("OPENAI_API_KEY has a line break or another control character: give the key alone")
	}
	next := options.Transport
	if next == nil {
		own := servers.Connections()
		own.Proxy = http.ProxyFromEnvironment
		next = own
	}
	m := &Model{options: options, name: strings.TrimPrefix(options.Model, Prefix), body: body,
		client: servers.Client(&servers.Transport{Next: next})}
	texts := options.Servers
	if len(texts) == 0 {
		texts = []string{options.Base}
	}
	for _, text := range texts {
		address, err := parse(text)
		if err != nil {
			return nil, err
		}
		s := &server{model: m, address: address}
		switch {
		case len(options.Servers) > 0 && address.User != nil:
			return nil, fmt.Errorf("the address of %s has a user or a password, which everybody can read who lists this "+
				"machine's processes: put it into OPENAI_BASE_URL, or a key into OPENAI_API_KEY", address.Host)
		case slices.ContainsFunc(m.all, func(other *server) bool { return other.Name() == s.Name() }):
			return nil, fmt.Errorf("the server %s is named twice", s.Name())
		}
		m.all = append(m.all, s)
	}
	m.secrets = secrets(options.Key, m.all)
	inline := options.Body.Given != "" && options.Body.Text == ""
	if text := string(body.whole()); inline && m.secrets.Replace(text) != text {
		return nil, fmt.Errorf("%s has the key or the password of a server, and a command line is read by everybody "+
			"who lists the processes: put the object into a file that you alone can read, and give @FILE", setting.ExtraBody)
	}
	return m, nil
}

// parse reads a server's address, also one with the protocol's path behind it, as lm-eval and evalscope take it. An
// error names nothing of it that may be secret.
func parse(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if text != "" && !strings.Contains(text, "://") {
		text = "http://" + text
	}
	const like = "give one as in http://127.0.0.1:8080 or https://example.com/v1"
	address, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("a server's address cannot be read: " + like)
	}
	switch {
	// of a password with a slash, which ended the host
	case strings.Contains(address.Path+address.RawQuery+address.Fragment, "@"):
		return nil, fmt.Errorf("a server's address has an @ behind its host: write a /, ? or # in a password as %%2F, " +
			"%%3F or %%23, or " + like)
	case address.Host == "" || address.Scheme != "http" && address.Scheme != "https":
		address.User = nil
		return nil, fmt.Errorf("%q is not a server's address: %s", address, like)
	case address.RawQuery != "" || address.Fragment != "":
		return nil, fmt.Errorf("the address of %s has something behind its path: "+like, address.Host)
	}
	path := strings.TrimRight(address.Path, "/")
	path = strings.TrimSuffix(strings.TrimSuffix(path, "/completions"), "/chat")
	return &url.URL{Scheme: address.Scheme, User: address.User, Host: address.Host, Path: cmp.Or(path, "/v1")}, nil
}

// placeholder matches keys that servers without any are given, since clients demand one: they are sent, and are no
// secrets.
var placeholder = regexp.MustCompile(`(?i)^(empty|empty_token|none|sk-no-key-required|no-key|dummy|ollama|lm-studio)$`)

// secrets takes the keys out of texts that may be shown.
func secrets(key string, of []*server) *strings.Replacer {
	const shortest = 3
	var pairs []string
	hide := func(secret string) {
		if len(secret) >= shortest {
			pairs = append(pairs, secret, "[secret]")
		}
	}
	if !placeholder.MatchString(key) {
		hide(key)
	}
	for _, s := range of {
		user := s.address.User
		if password, has := user.Password(); has {
			hide(base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password)))
			hide(user.String())
			hide(password)
			hide(url.QueryEscape(password))
		} else {
			hide(user.Username())
		}
	}
	return strings.NewReplacer(pairs...)
}

// plain is an error's text in a line without secrets: they are taken out before it is cut, or a part of one might stay.
func (m *Model) plain(err error) string {
	return servers.OneLine(errors.New(m.secrets.Replace(err.Error())))
}

// first is what is known of the server that says which model it is.
func (m *Model) first() (*server, facts) {
	p, _ := m.First()
	s := p.(*server)
	return s, s.known()
}

// Info implements [backends.Model].
func (m *Model) Info(ctx context.Context) (backends.Info, error) {
	info, err := m.Model.Info(ctx)
	if err == nil {
		info.Engine.ExtraBody, info.Engine.Requests = m.body.hiding(m.secrets), m.requests()
	}
	return info, err
}

// about lists what the servers do not take, or do on their own.
func (m *Model) about(run *servers.Run) (notes []string) {
	say := func(format string, a ...any) { notes = append(notes, fmt.Sprintf(format, a...)) }
	_, known := m.first()
	switch {
	case known.kind == ollama:
		say("Over this protocol Ollama puts a raw prompt into the model's template, where it has one, and takes no top_k, " +
			"min_p and repeat penalty: the model's own apply, or a repeat penalty of 1.1, with temperature 0 too; ollama:NAME " +
			"applies the flags.")
	case known.kind == unnamed:
		say("The server does not say what it is: what requests leave open of top_k, min_p and penalties it may fill in " +
			"with its own.")
	}
	if _, not := known.drawing(run.Sampling); len(not) > 0 {
		say("The server takes no %s: they are left out, and its own hold.", strings.Join(not, ", "))
	}
	if own := known.Recommended; own != nil && own.Lacks != "" {
		say("The server draws in ways that no request here sets: %s.", own.Lacks)
	}
	if known.lacks == "stream_options" {
		say("The server does not say how many tokens an answer had: its tokenizer counts them, where it shows that, else " +
			"nobody does.")
	}
	return notes
}

// requests are the fields beside prompt, cap and stop strings that the servers get with each request of the planned
// run, as JSON objects, each once.
func (m *Model) requests() (all []json.RawMessage) {
	run := m.Run()
	if run.MaxTokens == 0 && !run.Forced {
		return nil
	}
	for _, s := range m.all {
		known := s.known()
		if known.kind == nil { // it was not met
			continue
		}
		r := &servers.Request{Run: run, Request: backends.Request{MaxTokens: run.MaxTokens, Sampling: run.Sampling}}
		if run.Forced {
			r.Forced = &backends.Forced{Tokens: []int32{0}}
		}
		if run.Conversed {
			r.Messages = []backends.Message{}
		}
		body := known.body(r, m.body)
		maps.DeleteFunc(body, func(name string, _ any) bool {
			return slices.Contains(elsewhere, name) || m.body.has(name)
		})
		text, _ := json.Marshal(body) // of numbers and texts
		if !slices.ContainsFunc(all, func(one json.RawMessage) bool { return string(one) == string(text) }) {
			all = append(all, text)
		}
	}
	return all
}

// elsewhere are the fields that a journal has in other places, or that differ from one item to the next.
var elsewhere = []string{"model", "prompt", "messages", "max_tokens", "max_completion_tokens", "stop", "stream",
	"stream_options", "chat_template_kwargs", "logit_bias", "logprobs"}

// ArgueTemplate implements [backends.TemplateArguer].
func (m *Model) ArgueTemplate(variables map[string]any) error {
	if s, known := m.first(); known.kind == ollama || known.service {
		return fmt.Errorf("%s: %s at %s gives its chat templates no variables: bring a template with %s, or leave the "+
			"flag out", setting.TemplateArg, known.name, s.Name(), setting.ChatTemplate.As("@FILE"))
	}
	m.Run().Variables = variables
	return nil
}

// Converses implements [backends.Converser].
func (m *Model) Converses() string { return "the server" }

// Converse implements [backends.Converser]. It refuses what changes nothing in the conversation that the server
// renders.
func (m *Model) Converse(ctx context.Context, messages []backends.Message, think *bool) (string, error) {
	text, err := m.Model.Converse(ctx, messages, think)
	s, known := m.first()
	if err != nil {
		return "", err
	}
	run, at := m.Run(), s.Name()
	same := func(think *bool, effort string, variables map[string]any) bool {
		run := *run
		run.Effort, run.Variables = effort, variables
		other, err := s.Chat(ctx, &servers.Request{Run: &run, Request: backends.Request{Messages: messages, Think: think}})
		return err == nil && other == text
	}
	opposite := think != nil && !*think
	switch {
	case think != nil && known.service:
		return "", fmt.Errorf("%s: %s at %s has no switch for thinking: %s says how hard its models think", setting.Think,
			known.name, at, setting.ReasoningEffort)
	case think != nil && known.kind == ollama && m.body.has("reasoning_effort"):
		return "", fmt.Errorf("%s is Ollama's reasoning_effort, which %s gives too: leave one of them out", setting.Think,
			setting.ExtraBody)
	case !known.Writes:
		return text, nil
	case run.Effort != "" && same(think, "", run.Variables):
		return "", fmt.Errorf("the chat template at %s reads no reasoning_effort: leave %s out", at, setting.ReasoningEffort)
	case think != nil && same(&opposite, run.Effort, run.Variables):
		return "", fmt.Errorf("the chat template at %s has no switch for thinking: leave it on auto", at)
	}
	for name, value := range run.Variables {
		without, otherwise := maps.Clone(run.Variables), maps.Clone(run.Variables)
		delete(without, name)
		otherwise[name] = "another value"
		if on, isSwitch := value.(bool); isSwitch {
			otherwise[name] = !on
		}
		if same(think, run.Effort, without) && same(think, run.Effort, otherwise) {
			return "", fmt.Errorf("the chat template at %s writes the same with and without %s: check its spelling, or leave "+
				"it out", at, setting.TemplateArg.As(name))
		}
	}
	return text, nil
}

// CheckBudget implements [backends.Budgeter]: a server closes thinking in its own words, at one budget.
func (m *Model) CheckBudget(b backends.Budget) error {
	s, known := m.first()
	switch {
	case known.budgets == nil && known.name == "":
		return fmt.Errorf("%s: %s does not say what it is, and OpenAI's protocol has no budget of thinking; llama-server "+
			"and vLLM take one: leave the flag out", setting.ThinkBudget, s.Name())
	case known.budgets == nil:
		return fmt.Errorf("%s: the API of %s at %s has no budget of thinking; those of llama-server and vLLM have one: "+
			"leave the flag out", setting.ThinkBudget, known.name, s.Name())
	case known.template != "" && !strings.Contains(known.template, b.Way.Close) &&
		!strings.Contains(known.template, b.Way.Open):
		return fmt.Errorf("%s: the chat template at %s has no %s: give its marks of thinking with %s, or leave the flag out",
			setting.ThinkBudget, s.Name(), b.Way.Close, setting.ThinkMarks.As("OPEN,CLOSE"))
	case len(b.Tokens) > 1:
		return fmt.Errorf("%s: a server closes thinking at one budget: give one, or name the model's GGUF file for several",
			setting.ThinkBudget)
	}
	return nil
}

// Generate implements [backends.Model]. A server's cap is one for all tokens, those of thinking too; a forced token is
// one.
func (m *Model) Generate(
	ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error,
) error {
	return m.Model.Generate(ctx, func(yield func(backends.Request) bool) {
		for r := range requests {
			if r.Budget != nil {
				r.MaxTokens += r.Budget.Room()
			}
			if r.Forced != nil {
				r.MaxTokens = 1
			}
			if !yield(r) {
				return
			}
		}
	}, done)
}

// List asks a server which models it has, and returns the server's address.
func List(ctx context.Context, options Options) (at string, all []backends.ModelInfo, err error) {
	m, err := unmet(options)
	if err != nil {
		return "", nil, err
	}
	defer m.client.CloseIdleConnections()
	s := m.all[0]
	found, err := s.list(ctx)
	if err != nil {
		return s.Name(), nil, errors.New(m.plain(err))
	}
	for _, l := range found {
		all = append(all, backends.ModelInfo{
			Name: l.ID, Parameters: l.Meta.Parameters, SizeBytes: l.Meta.Bytes, ContextLength: l.Meta.Trained,
		})
	}
	return s.Name(), all, nil
}
