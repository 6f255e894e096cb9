package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/servers"
)

// A kind is an engine or a service behind the protocol: what its requests take beyond that, in which spelling.
type kind struct {
	name  string
	owner string // of its models, where its list says that
	// takes are the parts of a sampling that it has beyond the protocol, and what it calls them; nil where nobody knows: then it gets
	// those that are set, by the names that llama.cpp gave them.
	takes    map[string]string
	allKept  int                                     // its top_k that keeps all tokens
	whole    bool                                    // it fills in what a request leaves out with defaults of its own, so that all it takes is sent
	service  bool                                    // its template and thinking are its own; what is unset of a sampling is not sent
	budgets  []string                                // what its versions call the number of tokens after which thinking is closed
	tokenize func(model, text string) map[string]any // its request to split a text; nil for none
}

// llamaSampling are llama.cpp's names.
var llamaSampling = map[string]string{"top_k": "top_k", "min_p": "min_p", "repeat_penalty": "repeat_penalty"}

// hubSampling are those of the engines that follow the transformers library.
var hubSampling = map[string]string{"top_k": "top_k", "min_p": "min_p", "repeat_penalty": "repetition_penalty"}

// The kinds that are known, from their sources and documentation: servers/serverstest has a double of each, which names them.
var (
	llamaServer = &kind{name: "llama-server", takes: llamaSampling, whole: true,
		budgets: []string{"thinking_budget_tokens", "reasoning_budget_tokens"}, tokenize: llamaTokenize}
	router = &kind{name: "llama.cpp's router", takes: llamaSampling, whole: true,
		budgets: llamaServer.budgets, tokenize: llamaTokenize}
	vLLM = &kind{name: "vLLM", owner: "vllm", takes: hubSampling, allKept: -1, whole: true, budgets: []string{"thinking_token_budget"},
		tokenize: func(model, text string) map[string]any {
			return map[string]any{"model": model, "prompt": text, "add_special_tokens": true}
		}}
	sglang   = &kind{name: "SGLang", owner: "sglang", takes: hubSampling, allKept: -1, whole: true}
	lmStudio = &kind{name: "LM Studio", takes: llamaSampling, whole: true}
	ollama   = &kind{name: "Ollama", takes: map[string]string{}}
	openAI   = &kind{name: "OpenAI", owner: "system", takes: map[string]string{}, service: true}
	xAI      = &kind{name: "xAI", owner: "xai", takes: map[string]string{}, service: true}
	gemini   = &kind{name: "Gemini", owner: "google", takes: map[string]string{}, service: true}
	unnamed  = &kind{} // LiteLLM among them
)

func llamaTokenize(model, text string) map[string]any {
	return map[string]any{"model": model, "content": text, "add_special": true, "parse_special": true}
}

// llama says whether a server is llama.cpp's own.
func (k *kind) llama() bool { return k == llamaServer || k == router }

// facts hold what a server reports about itself and the model, beyond the protocol. What it does not report is zero.
type facts struct {
	*kind
	version    string
	slots      int // requests that it answers at a time
	context    int // tokens of one of them
	trained    int // tokens the model was trained for
	parameters int64
	bytes      int64
	root       string                   // of vLLM and SGLang: the model's folder or repository
	template   string                   // of llama-server: the model's chat template
	drawn      *backends.Recommendation // of llama-server: how it draws tokens where a request does not say; nil for its defaults
	tokenizes  bool
	begins     string // of one that tokenizes: what the token is called that it puts before every prompt; empty for none
}

// withoutBOS leaves out the token that begins a prompt, where a chat template wrote it and the server adds it again.
func (f facts) withoutBOS(prompt string) string { return strings.TrimPrefix(prompt, f.begins) }

