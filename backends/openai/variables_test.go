package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/scripts/tests/errortest"
)

// templated is a llama-server whose chat template reads enable_thinking and effort, and keeps what each conversation was asked with.
func templated(t *testing.T) (*Model, *[]any) {
	t.Helper()
	var asked []any
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"data":[{"id":"m"}]}`) })
	mux.HandleFunc("/props", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"total_slots":1}`) })
	mux.HandleFunc("/apply-template", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages  []message      `json:"messages"`
			Variables map[string]any `json:"chat_template_kwargs"`
		}
		json.NewDecoder(r.Body).Decode(&body)
		text := fmt.Sprint(body.Messages, body.Variables["enable_thinking"] == true, body.Variables["effort"])
		json.NewEncoder(w).Encode(map[string]string{"prompt": text})
	})
	mux.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		json.NewDecoder(r.Body).Decode(&body)
		asked = append(asked, body["chat_template_kwargs"])
		events(w, `{"choices":[{"index":0,"delta":{"content":" yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	model, err := Open(t.Context(), Options{Base: server.URL, Asking: servers.Asking{Tries: 2}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	return model, &asked
}

var conversation = []backends.Message{{Role: "user", Content: "Which?"}}

func TestAServersTemplateGetsTheVariables(t *testing.T) {
	model, asked := templated(t)
	off := false
	if err := model.ArgueTemplate(map[string]any{"effort": "low"}); err != nil {
		t.Fatal(err)
	}
	text, err := model.Converse(t.Context(), conversation, nil)
	if err != nil || text != "[{user Which?}] falselow" {
		t.Errorf("%q, %v", text, err)
	}
	one(t, model, backends.Request{ID: "1", Messages: conversation, MaxTokens: 2})
	one(t, model, backends.Request{ID: "2", Messages: conversation, Think: &off, MaxTokens: 2})
	if got := fmt.Sprint(*asked); got != "[map[effort:low] map[effort:low enable_thinking:false]]" {
		t.Errorf("the server was asked with %s", got)
	}
}

// A switch may stand as the template has it anyway; a name that changes nothing is a mistake.
func TestAVariableThatChangesNothingIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		variables map[string]any
		want      string // "" for no error
	}{
		"the template's default": {map[string]any{"enable_thinking": false}, ""},
		"a misspelt name":        {map[string]any{"effort": "low", "efort": "low"}, "writes the same with and without template arg efort"},
	} {
		model, _ := templated(t)
		if err := model.ArgueTemplate(c.variables); err != nil {
			t.Fatal(err)
		}
		if _, err := model.Converse(t.Context(), conversation, nil); c.want != "" {
			errortest.For(t, name, err, c.want)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
