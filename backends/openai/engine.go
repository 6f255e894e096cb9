package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"proctor/backends"
	"proctor/backends/servers"
)

// The engines whose own words are known.
const (
	llamaServer = "llama-server"
	vLLM        = "vLLM"
	ollama      = "Ollama"
	lmStudio    = "LM Studio"
)

// facts are what a server reports about itself and the model, beyond the protocol. What it does not report is zero.
type facts struct {
	engine     string
	version    string
	slots      int // requests that it answers at a time
	context    int // tokens of one of them
	trained    int // tokens the model was trained for
	parameters int64
	bytes      int64
	root       string // of vLLM: the model's folder or repository
	template   string // of llama-server: the model's chat template
	tokenizes  bool
}

// listed is a model in a server's list.
type listed struct {
	ID      string `json:"id"`
	Owner   string `json:"owned_by"`
	Root    string `json:"root"`
	Context int    `json:"max_model_len"`
	Meta    struct {
		Trained    int   `json:"n_ctx_train"`
		Parameters int64 `json:"n_params"`
		Bytes      int64 `json:"size"`
	} `json:"meta"`
}

// differs says in what two servers hold different models; empty where they tell nothing that differs.
func (f *facts) differs(other *facts) string {
	unequal := func(a, b int64) bool { return a != 0 && b != 0 && a != b }
	switch {
	case unequal(f.parameters, other.parameters):
		return fmt.Sprintf("%d parameters against %d", f.parameters, other.parameters)
	case unequal(f.bytes, other.bytes):
		return fmt.Sprintf("%d bytes against %d", f.bytes, other.bytes)
	case unequal(int64(f.trained), int64(other.trained)):
		return fmt.Sprintf("trained for %d tokens against %d", f.trained, other.trained)
	case f.root != "" && other.root != "" && f.root != other.root:
		return fmt.Sprintf("%s against %s", f.root, other.root)
	}
	return ""
}

// ask finds out what is behind the protocol, each engine by what only it has.
func (s *server) facts(ctx context.Context, of listed) facts {
	f := facts{trained: of.Meta.Trained, parameters: of.Meta.Parameters, bytes: of.Meta.Bytes}
	var props struct {
		Slots    int    `json:"total_slots"`
		Build    string `json:"build_info"`
		Template string `json:"chat_template"`
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	var version struct {
		Version string `json:"version"`
	}
	switch {
	case s.call(ctx, "props", nil, &props) == nil && props.Slots > 0:
		f.engine, f.version, f.slots, f.context = llamaServer, props.Build, props.Slots, props.Settings.Context
		f.template = props.Template
	case of.Owner == "vllm":
		f.engine, f.context, f.root = vLLM, of.Context, of.Root
		_ = s.call(ctx, "version", nil, &version)
		f.version = version.Version
	case s.call(ctx, "api/version", nil, &version) == nil && version.Version != "":
		f.engine, f.version = ollama, version.Version
		f.context = s.loadedByOllama(ctx, of.ID)
	default:
		f.context = of.Context
		s.knownToLMStudio(ctx, of.ID, &f)
	}
	tokens, err := s.tokenize(ctx, f.engine, of.ID, "Which of these?")
	f.tokenizes = err == nil && len(tokens) > 0
	return f
}

// loadedByOllama is the context of a model that Ollama has loaded; 0 where it has not.
func (s *server) loadedByOllama(ctx context.Context, model string) int {
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if s.call(ctx, "api/ps", nil, &running) != nil {
		return 0
	}
	for _, m := range running.Models {
		if m.Name == model || m.Name == model+":latest" {
			return m.Context
		}
	}
	return 0
}

func (s *server) knownToLMStudio(ctx context.Context, model string, f *facts) {
	var list struct {
		Data []struct {
			ID      string `json:"id"`
			Loaded  int    `json:"loaded_context_length"`
			Longest int    `json:"max_context_length"`
		} `json:"data"`
	}
	if s.call(ctx, "api/v0/models", nil, &list) != nil {
		return
	}
	for _, m := range list.Data {
		if m.ID == model && m.Longest > 0 {
			f.engine, f.context, f.trained = lmStudio, m.Loaded, m.Longest
		}
	}
}

// tokenize has a server split a text, as it would a prompt.
func (s *server) tokenize(ctx context.Context, engine, model, text string) ([]int32, error) {
	var split struct {
		Tokens []int32 `json:"tokens"`
	}
	asked := map[string]any{"content": text, "add_special": true, "parse_special": true}
	switch engine {
	case llamaServer:
	case vLLM:
		asked = map[string]any{"model": model, "prompt": text, "add_special_tokens": true}
	default:
		return nil, errUncounted
	}
	err := s.call(ctx, "tokenize", asked, &split)
	return split.Tokens, err
}

// fold has a server write a conversation down; errUnwritten where it does not do that.
func (s *server) fold(ctx context.Context, messages []message, variables map[string]any) (string, error) {
	var folded struct {
		Prompt string `json:"prompt"`
	}
	if s.known().engine != llamaServer {
		return "", errUnwritten
	}
	asked := map[string]any{"messages": messages}
	if len(variables) > 0 {
		asked["chat_template_kwargs"] = variables
	}
	if err := s.call(ctx, "apply-template", asked, &folded); err != nil || folded.Prompt == "" {
		return "", cmp.Or(err, errUnwritten)
	}
	return folded.Prompt, nil
}

// message is a part of a conversation, as the protocol has it.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// sent are messages as the protocol has them.
func sent(messages []backends.Message) []message {
	all := make([]message, len(messages))
	for i, m := range messages {
		all[i] = message(m)
	}
	return all
}

// call asks a server what the protocol has no word for, at a path beside the protocol's; with a body it is posted.
func (s *server) call(ctx context.Context, path string, body, into any) error {
	root := *s.address
	root.Path = strings.TrimSuffix(root.Path, "/v1")
	return s.send(ctx, root.JoinPath(path), body, into)
}

// list are the models that a server has.
func (s *server) list(ctx context.Context) (all []listed, err error) {
	var list struct {
		Data []listed `json:"data"`
	}
	err = s.send(ctx, s.address.JoinPath("models"), nil, &list)
	return list.Data, err
}

// statusError is an answer that is none.
type statusError struct {
	code  int
	words string
	about string // the field of the request that it names
	busy  bool   // it may be asked again after the pause
	pause time.Duration
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.code, e.words) }