// differs says in what two servers hold different models; empty where nothing that they report differs. A folder may be another path on
// another machine.
func (f *facts) differs(other *facts) string {
	unequal := func(a, b int64) bool { return a != 0 && b != 0 && a != b }
	switch {
	case unequal(f.parameters, other.parameters):
		return fmt.Sprintf("%d parameters against %d", f.parameters, other.parameters)
	case unequal(f.bytes, other.bytes):
		return fmt.Sprintf("%d bytes against %d", f.bytes, other.bytes)
	case unequal(int64(f.trained), int64(other.trained)):
		return fmt.Sprintf("trained for %d tokens against %d", f.trained, other.trained)
	case f.root != "" && other.root != "" && path.Base(f.root) != path.Base(other.root):
		return fmt.Sprintf("%s against %s", f.root, other.root)
	}
	return ""
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

// facts finds out what is behind the protocol, each kind by what only it has.
func (s *server) facts(ctx context.Context, of listed) facts {
	f := facts{kind: unnamed, trained: of.Meta.Trained, parameters: of.Meta.Parameters, bytes: of.Meta.Bytes, context: of.Context, root: of.Root}
	for _, known := range []func(context.Context, string, *facts) bool{s.asLlama, s.asOllama, s.asLMStudio} {
		if of.Owner != vLLM.owner && of.Owner != sglang.owner && known(ctx, of.ID, &f) {
			break
		}
	}
	for _, k := range []*kind{vLLM, sglang, openAI, xAI, gemini} {
		if f.kind == unnamed && of.Owner == k.owner {
			f.kind = k
		}
	}
	var version struct {
		Version string `json:"version"`
	}
	switch f.kind {
	case vLLM:
		_ = s.call(ctx, "version", nil, &version)
	case sglang:
		_ = s.call(ctx, "server_info", nil, &version)
	}
	f.version = cmp.Or(f.version, version.Version)
	tokens, err := s.tokenize(ctx, f.kind, of.ID, "Which of these?")
	if f.tokenizes = err == nil && len(tokens) > 0; f.tokenizes {
		f.begins = s.bos(ctx, f.kind, of.ID)
	}
	return f
}

// asLlama knows llama-server and its forks by their properties. A router has them of each model that it runs.
func (s *server) asLlama(ctx context.Context, model string, f *facts) bool {
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
	if s.call(ctx, "props", nil, &own) != nil {
		return false
	}
	props, of := own, llamaServer
	if own.Role == "router" {
		props, of = properties{Build: own.Build}, router
		_ = s.call(ctx, "props?model="+url.QueryEscape(model), nil, &props) // fails while the model is not loaded
	} else if own.Slots == 0 {
		return false
	}
	f.kind, f.version, f.slots, f.context, f.template = of, cmp.Or(props.Build, own.Build), props.Slots, props.Settings.Context, props.Template
	f.drawn = drawnBy(props.Settings.Params)
	return true
}

// asOllama knows Ollama by its version; its context is that of a model which it has loaded, 0 for others.
func (s *server) asOllama(ctx context.Context, model string, f *facts) bool {
	var version struct {
		Version string `json:"version"`
	}
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if s.call(ctx, "api/version", nil, &version) != nil || version.Version == "" {
		return false
	}
	f.kind, f.version, f.context = ollama, version.Version, 0
	_ = s.call(ctx, "api/ps", nil, &running)
	for _, m := range running.Models {
		if m.Name == model || m.Name == model+":latest" {
			f.context = m.Context
		}
	}
	return true
}

func (s *server) asLMStudio(ctx context.Context, model string, f *facts) bool {
	var list struct {
		Data []struct {
			ID      string `json:"id"`
			Loaded  int    `json:"loaded_context_length"`
			Longest int    `json:"max_context_length"`
		} `json:"data"`
	}
	if s.call(ctx, "api/v0/models", nil, &list) != nil {
		return false
	}
	for _, m := range list.Data {
		if m.ID == model && m.Longest > 0 {
			f.kind, f.context, f.trained = lmStudio, m.Loaded, m.Longest
		}
	}
	return f.kind == lmStudio
}

// tokenize has a server split a text, as it would a prompt.
func (s *server) tokenize(ctx context.Context, of *kind, model, text string) ([]int32, error) {
	var split struct {
		Tokens []int32 `json:"tokens"`
	}
	if of.tokenize == nil {
		return nil, errUncounted
	}
	err := s.call(ctx, "tokenize", of.tokenize(model, text), &split)
	return split.Tokens, err
}

// bos spells the token that a server puts before every prompt; empty where it puts none, or does not say.
func (s *server) bos(ctx context.Context, of *kind, model string) string {
	tokens, err := s.tokenize(ctx, of, model, "")
	if err != nil || len(tokens) != 1 {
		return ""
	}
	var spelled struct{ Content, Prompt string } // by llama-server, by vLLM
	if err := s.call(ctx, "detokenize", map[string]any{"model": model, "tokens": tokens}, &spelled); err != nil {
		return ""
	}
	return cmp.Or(spelled.Content, spelled.Prompt)
}

// find is the wanted model in a list: by its id, or by the name of the file that the id is the path of; without a name the only one. The
// error is [servers.Conclusive].
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
		return listed{}, servers.Conclude("%s has no model", s.Name())
	case len(fit) == 0:
		return listed{}, servers.Conclude("%w", &servers.Error{Cause: backends.CauseGone,
			Text: fmt.Sprintf("%s has no model %q, it has %s", s.Name(), wanted, names(all))})
	case len(fit) > 1:
		return listed{}, servers.Conclude("%s has the models %s: name one of them, as in openai:%s", s.Name(), names(fit),
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

// llamaDefault is who says a number that llama-server has where neither its model's file nor its command line says
// another.
const llamaDefault = "llama.cpp's default"

// llamaDefaults are llama.cpp's own numbers.
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
	own := len(r.From)
	for name, x := range llamaDefaults {
		if now, is := said[name]; is && r.From[name] != "" && float32(now) == float32(x) {
			r.From[name] = llamaDefault
			own--
		}
	}
	if own == 0 && r.Lacks == "" {
		return nil
	}
	return r
}

// Recommended implements [backends.Recommender].
func (m *Model) Recommended() *backends.Recommendation { return m.first.known().drawn }
