package registry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
)

// serve answers raw prompts with a model's completions, by Ollama's protocol and by OpenAI's, until the test ends: the
// real servers cannot be had everywhere. The model's Generate is called by many goroutines at a time. context is the
// most tokens that a request may have, and weights the SHA-256 of the model's file, whose vocabulary an Ollama's client
// may have.
func serve(t testing.TB, model answering, context int, weights string) *url.URL {
	t.Helper()
	s := &served{model}
	mux := http.NewServeMux()
	reply := func(path string, what any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(what) })
	}
	type object = map[string]any
	reply("GET /v1/models", object{"data": []object{{"id": "served"}}})
	reply("GET /props", object{"total_slots": 8, "default_generation_settings": object{"n_ctx": context}})
	reply("GET /api/version", object{"version": "0.17.4"})
	reply("GET /api/ps", object{"models": []object{{"model": "served:latest", "context_length": context}}})
	reply("POST /api/show", object{"template": "{{ .Prompt }}", "modelfile": "FROM /blobs/sha256-" + weights + "\n",
		"model_info": object{"general.architecture": "llama", "llama.context_length": context}})
	mux.HandleFunc("POST /v1/completions", s.completions)
	mux.HandleFunc("POST /tokenize", s.tokenize)
	if begins, can := model.(interface{ BOS() string }); can {
		reply("POST /detokenize", object{"content": begins.BOS()})
	}
	mux.HandleFunc("POST /api/generate", s.generate)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	assert.NilError(t, err)
	return address
}

// nobodys is the SHA-256 of a file that is nowhere: without one no vocabulary is looked for.
const nobodys = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// served is a model behind both protocols.
type served struct{ model answering }

// answering is a model that can be served.
type answering interface {
	backends.Model
	backends.Tokenizer
}

// tokenize splits a text as the model does, by the way of llama-server, which leaves out BOS and reads no special
// tokens unless it is told.
func (s *served) tokenize(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Content string
		Add     bool `json:"add_special"`
		Parse   bool `json:"parse_special"`
	}
	json.NewDecoder(r.Body).Decode(&body)
	if !body.Add || !body.Parse {
		http.Error(w, "these are not the tokens of a prompt", http.StatusBadRequest)
		return
	}
	tokens, err := s.model.Tokenize(body.Content)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"tokens": tokens})
}

// completions answers by OpenAI's protocol.
func (s *served) completions(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Prompt    string   `json:"prompt"`
		MaxTokens int      `json:"max_tokens"`
		Stop      []string `json:"stop"`
	}
	json.NewDecoder(r.Body).Decode(&body)
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(text string, finish any, usage any) {
		line, _ := json.Marshal(map[string]any{
			"choices": []any{map[string]any{"index": 0, "text": text, "finish_reason": finish}}, "usage": usage,
		})
		fmt.Fprintf(w, "data: %s\n\n", line)
		w.(http.Flusher).Flush()
	}
	request := backends.Request{Prompt: body.Prompt, MaxTokens: body.MaxTokens, Stop: body.Stop}
	s.answer(r, request, func(text string) { event(text, nil, nil) }, func(c backends.Completion, written int) {
		event("", c.Finish, map[string]int{"prompt_tokens": c.Usage.PromptTokens, "completion_tokens": written})
		fmt.Fprint(w, "data: [DONE]\n\n")
	})
}

// generate answers by Ollama's protocol.
func (s *served) generate(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Prompt  string `json:"prompt"`
		Options struct {
			MaxTokens int      `json:"num_predict"`
			Stop      []string `json:"stop"`
		} `json:"options"`
	}
	json.NewDecoder(r.Body).Decode(&body)
	say := func(line map[string]any) {
		json.NewEncoder(w).Encode(line)
		w.(http.Flusher).Flush()
	}
	if body.Prompt == "" {
		say(map[string]any{"done": true, "done_reason": "load"})
		return
	}
	request := backends.Request{Prompt: body.Prompt, MaxTokens: body.Options.MaxTokens, Stop: body.Options.Stop}
	s.answer(r, request, func(text string) { say(map[string]any{"response": text}) }, func(c backends.Completion, written int) {
		say(map[string]any{"done": true, "done_reason": c.Finish, "prompt_eval_count": c.Usage.PromptTokens, "eval_count": written,
			"prompt_eval_duration": 1000, "eval_duration": 1000})
	})
}

// answer has the model answer: piece is called with each part of the text, last with the completion and the tokens that servers count.
func (s *served) answer(r *http.Request, request backends.Request, piece func(string), last func(backends.Completion, int)) {
	s.model.Generate(r.Context(), slices.Values([]backends.Request{request}), func(c backends.Completion) error {
		for word := range strings.SplitAfterSeq(c.Text, " ") {
			piece(word)
		}
		written := c.Usage.OutputTokens
		if c.Finish == backends.FinishStop && len(request.Stop) == 0 {
			written++ // the token that ends texts
		}
		last(c, written)
		return nil
	})
}
