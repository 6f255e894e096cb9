package ollama

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
	"golang.org/x/mod/semver"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// A server is one that may hold the model, and Ollama's own client of it.
type server struct {
	*api.Client
	address *url.URL
	model   *Model // nil where it is only asked what it has

	facts atomic.Pointer[facts] // nil until it was met

	mu     sync.Mutex
	before []int32 // tokens of the last prompt
}

// facts hold what a server reports about the model, beside [servers.Facts].
type facts struct {
	thinks    bool   // the server knows how to switch its thinking on and off
	converses bool   // it has a way to write conversations down: a renderer in code, or a template that marks turns
	template  string // the server's own, in the language of Go's templates
	version   string
	stop      []string // stop strings of the model's turns
}

var _ servers.Protocol = (*server)(nil)

// truncates is the first version that refuses a prompt which is too long, where a request forbids to cut it; unknown
// is what builds without a version say.
const (
	truncates = "v0.12.6"
	unknown   = "v0.0.0"
)

// Name implements [servers.Protocol].
func (s *server) Name() string { return s.address.Host }

// Facts implements [servers.Protocol].
func (s *server) Facts(ctx context.Context, _ *servers.Facts) (servers.Facts, error) {
	name := s.model.name
	show, err := s.Show(ctx, &api.ShowRequest{Model: name})
	err = plain(err, "/api/show")
	refusal, refused := errors.AsType[*servers.Refusal](err)
	if refused && refusal.Code == http.StatusNotFound {
		return servers.Facts{}, servers.Final("%s has no model %q%s: `ollama pull %s` there gets it", s.Name(), name,
			s.others(ctx), name)
	}
	if refused && refusal.Code < http.StatusInternalServerError {
		return servers.Facts{}, servers.Final("%s: %v", s.Name(), refusal)
	}
	if err != nil {
		return servers.Facts{}, err
	}
	if show.RemoteHost != "" {
		return servers.Facts{}, servers.Final("the model cannot be used: %s would pass the prompts on to %s: take one that "+
			"it runs itself", s.Name(), show.RemoteHost)
	}
	if len(show.Capabilities) > 0 && !slices.Contains(show.Capabilities, model.CapabilityCompletion) {
		return servers.Facts{}, servers.Final("the model cannot be used: at %s it completes no text: it can %v", s.Name(),
			show.Capabilities)
	}
	version, err := s.Version(ctx)
	if err != nil {
		return servers.Facts{}, err
	}
	if v := "v" + version; semver.IsValid(v) && semver.Compare(v, unknown) > 0 && semver.Compare(v, truncates) < 0 {
		return servers.Facts{}, servers.Final("%s has Ollama %s, which cuts long prompts without a word: update it to %s "+
			"or later", s.Name(), version, truncates[1:])
	}
	running, err := s.ListRunning(ctx)
	if err != nil {
		return servers.Facts{}, err
	}
	stop, recommended := parameters(show.Parameters)
	own := facts{version: version, thinks: slices.Contains(show.Capabilities, model.CapabilityThinking),
		converses: show.Renderer != "" || show.Template != "" && show.Template != bare,
		template:  show.Template, stop: stop}
	s.facts.Store(&own)
	f := servers.Facts{
		Engine: version, Chooses: true, Writes: true, Slotted: true, Recommended: recommended,
		Model: backends.ModelInfo{Name: model.ParseName(name).DisplayShortest(), Quantization: show.Details.QuantizationLevel,
			Parameters: integer(show.ModelInfo["general.parameter_count"]), TensorTypes: tensorTypes(show.Tensors)},
	}
	if weights := fromBlob.FindStringSubmatch(show.Modelfile); weights != nil {
		f.Model.FileSHA256 = weights[1]
	}
	// The digest that Ollama lists will not do: that of a model made by ollama create depends on the folder in which the
	// server keeps it.
	f.Same = []servers.Fact{{Name: "digest of the weights", Value: cmp.Or(f.Model.FileSHA256, "unknown")},
		{Name: "digest of the template, system prompt and parameters", Value: shape(show)}}
	f.Model.Architecture, _ = show.ModelInfo["general.architecture"].(string)
	f.Model.ContextLength = int(integer(show.ModelInfo[f.Model.Architecture+".context_length"]))
	for _, t := range f.Model.TensorTypes {
		f.Model.SizeBytes += t.Bytes
	}
	if own.converses {
		sum := sha256.Sum256([]byte(show.Renderer + show.Template))
		f.Model.ChatTemplateSHA256 = hex.EncodeToString(sum[:])
	}
	for _, r := range running.Models {
		if !model.ParseName(r.Model).EqualFold(model.ParseName(name)) {
			continue
		}
		f.Context, f.Bytes = r.ContextLength, r.Size
		if r.SizeVRAM > 0 && r.SizeVRAM < r.Size {
			f.Notes = append(f.Notes, fmt.Sprintf("Only %d %% of the model is on the GPU of %s, the CPU computes the rest: "+
				"its speed is not the GPU's.", 100*r.SizeVRAM/r.Size, s.Name()))
		}
	}
	return f, nil
}

