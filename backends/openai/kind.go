package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/servers"
)

// A kind is an engine or a service behind the protocol: what its requests take beyond that, in which spelling.
type kind struct {
	name  string
	owner string // of its models, where its list says that
	// takes are the parts of a sampling that it has beyond the protocol, and what it calls them: all are sent, since it
	// has defaults of its own; nil where nobody knows: then it gets those that are set, by the names that llama.cpp gave
	// them.
	takes    map[string]string
	allKept  int      // its top_k that keeps all tokens
	service  bool     // its template and thinking are its own; what is unset of a sampling is not sent
	budgets  []string // what its versions call the number of tokens after which thinking is closed
	splits   []string // what a request to split a text calls it, and which switches it turns on; nil for none
	versions string   // where one that is known by its owner says its version
}

var (
	// what llama.cpp calls the parts of a sampling, and the engines that follow the transformers library
	llamaSampling = map[string]string{"top_k": "top_k", "min_p": "min_p", "repeat_penalty": "repeat_penalty"}
	hubSampling   = map[string]string{"top_k": "top_k", "min_p": "min_p", "repeat_penalty": "repetition_penalty"}

	hubSplits = []string{"prompt", "add_special_tokens"}
)

// The kinds that are known, from their sources and documentation: servers/serverstest has a double of each, which names
// them.
var (
	llamaServer = &kind{name: "llama-server", takes: llamaSampling, // its forks and its router, too
		splits:  []string{"content", "add_special", "parse_special"},
		budgets: []string{"thinking_budget_tokens", "reasoning_budget_tokens"}}
	vLLM = &kind{name: "vLLM", owner: "vllm", takes: hubSampling, allKept: -1, splits: hubSplits, versions: "version",
		budgets: []string{"thinking_token_budget"}}
	sglang = &kind{name: "SGLang", owner: "sglang", takes: hubSampling, allKept: -1, splits: hubSplits,
		versions: "server_info"}
	lmStudio = &kind{name: "LM Studio", takes: llamaSampling}
	ollama   = &kind{name: "Ollama", takes: map[string]string{}}
	openAI   = &kind{name: "OpenAI", owner: "system", takes: map[string]string{}, service: true}
	xAI      = &kind{name: "xAI", owner: "xai", takes: map[string]string{}, service: true}
	gemini   = &kind{name: "Gemini", owner: "google", takes: map[string]string{}, service: true}
	unnamed  = &kind{} // LiteLLM among them
)

// rootName is the name of a model in the folder or repository that vLLM and SGLang name: a folder may be another path
// on another machine, and a snapshot in Hugging Face's cache is named by its commit.
func rootName(root string) string {
	if root == "" {
		return ""
	}
	for part := range strings.SplitSeq(root, "/") {
		if _, repository, is := strings.Cut(part, "models--"); is {
			return repository[strings.LastIndex(repository, "--")+2:]
		}
	}
	return path.Base(root)
}

