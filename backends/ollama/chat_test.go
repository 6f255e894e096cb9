package ollama

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/ollama/ollamatest"
	"proctor/backends/servers/serverstest"
	"proctor/scripts/tests/errortest"
)

// thinker is a template of a model that thinks: the server takes what stands between the tags out of the answer.
const thinker = `{{- range .Messages }}<|{{ .Role }}|>
{{ if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}{{ .Content }}<|end|>
{{ end }}<|assistant|>
{{ if and .IsThinkSet .Think }}<think>{{ end }}`

var conversation = []backends.Message{
	{Role: "system", Content: "Answer the questions."},
	{Role: "user", Content: "Is it so?"},
	{Role: "assistant", Content: "It is so. The answer is (A)."},
	{Role: "user", Content: "Question:\nWhich of these?\nA. one\nB. two\nAnswer: Let's think step by step."},
}

func TestAConversationIsWrittenDownByTheServer(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Options{})
	create(t, s, "control", control, thinker)
	p := serverstest.New(t, s.URL(), serverstest.Options{})
	m := openControl(t, Options{Settings: backends.Settings{Context: 512, Concurrency: 1}}, p.Host())
	assert.Assert(t, m.Converses() != "", "the server has a template, but the model does not converse")
	on, off := true, false
	for name, think := range map[string]*bool{"thinking": &on, "not thinking": &off} {
		text, err := m.Converse(t.Context(), conversation, think)
		assert.NilError(t, err)
		want := "<|system|>\nAnswer the questions.<|end|>\n<|user|>\nIs it so?<|end|>\n" +
			"<|assistant|>\nIt is so. The answer is (A).<|end|>\n<|user|>\n" + conversation[3].Content + "<|end|>\n<|assistant|>\n"
		if *think {
			want += "<think>"
		}
		assert.Check(t, text == want, "%s: written down as %q, want %q", name, text, want)
		c := one(t, m, backends.Request{Messages: conversation, Think: think, MaxTokens: 24})
		ids, err := m.Tokenize(text)
		assert.NilError(t, err)
		assert.Check(t, c.Prompt == text && c.Usage.PromptTokens == len(ids) && c.Usage.OutputTokens >= 2,
			"%s: %+v, the prompt has %d tokens", name, c, len(ids))
		// The control model never closes what the template opened.
		assert.Check(t, strings.HasPrefix(c.Text, "<think>") == *think && !strings.Contains(c.Text, "</think>"), "%s: %q", name, c.Text)
		assert.Check(t, (c.Usage.ThinkingTokens > 0) == *think, "%s: %+v", name, c.Usage)
	}
	info, err := m.Info(t.Context())
	assert.NilError(t, err)
	contains(t, strings.Join(info.Notes, " "), "stop strings", "<|im_end|>")
	assert.Equal(t, p.Count("/api/generate"), 0)
	assert.Equal(t, p.Count("/api/chat"), 6) // each is written down twice, and asked once
}

func TestATemplateThatLeavesAMessageOutIsRefused(t *testing.T) {
	f := newFake(t)
	f.show.Template = thinker
	f.chat = func(w http.ResponseWriter, r api.ChatRequest) {
		assert.Check(t, r.DebugRenderOnly, "it was asked")
		say(w, api.ChatResponse{DebugInfo: &api.DebugInfo{RenderedTemplate: r.Messages[len(r.Messages)-1].Content}})
	}
	m := openFake(t, Options{}, f)
	_, err := m.Converse(t.Context(), conversation, nil)
	errortest.Says(t, err, "leaves out turn 1, the system's", "prompt chat")
	all, err := ask(t, m, backends.Request{ID: "one", Messages: conversation, MaxTokens: 4})
	assert.NilError(t, err)
	failed(t, all["one"], backends.CauseEngine, "leaves out turn 1, the system's")
	_, err = m.Converse(t.Context(), []backends.Message{conversation[3]}, nil)
	assert.NilError(t, err)
}