// send makes a request, and reads its answer, which is JSON. It waits for a busy server as long as ctx lets it.
func (s *server) send(ctx context.Context, to *url.URL, body, into any) error {
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		text, _ = json.Marshal(body) // of strings, numbers and lists
	}
	for {
		err := s.sendOnce(ctx, method, to.String(), text, into)
		var refused *statusError
		if !errors.As(err, &refused) || !refused.busy {
			return err
		}
		if err := servers.WaitFor(ctx, refused.pause, err); err != nil {
			return err
		}
	}
}

func (s *server) sendOnce(ctx context.Context, method, to string, text []byte, into any) error {
	answer, err := s.do(ctx, method, to, text)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		if errors.Is(err, servers.TooLong()) {
			return err
		}
		return errNoJSON
	}
	return nil
}

// stream posts a request, and has take take the events of the answer until that ends, or take says that the text is done.
func (s *server) stream(ctx context.Context, path string, body any, take func(event) (bool, error)) error {
	text, _ := json.Marshal(body) // of strings, numbers and lists, and of what JSON was
	answer, err := s.do(ctx, http.MethodPost, s.address.JoinPath(path).String(), text)
	if err != nil {
		return err
	}
	answer.Body = ended{io.MultiReader(answer.Body, strings.NewReader("\n\n")), answer.Body}
	events := ssestream.NewStream[event](ssestream.NewDecoder(answer), nil)
	defer events.Close()
	for events.Next() {
		if done, err := take(events.Current()); done || err != nil {
			return err
		}
	}
	return events.Err()
}

// ended is a stream of events whose last one is whole though the server left out the empty line behind it.
type ended struct {
	io.Reader
	io.Closer
}

// do makes a request. Nothing is read from the environment here: a key that is meant for another server is not sent to this one.
func (s *server) do(ctx context.Context, method, to string, text []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	answer, err := s.client.Do(r)
	if err != nil || answer.StatusCode == http.StatusOK {
		return answer, err
	}
	defer answer.Body.Close()
	refused := &statusError{code: answer.StatusCode}
	refused.words, refused.about = words(answer.Body)
	refused.words = cmp.Or(refused.words, http.StatusText(refused.code))
	refused.busy, refused.pause = servers.Busy(refused.code, answer.Header, time.Now())
	return nil, refused
}

// words are what a server says of an error, whole, and of which field: what is secret in them is not hidden yet. They are empty where
// it says nothing.
func words(body io.Reader) (said, about string) {
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	var detailed struct {
		Message string `json:"message"`
		Field   string `json:"param"`
	}
	_ = json.NewDecoder(body).Decode(&answer)
	extra(answer.Error, &detailed)
	if detailed.Message == "" {
		extra(answer.Error, &detailed.Message)
	}
	return detailed.Message, detailed.Field
}

// find is the wanted model in a list: by its id, or by the name of the file that the id is the path of; without a name the only one.
func find(wanted string, all []listed) (listed, bool) {
	for _, same := range []func(listed) bool{
		func(l listed) bool { return l.ID == wanted },
		func(l listed) bool { return l.ID == wanted+":latest" },
		func(l listed) bool {
			return strings.HasSuffix(l.ID, "/"+wanted) || strings.HasSuffix(l.ID, "/"+wanted+".gguf")
		},
	} {
		if i := slices.IndexFunc(all, same); i >= 0 && wanted != "" {
			return all[i], true
		}
	}
	if wanted == "" && len(all) == 1 {
		return all[0], true
	}
	return listed{}, false
}

// names are those of models, for an error.
func names(all []listed) string {
	const most = 8
	ids := make([]string, 0, most)
	for _, l := range all[:min(most, len(all))] {
		ids = append(ids, l.ID)
	}
	text := strings.Join(ids, ", ")
	if more := len(all) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
