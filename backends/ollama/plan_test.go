package ollama

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/scripts/tests/errortest"
)

func TestThePlanFixesTheContext(t *testing.T) {
	const trained = 4096
	for name, test := range map[string]struct {
		given int
		work  backends.Workload
		want  int
		words []string
	}{
		"what the longest prompt needs":   {0, backends.Workload{PromptTokens: 1500, MaxTokens: 500}, 2000, nil},
		"what the model was trained for":  {0, backends.Workload{PromptTokens: 4000, MaxTokens: 500}, trained, nil},
		"what was given":                  {3000, backends.Workload{PromptTokens: 1500, MaxTokens: 500}, 3000, nil},
		"prompts that nobody counted":     {0, backends.Workload{MaxTokens: 500}, trained, nil},
		"less than the prompts need":      {1900, backends.Workload{PromptTokens: 1500, MaxTokens: 500}, 0, []string{"context 2000"}},
		"more than the model was trained": {5000, backends.Workload{}, 0, []string{"4096"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			m := openFake(t, Options{Settings: backends.Settings{Context: test.given, Concurrency: 1}}, f)
			answer := f.handler
			f.handler = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("it got %s", r.URL.Path) })
			forecast, failed := m.Forecast(t.Context(), test.work)
			f.handler = answer
			a, err := m.Plan(t.Context(), test.work)
			if test.words != nil {
				errortest.Says(t, failed, test.words...)
				errortest.Says(t, err, test.words...)
				return
			}
			assert.Check(t, err == nil && a.Context == test.want && a.Slots == 1, "%+v, %v; want a context of %d", a, err, test.want)
			assert.NilError(t, failed)
			assert.Check(t, forecast.Context == test.want && forecast.Duration == 0, "%+v", forecast)
			contains(t, forecast.Description, fmt.Sprint("a context of ", test.want))
		})
	}
}

// Where the model's file is elsewhere, a server counts the longest prompt, with room for a token a byte.
func TestAServerCountsTheLongestPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		bytes, read, want int // num_ctx while it is counted, and of the run
	}{
		"it fits":                       {2000, 2001, 2000/4 + 500},
		"it is longer than was trained": {40_000, 4096, 4096},
	} {
		f := newFake(t)
		var requests []api.GenerateRequest
		whole := f.generate
		f.generate = func(w http.ResponseWriter, r api.GenerateRequest) {
			requests = append(requests, r)
			if len(r.Prompt)/4 > 4096 {
				w.WriteHeader(http.StatusBadRequest)
				io.WriteString(w, `{"error":"the input length exceeds the context length"}`)
				return
			}
			whole(w, r)
		}
		m := openFake(t, Options{Settings: backends.Settings{Concurrency: 1}}, f)
		work := backends.Workload{Longest: strings.Repeat("word ", c.bytes/5), MaxTokens: 500}
		forecast, err := m.Forecast(t.Context(), work)
		assert.Check(t, err == nil && len(requests) == 0 &&
			strings.Contains(forecast.Description, "counts the longest prompt"), "%+v, %v", forecast, err)
		a, err := m.Plan(t.Context(), work)
		assert.Check(t, err == nil && a.Context == c.want, "%s: %+v, %v", name, a, err)
		assert.Equal(t, len(requests), 1)
		assert.Equal(t, fmt.Sprint(requests[0].Options["num_ctx"], requests[0].Options["num_predict"]), fmt.Sprint(c.read, 1),
			name)
	}
}

// Versions that can't be kept from cutting a prompt are not asked.
func TestAVersionThatCutsPromptsIsRefused(t *testing.T) {
	for version, refused := range map[string]bool{"0.12.5": true, "0.3.14": true, "0.12.6": false, "0.13.0-rc1": false,
		"0.0.0": false} {
		f := newFake(t)
		f.version = version
		m, err := Open(t.Context(), Options{Settings: backends.Settings{Model: "ollama:fake", Servers: []string{f.URL}},
			ClientOptions: servers.ClientOptions{Transport: f.network.Transport()}})
		if refused {
			errortest.For(t, version, err, "Ollama "+version, "cuts long prompts without a word", "0.12.6 or later")
			continue
		}
		assert.NilError(t, err)
		m.Close()
	}
}

func TestAModelThatSpillsIsNoted(t *testing.T) {
	f := newFake(t)
	m := openFake(t, Options{Settings: backends.Settings{Concurrency: 1}}, f)
	_, err := m.Plan(t.Context(), backends.Workload{})
	assert.NilError(t, err)
	info, err := m.Info(t.Context())
	assert.NilError(t, err)
	contains(t, strings.Join(info.Notes, "\n"), "Only 60 % of the model is on the GPU of fake:80")
}