func TestAModelWithoutATemplateDoesNotConverse(t *testing.T) {
	f := newFake(t)
	m := openFake(t, Options{}, f)
	assert.Check(t, m.Converses() == "", "it does")
	_, err := m.Converse(t.Context(), conversation, nil)
	errortest.Says(t, err, "{{ .Prompt }}", "prompt raw")
	f.show.Template = "{{ range .Messages }}{{ .Content }}{{ end }}"
	m = openFake(t, Options{}, f)
	on := true
	_, err = m.Converse(t.Context(), conversation, &on)
	errortest.Says(t, err, "thinking on auto")
	f.chat = func(w http.ResponseWriter, _ api.ChatRequest) { // of a version that does not know the request for the text
		say(w, api.ChatResponse{Message: api.Message{Content: "Yes."}, Done: true})
	}
	_, err = m.Converse(t.Context(), conversation, nil)
	errortest.Says(t, err, "0.17.4", "prompt raw", "update the server")
}

func TestThinkingIsKeptApart(t *testing.T) {
	line := func(thinking, content string) api.ChatResponse {
		return api.ChatResponse{Message: api.Message{Role: "assistant", Thinking: thinking, Content: content}}
	}
	done := func(reason string, tokens int) api.ChatResponse {
		return api.ChatResponse{Done: true, DoneReason: reason, Metrics: counts(9, tokens)}
	}
	for name, test := range map[string]struct {
		lines    []api.ChatResponse
		stop     []string
		text     string
		finish   backends.Finish
		thinking int
	}{
		"closed": {
			[]api.ChatResponse{line("Is it A? ", ""), line("No.", ""), line("", "The answer"), line("", " is (B)."), done("stop", 6)},
			nil, "<think>Is it A? No.</think>The answer is (B).", backends.FinishStop, len("Is it A? No.") / 4,
		},
		"unclosed": {
			[]api.ChatResponse{line("Is it A? ", ""), line("No.", ""), done("length", 16)},
			nil, "<think>Is it A? No.", backends.FinishLength, len("Is it A? No.") / 4,
		},
		"none": {
			[]api.ChatResponse{line("", "(B)"), done("stop", 2)},
			nil, "(B)", backends.FinishStop, 0,
		},
		"a stop string in it": {
			[]api.ChatResponse{line("Question: ", ""), line("done", ""), line("", "B\n"), done("stop", 5)},
			[]string{"Question:"}, "<think>Question: done</think>B\n", backends.FinishStop, len("Question: done") / 4,
		},
		"a stop string behind": {
			[]api.ChatResponse{line("Hmmm", ""), line("", "B\nQues"), line("", "tion: and"), line("", " on"), done("stop", 5)},
			[]string{"Question:"}, "<think>Hmmm</think>B\n", backends.FinishStop, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.show.Template = thinker
			f.show.Parameters = `stop      "<|end|>"`
			f.chat = func(w http.ResponseWriter, r api.ChatRequest) {
				assert.Check(t, is.DeepEqual(r.Options["stop"], []any{"<|end|>"}))
				for _, l := range test.lines {
					say(w, l)
				}
			}
			c := one(t, openFake(t, Options{Vocabulary: vocabularyOfFake}, f), backends.Request{Prompt: "Is it so?", Messages: conversation, Stop: test.stop})
			assert.Check(t, c.Text == test.text && c.Finish == test.finish && c.Usage.ThinkingTokens == test.thinking, "%+v", c)
		})
	}
}

func TestPlanAndConversationsOutliveErrors(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Options{})
	create(t, s, "control", control, thinker)
	p := serverstest.New(t, s.URL(), serverstest.Options{Seed: 7, Shares: map[serverstest.Kind]float64{
		serverstest.Cut: 0.1, serverstest.Status: 0.1, serverstest.Undone: 0.1, serverstest.Garbage: 0.1,
	}})
	m := openControl(t, Options{Settings: backends.Settings{Context: 512, Concurrency: 1}}, p.Host())
	p.Break(serverstest.Undone, serverstest.Cut, serverstest.Status)
	_, err := m.Plan(t.Context(), backends.Workload{})
	assert.NilError(t, err)
	n := p.Count("/api/generate")
	assert.Check(t, n >= 4, "%d requests to load the model, the first three were broken", n)
	want, err := m.Converse(t.Context(), conversation, nil)
	assert.NilError(t, err)
	for range 20 {
		text, err := m.Converse(t.Context(), conversation, nil)
		assert.Assert(t, err == nil && text == want, "%q, %v", text, err)
	}
}
