package openai

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/scripts/tests/errortest"
)

// thinker is a server whose model thinks for a number of tokens, and splits texts at spaces.
func thinker(engine string, thoughts int) *fake {
	lines := slices.Repeat([]string{`{"choices":[{"index":0,"delta":{"reasoning_content":"hm "}}]}`}, thoughts)
	f := newFake(saying(append(lines, `{"choices":[{"index":0,"delta":{"content":"The answer is (B)."},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":9,"completion_tokens":90}}`)...))
	f.replies = map[string]func(map[string]any) any{"/tokenize": func(body map[string]any) any {
		text := fmt.Sprint(body["content"], body["prompt"]) // engines name it differently: the other is <nil>
		return map[string]any{"tokens": make([]int32, len(strings.Fields(strings.ReplaceAll(text, "<nil>", ""))))}
	}}
	switch engine {
	case llamaServer:
		f.said["/props"] = `{"total_slots":1,"chat_template":"<think>"}`
		f.replies["/apply-template"] = func(body map[string]any) any {
			return map[string]any{"prompt": fmt.Sprint("user: ", body["messages"].([]any)[0].(map[string]any)["content"])}
		}
	case vLLM:
		f.said["/v1/models"] = `{"data":[{"id":"m","owned_by":"vllm"}]}`
	case ollama:
		f.said["/api/version"] = `{"version":"0.17.4"}`
	}
	return f
}

// hearing is a model of a server, and what it says to people.
func hearing(t *testing.T, f *fake) (*Model, *strings.Builder) {
	t.Helper()
	said := &strings.Builder{}
	return at(t, Options{Asking: servers.Asking{Log: func(_ slog.Level, text string) { said.WriteString(text) }}}, f), said
}

func TestEachEngineGetsItsOwnBudgetOfThinking(t *testing.T) {
	for engine, keys := range map[string][]string{
		llamaServer: {"thinking_budget_tokens", "reasoning_budget_tokens"}, vLLM: {"thinking_token_budget"},
	} {
		t.Run(engine, func(t *testing.T) {
			f := thinker(engine, 16)
			m, said := hearing(t, f)
			b := backends.Budget{Tokens: []int{16}, Way: backends.Tags}
			assert.NilError(t, m.CheckBudget(b))
			for _, think := range []bool{true, false} { // a variable of the template goes beside the budget
				c := one(t, m, backends.Request{Messages: conversation, MaxTokens: 100, Budget: &b, Think: &think})
				if !c.Closed || c.Text != "<think>"+strings.Repeat("hm ", 16)+"</think>The answer is (B)." {
					t.Errorf("%+v", c)
				}
				sent := f.last()
				for _, key := range keys {
					assert.Equal(t, sent[key], 16.0)
				}
				assert.Equal(t, sent["max_tokens"], float64(100+b.Room()))
				assert.Equal(t, sent["chat_template_kwargs"].(map[string]any)["enable_thinking"], think)
				var marks [3]any
				if engine == llamaServer {
					marks = [3]any{"<think>", "</think>", "\n"}
				}
				assert.Equal(t, marks, [3]any{sent["reasoning_budget_start_tag"], sent["reasoning_budget_end_tag"], sent["reasoning_budget_message"]})
			}
			if c := one(t, m, backends.Request{Messages: conversation, MaxTokens: 100}); c.Closed || f.last()["max_tokens"] != 100.0 {
				t.Errorf("without a budget: %+v, a cap of %v", c, f.last()["max_tokens"])
			}
			assert.Equal(t, said.String(), "")
		})
	}
}

func TestABudgetThatIsNotHeededIsSaid(t *testing.T) {
	m, said := hearing(t, thinker(vLLM, 80))
	b := backends.Budget{Tokens: []int{4}, Way: backends.Tags}
	one(t, m, backends.Request{Messages: conversation, MaxTokens: 100, Budget: &b})
	if !strings.Contains(said.String(), "80 tokens of thinking with a budget of 4: this server does not heed it") {
		t.Errorf("said %q", said.String())
	}
}

func TestBudgetsThatServersCannotKeepAreRefused(t *testing.T) {
	plain := newFake(yes)
	plain.said["/props"] = `{"total_slots":1,"chat_template":"{{ messages[0].content }}"}`
	for _, c := range []struct {
		server *fake
		tokens []int
		want   string
	}{
		{thinker("", 1), []int{16}, "does not say what it is"},
		{thinker(ollama, 1), []int{16}, "the API of Ollama at"},
		{thinker(llamaServer, 1), []int{4, 16}, "a server closes thinking at one budget"},
		{plain, []int{16}, "has no marks of thinking that are known"},
	} {
		errortest.Says(t, at(t, Options{}, c.server).CheckBudget(backends.Budget{Tokens: c.tokens, Way: backends.Tags}), c.want)
	}
}

func TestEachEngineIsToldTheEffortOfReasoning(t *testing.T) {
	for _, engine := range []string{llamaServer, vLLM, ollama} {
		f := thinker(engine, 2)
		m := at(t, Options{}, f)
		m.SetEffort("high")
		think := true
		one(t, m, backends.Request{Messages: conversation, MaxTokens: 100, Think: &think})
		sent := f.last()
		if engine == llamaServer { // by a variable of its template
			sent = sent["chat_template_kwargs"].(map[string]any)
			assert.Equal(t, sent["enable_thinking"], true)
		}
		assert.Equal(t, sent["reasoning_effort"], "high", engine)
	}
}

// templated is a llama-server whose chat template reads enable_thinking and effort.
func templated() *fake {
	f := newFake(func(w http.ResponseWriter, _ map[string]any) {
		events(w, `{"choices":[{"index":0,"delta":{"content":" yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
	})
	f.said["/props"] = `{"total_slots":1}`
	f.replies = map[string]func(map[string]any) any{"/apply-template": func(body map[string]any) any {
		variables, _ := body["chat_template_kwargs"].(map[string]any)
		return map[string]string{"prompt": fmt.Sprint(body["messages"], variables["enable_thinking"] == true, variables["effort"])}
	}}
	return f
}

func TestAServersTemplateGetsTheVariables(t *testing.T) {
	f := templated()
	m := at(t, Options{}, f)
	assert.NilError(t, m.ArgueTemplate(map[string]any{"effort": "low"}))
	text, err := m.Converse(t.Context(), conversation, nil)
	assert.NilError(t, err)
	assert.Equal(t, text, "[map[content:Which? role:user]] falselow")
	off := false
	for want, think := range map[string]*bool{"map[effort:low]": nil, "map[effort:low enable_thinking:false]": &off} {
		one(t, m, backends.Request{Messages: conversation, Think: think, MaxTokens: 2})
		assert.Equal(t, fmt.Sprint(f.last()["chat_template_kwargs"]), want)
	}
}

// A switch may stand as the template has it anyway; a name that changes nothing is a mistake.
func TestAVariableThatChangesNothingIsRefused(t *testing.T) {
	m := at(t, Options{}, templated())
	assert.NilError(t, m.ArgueTemplate(map[string]any{"enable_thinking": false}))
	_, err := m.Converse(t.Context(), conversation, nil)
	assert.NilError(t, err)
	assert.NilError(t, m.ArgueTemplate(map[string]any{"effort": "low", "efort": "low"}))
	_, err = m.Converse(t.Context(), conversation, nil)
	errortest.Says(t, err, "writes the same with and without template arg efort")
}