func TestForgettingUnloadsTheModelAndLoadsItAgain(t *testing.T) {
	f := newFake(t)
	m := openFake(t, Options{Settings: backends.Settings{Concurrency: 1}, Vocabulary: vocabularyOfFake}, f)
	r := backends.Request{Prompt: "What was asked before?"}
	one(t, m, r)
	got := one(t, m, r).Usage.ReusedTokens
	assert.Assert(t, got != 0, "nothing is reused of the same prompt")
	assert.NilError(t, m.Forget(t.Context()))
	assert.Check(t, f.unloads == 1 && !f.unloaded, "unloaded %d times, and loaded again: %t", f.unloads, !f.unloaded)
	assert.Check(t, is.Equal(one(t, m, r).Usage.ReusedTokens, 0))
}

func TestEveryOptionIsSent(t *testing.T) {
	f := newFake(t)
	var got api.GenerateRequest
	whole := f.generate
	f.generate = func(w http.ResponseWriter, r api.GenerateRequest) {
		got = r
		whole(w, r)
	}
	const layers = 7
	m := openFake(t, Options{Settings: backends.Settings{Context: 640, Threads: 3, GPULayers: layers}}, f)
	one(t, m, backends.Request{
		Prompt: "  <s> as it is\n", MaxTokens: 17, Stop: []string{"", "Question:"},
		Sampling: backends.Sampling{Temperature: 0.5, TopK: 5, TopP: 0.9, MinP: 0.1, Seed: 1<<32 - 1},
	})
	assert.Check(t, got.Raw && got.Prompt == "  <s> as it is\n" && !got.Think.Bool() && !*got.Truncate && !*got.Shift &&
		got.KeepAlive.Duration > 0, "%+v", got)
	options, _ := json.Marshal(got.Options)
	const want = `{"frequency_penalty":0,"min_p":0.1,"num_ctx":640,"num_gpu":7,"num_keep":0,` +
		`"num_predict":17,"num_thread":3,"presence_penalty":0,` +
		`"repeat_last_n":0,"repeat_penalty":1,"seed":4294967294,"stop":["Question:"],"temperature":0.5,"top_k":5,"top_p":0.9,"typical_p":1}`
	assert.Check(t, string(options) == want, "got  %s\nwant %s", options, want)
	one(t, m, backends.Request{Sampling: backends.Sampling{RepeatPenalty: 1.2, PresencePenalty: 0.5, FrequencyPenalty: -0.25}})
	options, _ = json.Marshal(got.Options)
	contains(t, string(options), `"repeat_penalty":1.2`, `"presence_penalty":0.5`, `"frequency_penalty":-0.25`, `"repeat_last_n":64`)
	one(t, openFake(t, Options{}, f), backends.Request{})
	options, _ = json.Marshal(got.Options)
	contains(t, string(options), `"num_gpu":-1`, `"num_thread":0`, `"temperature":0,`, `"top_p":1,`, `"stop":[]`, `"seed":0`)
}

func TestAModelThatAServerLacksIsSaidWithThoseItHas(t *testing.T) {
	f := newFake(t)
	all := f.handler
	f.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			say(w, api.ListResponse{Models: []api.ListModelResponse{{Name: "other:latest"}, {Name: "more:7b"}}})
		case "/api/show":
			http.Error(w, `{"error":"model 'fake' not found"}`, http.StatusNotFound)
		default:
			all.ServeHTTP(w, r)
		}
	})
	_, err := Open(t.Context(), Options{Settings: backends.Settings{Model: "ollama:fake", Servers: []string{f.URL}},
		ClientOptions: servers.ClientOptions{Transport: f.network.Transport()}})
	errortest.Says(t, err, `has no model "fake", it has other:latest, more:7b: `, "ollama pull fake")
	_, err = Open(t.Context(), Options{})
	errortest.Says(t, err, "the model's name is empty: give ollama:NAME")
}

func TestLayersAreNumGPU(t *testing.T) {
	for layers, want := range map[backends.Layers]int{
		0: -1, backends.AutoLayers: -1, backends.NoLayers: 0, 7: 7, backends.AllLayers: int(backends.AllLayers),
	} {
		m := Model{options: Options{Settings: backends.Settings{GPULayers: layers}}}
		assert.Equal(t, m.gpuLayers(), want)
	}
}
