package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/scripts/tests/errortest"
)

// thinker is a server whose model thinks for a number of tokens; it keeps the requests that it got.
func thinker(t *testing.T, engine string, thoughts int, sent *map[string]any) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	owner := "somebody"
	switch engine {
	case llamaServer:
		mux.HandleFunc("/props", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"total_slots":1,"chat_template":"<think>"}`)
		})
		mux.HandleFunc("/apply-template", func(w http.ResponseWriter, r *http.Request) {
			var asked struct{ Messages []message }
			if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
				t.Error(err)
			}
			fmt.Fprintf(w, `{"prompt":%q}`, "user: "+asked.Messages[0].Content)
		})
	case vLLM:
		owner = "vllm"
	case ollama:
		mux.HandleFunc("/api/version", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"version":"0.17.4"}`) })
	}
	mux.HandleFunc("/tokenize", func(w http.ResponseWriter, r *http.Request) { // a token for each word
		var asked struct{ Content, Prompt string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		json.NewEncoder(w).Encode(map[string]any{"tokens": make([]int32, len(strings.Fields(asked.Content+asked.Prompt)))})
	})
	mux.HandleFunc("/v1/models", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"data":[{"id":"m","owned_by":%q}]}`, owner)
	})
	mux.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(sent); err != nil {
			t.Error(err)
		}
		var lines []string
		for range thoughts {
			lines = append(lines, `{"choices":[{"index":0,"delta":{"reasoning_content":"hm "}}]}`)
		}
		events(w, append(lines, `{"choices":[{"index":0,"delta":{"content":"The answer is (B)."},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":9,"completion_tokens":90}}`)...)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestEachEngineGetsItsOwnBudgetOfThinking(t *testing.T) {
	for engine, keys := range map[string][]string{
		llamaServer: {"thinking_budget_tokens", "reasoning_budget_tokens"}, vLLM: {"thinking_token_budget"},
	} {
		t.Run(engine, func(t *testing.T) {
			var sent map[string]any
			var said strings.Builder
			log := func(_ slog.Level, text string) { said.WriteString(text) }
			m := at(t, Options{Asking: servers.Asking{Log: log}}, thinker(t, engine, 16, &sent))
			b := backends.Budget{Tokens: []int{16}, Way: backends.Tags}
			if err := m.CheckBudget(b); err != nil {
				t.Fatal(err)
			}
			think := true // a variable of the template goes beside the budget
			r := backends.Request{
				ID: "1", Messages: []backends.Message{{Role: "user", Content: "Which?"}}, MaxTokens: 100, Budget: &b, Think: &think,
			}
			c := one(t, m, r)
			if !c.Closed || c.Text != "<think>"+strings.Repeat("hm ", 16)+"</think>The answer is (B)." {
				t.Errorf("%+v", c)
			}
			for _, key := range keys {
				if sent[key] != 16.0 {
					t.Errorf("%s is %v", key, sent[key])
				}
			}
			if sent["max_tokens"] != float64(100+b.Room()) {
				t.Errorf("a cap of %v", sent["max_tokens"])
			}
			if said.Len() > 0 {
				t.Errorf("warned: %s", said.String())
			}
			if tags := [3]any{sent["reasoning_budget_start_tag"], sent["reasoning_budget_end_tag"], sent["reasoning_budget_message"]}; engine == llamaServer &&
				tags != [3]any{"<think>", "</think>", "\n"} || engine != llamaServer && tags != [3]any{} {
				t.Errorf("its marks are %v", tags)
			}
			thinks := r
			thinks.Think = new(bool) // goes with a budget
			for key := range sent {
				delete(sent, key)
			}
			if one(t, m, thinks); sent[keys[0]] != 16.0 || sent["chat_template_kwargs"] == nil {
				t.Errorf("with --think: %v", sent)
			}
			r.Budget = nil
			if c := one(t, m, r); c.Closed || sent["max_tokens"] != 100.0 {
				t.Errorf("without a budget: %+v, a cap of %v", c, sent["max_tokens"])
			}
		})
	}
}

// heedless is a model of a server that thinks as long as it does, whatever the budget is, and what is said of that.
func heedless(t *testing.T, engine string, thoughts int) (*Model, *strings.Builder) {
	t.Helper()
	said := &strings.Builder{}
	log := func(_ slog.Level, text string) { said.WriteString(text) }
	return at(t, Options{Asking: servers.Asking{Log: log}}, thinker(t, engine, thoughts, &map[string]any{})), said
}

func TestABudgetThatIsNotHeededIsSaid(t *testing.T) {
	m, said := heedless(t, vLLM, 80)
	b := backends.Budget{Tokens: []int{4}, Way: backends.Tags}
	one(t, m, backends.Request{ID: "1", Messages: []backends.Message{{Role: "user", Content: "Which?"}}, MaxTokens: 100, Budget: &b})
	if !strings.Contains(said.String(), "80 tokens of thinking with a budget of 4: this server does not heed it") {
		t.Errorf("said %q", said.String())
	}
}

func TestBudgetsThatServersCannotKeepAreRefused(t *testing.T) {
	one := backends.Budget{Tokens: []int{16}, Way: backends.Tags}
	several := one
	several.Tokens = []int{4, 16}
	for _, test := range []struct {
		engine string
		budget backends.Budget
		want   string
	}{
		{"", one, "does not say what it is"},
		{ollama, one, "the API of Ollama at"},
		{llamaServer, several, "a server closes thinking at one budget"},
	} {
		var sent map[string]any
		err := at(t, Options{}, thinker(t, test.engine, 1, &sent)).CheckBudget(test.budget)
		errortest.Says(t, err, test.want)
	}
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"data":[{"id":"m"}],"total_slots":1,"chat_template":"{{ messages[0].content }}"}`)
	}))
	defer plain.Close()
	errortest.Says(t, at(t, Options{}, plain).CheckBudget(one), "has no marks of thinking that are known")
}

func TestEachEngineIsToldTheEffortOfReasoning(t *testing.T) {
	for engine, place := range map[string]string{llamaServer: "chat_template_kwargs", vLLM: "", ollama: ""} {
		var sent map[string]any
		m := at(t, Options{}, thinker(t, engine, 2, &sent))
		m.SetEffort("high")
		think := true
		one(t, m, backends.Request{
			ID: "1", Messages: []backends.Message{{Role: "user", Content: "Which?"}}, MaxTokens: 100, Think: &think,
		})
		if place != "" {
			inner, _ := sent[place].(map[string]any)
			if sent = inner; inner["enable_thinking"] != true {
				t.Errorf("%s: %v", engine, inner)
			}
		}
		if sent["reasoning_effort"] != "high" {
			t.Errorf("%s was sent %v", engine, sent)
		}
	}
}