// others lists in an error which models the server has; nothing where it does not list them.
func (s *server) others(ctx context.Context) string {
	list, err := s.List(ctx)
	if err != nil {
		return ""
	}
	if len(list.Models) == 0 {
		return ", nor any other"
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, m.Name)
	}
	return ", it has " + servers.Listed(names)
}

// keep is how long a server is asked to hold the model after a request: longer than a run ever pauses.
var keep = api.Duration{Duration: 30 * time.Minute}

// Load implements [servers.Protocol].
func (s *server) Load(ctx context.Context, run *servers.Run) error {
	load := &api.GenerateRequest{Model: s.model.name, KeepAlive: &keep, Options: s.loading(run)}
	loaded := false
	err := s.Client.Generate(ctx, load, func(r api.GenerateResponse) error {
		loaded = r.Done
		return nil
	})
	if err == nil && !loaded {
		return servers.ErrEarly
	}
	return plain(err, "/api/generate")
}

// Unload implements [servers.Protocol]: a server lets the model go, with all that it holds of earlier prompts.
func (s *server) Unload(ctx context.Context) error {
	const atMost, pause = time.Minute, 20 * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(ctx, atMost, servers.ErrSilent)
	defer cancel()
	request := &api.GenerateRequest{Model: s.model.name, KeepAlive: &api.Duration{}}
	if err := s.Client.Generate(ctx, request, func(api.GenerateResponse) error { return nil }); err != nil {
		return plain(err, "/api/generate")
	}
	s.sharedWith(nil)
	for {
		facts, err := s.Facts(ctx, nil)
		if err != nil || facts.Context == 0 {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Count implements [servers.Protocol]: the API has no tokenizer.
func (s *server) Count(context.Context, string) ([]int32, error) { return nil, servers.ErrUnable }

// sharedWith notes the prompt that the server is about to get, and returns how many tokens of the one before it begins
// with: those the server still has.
func (s *server) sharedWith(prompt []int32) (shared int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shared = backends.CommonPrefix(prompt, s.before)
	s.before = prompt
	return shared
}

// Generate implements [servers.Protocol].
func (s *server) Generate(ctx context.Context, r *servers.Request, a *servers.Answer) error {
	shared, path, ended := s.sharedWith(r.IDs), "/api/generate", false
	add := func(thinking, text string, done bool, reason string, n api.Metrics) error {
		counted := n.PromptEvalCount > 0 || n.EvalCount > 0
		if done {
			ended, a.HasText = true, true
			a.Finish, a.Prompt, a.Output, a.Cached = cmp.Or(reason, "stop"), n.PromptEvalCount, n.EvalCount, shared
			a.Ending = map[string]servers.Ending{"stop": servers.Whole, "length": servers.Length}[a.Finish]
			a.Timed, a.Prefill, a.Decode = counted, n.PromptEvalDuration, n.EvalDuration
		}
		err := a.Add(thinking, text, "")
		// the server gave up on a model that kept repeating itself
		if done && !counted && a.Ending == servers.Whole && !a.Stopped() {
			a.Loops = true
		}
		return err
	}
	var err error
	if r.Messages != nil {
		path = "/api/chat"
		err = s.Client.Chat(ctx, s.chat(r), func(c api.ChatResponse) error {
			return add(c.Message.Thinking, c.Message.Content, c.Done, c.DoneReason, c.Metrics)
		})
	} else {
		err = s.Client.Generate(ctx, s.raw(r), func(g api.GenerateResponse) error {
			return add("", g.Response, g.Done, g.DoneReason, g.Metrics)
		})
	}
	if err == nil && !ended { // Ollama's client takes an error without a text for an empty answer
		return servers.ErrEarly
	}
	return plain(err, path)
}

// raw is a request to continue a text, without a template.
func (s *server) raw(r *servers.Request) *api.GenerateRequest {
	// Without the word on thinking, Ollama takes thinking out of a raw answer too, where the model knows it.
	return &api.GenerateRequest{
		Model: s.model.name, Prompt: s.model.withoutBOS(r.Prompt), Raw: true, Think: &api.ThinkValue{Value: false},
		KeepAlive: &keep, Truncate: new(bool), Shift: new(bool), Options: s.settings(r, r.Stop),
	}
}

// chat is a request for the next turn of a conversation. The item's own stop strings are not for the server, which
// would end the model's thinking with them too.
func (s *server) chat(r *servers.Request) *api.ChatRequest {
	chat := &api.ChatRequest{Model: s.model.name, KeepAlive: &keep, Truncate: new(bool), Shift: new(bool),
		Options: s.settings(r, s.facts.Load().stop)}
	for _, message := range r.Messages {
		chat.Messages = append(chat.Messages, api.Message{Role: message.Role, Content: message.Content})
	}
	if r.Think != nil {
		chat.Think = &api.ThinkValue{Value: *r.Think}
	}
	if r.Effort != "" {
		chat.Think = &api.ThinkValue{Value: r.Effort}
	}
	return chat
}

// Chat implements [servers.Protocol].
func (s *server) Chat(ctx context.Context, r *servers.Request) (text string, err error) {
	chat, shown := s.chat(r), false
	chat.DebugRenderOnly = true
	err = s.Client.Chat(ctx, chat, func(c api.ChatResponse) error {
		if c.DebugInfo == nil {
			return servers.Final("version %s does not show how it renders a conversation: take %s, name a template with %s, "+
				"or update the server", s.facts.Load().version, setting.Prompt.As("raw"), setting.ChatTemplate)
		}
		shown, text = true, c.DebugInfo.RenderedTemplate
		return nil
	})
	if err == nil && !shown {
		return "", servers.ErrEarly
	}
	return text, plain(err, "/api/chat")
}

// settings are all options that may change an answer: what is left out, Ollama fills in from the Modelfile or with
// defaults of its own, such as a penalty for repeating a word.
func (s *server) settings(r *servers.Request, stop []string) map[string]any {
	window := 0
	if r.Sampling.Penalises() {
		window = backends.PenaltyWindow
	}
	settings := s.loading(r.Run)
	maps.Copy(settings, map[string]any{
		"num_predict": r.MaxTokens, "stop": slices.DeleteFunc(append([]string{}, stop...),
			func(s string) bool { return s == "" }),
		"temperature": r.Sampling.Temperature, "typical_p": 1.0, "repeat_last_n": window, "num_keep": 0,
		"seed": min(int64(r.Sampling.Seed), math.MaxUint32-1), // the largest means "draw one" to llama.cpp
	})
	for part := range r.Sampling.Parts() { // Ollama has the same names
		settings[part.Name] = part.Value
	}
	return settings
}

// loading are the options with which the model is loaded. They never change, or each change would load it again.
func (s *server) loading(run *servers.Run) map[string]any {
	return map[string]any{"num_ctx": run.Context, "num_gpu": s.model.gpuLayers(), "num_thread": s.model.options.Threads}
}

// plain is an error of Ollama's client as a [servers.Refusal], where it is one.
func plain(err error, path string) error {
	if refused, is := errors.AsType[api.StatusError](err); is {
		return &servers.Refusal{Code: refused.StatusCode, Path: path, Words: refused.ErrorMessage}
	}
	if _, is := errors.AsType[api.AuthorizationError](err); is {
		return &servers.Refusal{Code: http.StatusUnauthorized, Path: path}
	}
	return err
}

// shape is a digest of what is served beside the weights.
func shape(show *api.ShowResponse) string {
	parameters := slices.Sorted(strings.Lines(show.Parameters + "\n")) // they come in any order
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %q %+v", show.Template, show.Renderer, show.Parser, show.System, parameters,
		show.Messages)
	return hex.EncodeToString(sum.Sum(nil))
}

// bare is the template that Ollama gives models whose own template it does not know: it marks no turns.
const bare = "{{ .Prompt }}"

// fromBlob finds the weights' file in a Modelfile: the name of a file in Ollama's store is its SHA-256.
var fromBlob = regexp.MustCompile(`(?m)^FROM\s.*sha256[-:]([0-9a-f]{64})\s*$`)

// parameters are the stop strings among the parameters of a model's Modelfile, and the sampling that they recommend,
// nil where they recommend none. They come a line each: name, blanks, value as Go writes it.
func parameters(text string) (stop []string, recommended *backends.Recommendation) {
	said := map[string]float64{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimSpace(value)
		if text, err := strconv.Unquote(value); name == "stop" && err == nil && text != "" {
			stop = append(stop, text)
		}
		if x, err := strconv.ParseFloat(value, 64); err == nil {
			said[name] = x
		}
	}
	return stop, backends.Recommend("the Modelfile", said, nil)
}

// tensorTypes counts the tensors by their types, the one with most bytes first; nil where one of them has an unknown type.
func tensorTypes(tensors []api.Tensor) (all []backends.TensorType) {
	for _, t := range tensors {
		elements := int64(1)
		for _, n := range t.Shape {
			elements *= int64(n)
		}
		bytes, known := gguf.Bytes(t.Type, elements)
		if !known {
			return nil
		}
		i := slices.IndexFunc(all, func(c backends.TensorType) bool { return c.Type == t.Type })
		if i < 0 {
			i, all = len(all), append(all, backends.TensorType{Type: t.Type})
		}
		all[i].Tensors++
		all[i].Bytes += bytes
	}
	slices.SortStableFunc(all, func(a, b backends.TensorType) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all
}

// integer reads a number as JSON gives it.
func integer(v any) int64 {
	n, _ := v.(float64)
	return int64(n)
}
