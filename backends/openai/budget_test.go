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
	"proctor/backends/setting"
	"proctor/scripts/tests/errortest"
)

// thinker is a server whose model thinks for a number of tokens, and splits texts at spaces.
func thinker(engine *kind, thoughts int) *fake {
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
	return at(t, Options{ClientOptions: servers.ClientOptions{Log: func(_ slog.Level, text string) { said.WriteString(text) }}}, f), said
}

func TestEachEngineGetsItsOwnBudgetOfThinking(t *testing.T) {
	for engine, keys := range map[*kind][]string{
		llamaServer: {"thinking_budget_tokens", "reasoning_budget_tokens"}, vLLM: {"thinking_token_budget"},
	} {
		t.Run(engine.name, func(t *testing.T) {
			f := thinker(engine, 16)
			m, said := hearing(t, f)
			b := backends.Budget{Tokens: []int{16}, Way: backends.Tags}
			assert.NilError(t, m.CheckBudget(b))
			for _, think := range []bool{true, false} { // a variable of the template goes beside the budget
				c := one(t, m, backends.Request{Messages: conversation, MaxTokens: 100, Budget: &b, Think: &think})
				assert.Check(t, c.Closed && c.Text == "<think>"+strings.Repeat("hm ", 16)+"</think>The answer is (B).", "%+v", c)
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
	assert.Check(t, strings.Contains(said.String(), "80 tokens of thinking with a budget of 4: this server does not heed it"),
		"said %q", said.String())
}

func TestBudgetsThatServersCannotKeepAreRefused(t *testing.T) {
	plain := newFake(yes)
	plain.said["/props"] = `{"total_slots":1,"chat_template":"{{ messages[0].content }}"}`
	for _, c := range []struct {
		server *fake
		tokens []int
		want   string
	}{
		{thinker(unnamed, 1), []int{16}, "does not say what it is"},
		{thinker(ollama, 1), []int{16}, "the API of Ollama at"},
		{thinker(llamaServer, 1), []int{4, 16}, "a server closes thinking at one budget"},
		{plain, []int{16}, "has no </think>: give its marks of thinking with think marks OPEN,CLOSE"},
	} {
		errortest.Says(t, at(t, Options{}, c.server).CheckBudget(backends.Budget{Tokens: c.tokens, Way: backends.Tags}), c.want)
	}
}

func TestEachEngineIsToldTheEffortOfReasoning(t *testing.T) {
	for _, engine := range []*kind{llamaServer, vLLM, ollama} {
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
		assert.Equal(t, sent["reasoning_effort"], "high", engine.name)
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

// What people have sent goes with every request, and is journalled without what is secret.
func TestABodyIsSentWhole(t *testing.T) {
	for _, c := range []struct {
		body  string
		sent  map[string]any
		shown string
	}{
		{
			`{"reasoning_effort":"low","n_keep":12345678901234567890,"nested":{"a":[1,null]}}`,
			map[string]any{"reasoning_effort": "low", "n_keep": 12345678901234567890.0, "nested": map[string]any{"a": []any{1.0, nil}}},
			`{"n_keep":12345678901234567890,"nested":{"a":[1,null]},"reasoning_effort":"low"}`,
		}, {
			`{"api_key":"sk-1","user":"by sk-of-the-server","list":[{"password":"p"}]}`,
			map[string]any{"api_key": "sk-1", "user": "by sk-of-the-server"},
			`{"api_key":"[secret]","list":[{"password":"[secret]"}],"user":"by [secret]"}`,
		},
	} {
		body := backends.Body{Source: setting.Source{Given: "@body.json", Text: c.body}}
		f := newFake(yes)
		m := at(t, Options{Settings: backends.Settings{Body: body}, Key: "sk-of-the-server"}, f)
		one(t, m, question)
		for field, want := range c.sent {
			assert.DeepEqual(t, f.last()[field], want)
		}
		assert.Equal(t, f.last()["prompt"], question.Prompt)
		info, err := m.Info(t.Context())
		assert.NilError(t, err)
		assert.Equal(t, string(info.Engine.ExtraBody), c.shown)
	}
}

// Every field that is sent anyway is refused, whatever the engine and the request.
func TestABodyOverwritesNothing(t *testing.T) {
	f := newFake(yes)
	one(t, at(t, Options{}, f), backends.Request{
		Prompt: "Question", Stop: []string{"END"}, MaxTokens: 7, Sampling: backends.Sampling{RepeatPenalty: 1.1},
	})
	for field := range f.last() {
		_, err := ParseBody(typed(`{"a":1,"` + field + `":1}`))
		errortest.For(t, field, err, fmt.Sprintf("%q: proctor sets this field itself", field))
	}
	for text, want := range map[string]string{
		`{"temperature":1}`:             `"temperature": proctor sets this field itself, so leave it out: give temperature`,
		`{"messages":[]}`:               `"messages": proctor sets this field itself`,
		`{"chat_template_kwargs":{}}`:   "give template arg",
		`{"a.b":1}`:                     `"a.b": a field's name has letters, digits, _ and - only`,
		`{}`:                            "give a JSON object with at least one field",
		`[1]`:                           "cannot unmarshal array",
		`{"a":1} {"b":2}`:               "something follows the object",
		`{"a":`:                         "unexpected EOF: give a JSON object",
		`{"api_key":"x"}`:               "a field looks secret",
		`{"a":{"Authorization":"b c"}}`: "a field looks secret",
		`{"a":[{"access_token":"b"}]}`:  "a field looks secret",
	} {
		_, err := ParseBody(typed(text))
		errortest.For(t, text, err, want)
	}
	for _, plain := range []string{`{"min_tokens":1}`, `{"stop_token_ids":[1]}`, `{"thinking_token_budget":5}`, `{"keyboard":"x"}`, `{"key":null}`} {
		if _, err := ParseBody(typed(plain)); err != nil {
			t.Errorf("%s: %v", plain, err)
		}
	}
}

// typed is an object on a command line.
func typed(object string) backends.Body { return backends.Body{Source: setting.Source{Given: object}} }

// A key on a command line would be in the journal's flags.
func TestABodyOfACommandLineHasNotTheServersKey(t *testing.T) {
	body := backends.Settings{Body: typed(`{"user":"sk-of-the-server"}`)}
	_, err := unmet(Options{Settings: body, Base: "http://127.0.0.1:1", Key: "sk-of-the-server"})
	errortest.Says(t, err, "extra body has the key or the password of a server")
}