// named is a model's name for people: that of its file, where a server lists its path.
func named(id string) string {
	if name, is := strings.CutSuffix(id, ".gguf"); is {
		return path.Base(strings.ReplaceAll(name, `\`, "/"))
	}
	return id
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

// identify finds out what is behind the protocol, each kind by what only it has. The error is that of a server which is
// not ready.
func (s *server) identify(ctx context.Context, of listed) (facts, error) {
	f := facts{kind: unnamed, Facts: servers.Facts{Context: of.Context, Model: backends.ModelInfo{Ref: of.ID,
		Name: named(of.ID), Parameters: of.Meta.Parameters, SizeBytes: of.Meta.Bytes, ContextLength: of.Meta.Trained}}}
	owner := strings.TrimSuffix(of.Owner, "-frontend-rs") // of vLLM's other one
	for _, k := range []*kind{vLLM, sglang, openAI, xAI, gemini} {
		if k.owner == owner {
			f.kind = k
		}
	}
	if f.versions != "" {
		f.version = s.version(ctx, f.versions)
	} else {
		is, err := s.isLlama(ctx, &f)
		if err != nil {
			return f, err
		}
		if !is && !s.isOllama(ctx, &f) {
			s.isLMStudio(ctx, &f)
		}
	}
	f.Engine = strings.TrimSpace(cmp.Or(f.Engine, f.name) + " " + f.version)
	f.Slotted = f.kind == llamaServer || f.kind == ollama
	tokens, err := s.tokenize(ctx, f, "Which of these?")
	if f.Counts = err == nil && len(tokens) > 0; f.Counts {
		f.begins = s.bos(ctx, f)
	}
	return f, nil
}

// version is what a server says at a path for it; empty where it says none.
func (s *server) version(ctx context.Context, path string) string {
	var said struct {
		Version string `json:"version"`
	}
	_ = s.call(ctx, path, nil, &said)
	return said.Version
}

// isLlama knows llama-server and its forks by their properties. A router has them of each model that it runs. While a
// llama-server loads its model it lists that, and refuses everything else.
func (s *server) isLlama(ctx context.Context, f *facts) (bool, error) {
	type properties struct {
		Role     string `json:"role"`
		Slots    int    `json:"total_slots"`
		Build    string `json:"build_info"`
		Template string `json:"chat_template"`
		Settings struct {
			Context int                        `json:"n_ctx"`
			Params  map[string]json.RawMessage `json:"params"`
		} `json:"default_generation_settings"`
	}
	var own properties
	if err := s.call(ctx, "props", nil, &own); err != nil {
		if refusal, is := errors.AsType[*servers.Refusal](err); is && refusal.Means(time.Now()).Busy {
			return false, err
		}
		return false, nil
	}
	props := own
	if own.Role == "router" {
		f.Engine, props = "llama.cpp's router", properties{Build: own.Build}
		_ = s.call(ctx, "props?model="+url.QueryEscape(f.Model.Ref), nil, &props) // fails while the model is not loaded
	} else if own.Slots == 0 {
		return false, nil
	}
	f.kind, f.version, f.template = llamaServer, cmp.Or(props.Build, own.Build), props.Template
	f.Slots, f.Context, f.Recommended = props.Slots, props.Settings.Context, drawnBy(props.Settings.Params)
	return true, nil
}

// isOllama knows Ollama by its version; its context is that of a model which it has loaded, 0 for others.
func (s *server) isOllama(ctx context.Context, f *facts) bool {
	version := s.version(ctx, "api/version")
	if version == "" {
		return false
	}
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	f.kind, f.version, f.Context = ollama, version, 0
	_ = s.call(ctx, "api/ps", nil, &running)
	for _, m := range running.Models {
		if m.Name == f.Model.Ref || m.Name == f.Model.Ref+":latest" {
			f.Context = m.Context
		}
	}
	return true
}

// isLMStudio knows LM Studio by its own list.
func (s *server) isLMStudio(ctx context.Context, f *facts) {
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
		if m.ID == f.Model.Ref && m.Longest > 0 {
			f.kind, f.Context, f.Model.ContextLength = lmStudio, m.Loaded, m.Longest
			return
		}
	}
}

// tokenize has a server split a text, as it would a prompt.
func (s *server) tokenize(ctx context.Context, known facts, text string) ([]int32, error) {
	if known.splits == nil {
		return nil, servers.ErrUnable
	}
	body := map[string]any{"model": known.Model.Ref, known.splits[0]: text}
	for _, name := range known.splits[1:] {
		body[name] = true
	}
	var split struct {
		Tokens []int32 `json:"tokens"`
	}
	err := s.call(ctx, "tokenize", body, &split)
	return split.Tokens, err
}

// bos spells the token that a server puts before every prompt; empty where it puts none, or does not say.
func (s *server) bos(ctx context.Context, known facts) string {
	tokens, err := s.tokenize(ctx, known, "")
	if err != nil || len(tokens) != 1 {
		return ""
	}
	var spelled struct{ Content, Prompt, Text string } // by llama-server, vLLM, SGLang
	body := map[string]any{"model": known.Model.Ref, "tokens": tokens, "skip_special_tokens": false}
	if err := s.call(ctx, "detokenize", body, &spelled); err != nil {
		return ""
	}
	return cmp.Or(spelled.Content, spelled.Prompt, spelled.Text)
}

// find is the wanted model in a list: by its id, or by the name of the file that the id is the path of; without a name
// the only one. The error is a [servers.Final] one.
func (s *server) find(wanted string, all []listed) (listed, error) {
	var fit []listed
	for _, same := range []func(id string) bool{
		func(id string) bool { return wanted == "" || id == wanted },
		func(id string) bool { return id == wanted+":latest" },
		func(id string) bool {
			return strings.HasSuffix(id, "/"+wanted) || strings.HasSuffix(id, "/"+wanted+".gguf")
		},
	} {
		if len(fit) == 0 {
			fit = slices.DeleteFunc(slices.Clone(all), func(l listed) bool { return !same(l.ID) })
		}
	}
	switch {
	case len(all) == 0:
		return listed{}, servers.Final("%s has no model", s.Name())
	case len(fit) == 0:
		return listed{}, &servers.Error{Cause: backends.CauseGone, Final: true,
			Text: fmt.Sprintf("%s has no model %q, it has %s", s.Name(), wanted, names(all))}
	case len(fit) > 1:
		return listed{}, servers.Final("%s has the models %s: name one of them, as in openai:%s", s.Name(), names(fit),
			fit[0].ID)
	}
	return fit[0], nil
}

// names lists models in an error.
func names(all []listed) string {
	var ids []string
	for _, l := range all {
		ids = append(ids, l.ID)
	}
	return servers.Listed(ids)
}

// llamaDefaults are llama.cpp's own numbers, where neither a model's file nor the command line says others.
var llamaDefaults = map[string]float64{"temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05}

// drawnBy is how llama-server draws the tokens of a request that says nothing of it, by its properties: as the
// model's file says, but for what its command line says, and then by llama.cpp's defaults. It is nil where these
// alone hold.
func drawnBy(properties map[string]json.RawMessage) *backends.Recommendation {
	said, order := map[string]float64{}, []string(nil)
	for name, raw := range properties {
		if x := 0.0; json.Unmarshal(raw, &x) == nil && string(raw) != "null" {
			said[name] = x
		}
	}
	extra(properties["samplers"], &order)
	r := backends.Recommend("the server", said, order)
	if r == nil {
		return nil
	}
	own := r.Lacks != ""
	for name := range r.From {
		if x, is := llamaDefaults[name]; is && float32(said[name]) == float32(x) {
			r.From[name] = "llama.cpp's default"
		} else {
			own = true
		}
	}
	if !own {
		return nil
	}
	return r
}
