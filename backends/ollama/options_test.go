package ollama

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ollama/ollama/api"

	"proctor/backends"
)

func TestEveryOptionIsSent(t *testing.T) {
	f := newFake(t)
	var got api.GenerateRequest
	whole := f.generate
	f.generate = func(w http.ResponseWriter, r api.GenerateRequest) {
		got = r
		whole(w, r)
	}
	layers := 7
	m := openFake(t, Options{Context: 640, Threads: 3, GPULayers: &layers}, f)
	one(t, m, backends.Request{
		Prompt: "  <s> as it is\n", MaxTokens: 17, Stop: []string{"", "Question:"},
		Sampling: backends.Sampling{Temperature: 0.5, TopK: 5, TopP: 0.9, MinP: 0.1, Seed: 1<<32 - 1},
	})
	if !got.Raw || got.Prompt != "  <s> as it is\n" || got.Think.Bool() || *got.Truncate || *got.Shift || got.KeepAlive.Duration <= 0 {
		t.Errorf("%+v", got)
	}
	options, _ := json.Marshal(got.Options)
	const want = `{"frequency_penalty":0,"min_p":0.1,"num_ctx":640,"num_gpu":7,"num_keep":0,` +
		`"num_predict":17,"num_thread":3,"presence_penalty":0,` +
		`"repeat_last_n":0,"repeat_penalty":1,"seed":4294967294,"stop":["Question:"],"temperature":0.5,"top_k":5,"top_p":0.9,"typical_p":1}`
	if string(options) != want {
		t.Errorf("got  %s\nwant %s", options, want)
	}
	one(t, m, backends.Request{Sampling: backends.Sampling{RepeatPenalty: 1.2, PresencePenalty: 0.5, FrequencyPenalty: -0.25}})
	options, _ = json.Marshal(got.Options)
	contains(t, string(options), `"repeat_penalty":1.2`, `"presence_penalty":0.5`, `"frequency_penalty":-0.25`, `"repeat_last_n":64`)
	one(t, openFake(t, Options{}, f), backends.Request{})
	options, _ = json.Marshal(got.Options)
	contains(t, string(options), `"num_gpu":-1`, `"num_thread":0`, `"temperature":0,`, `"top_p":1,`, `"stop":[]`, `"seed":0`)
}

func TestOptionsThatCannotBe(t *testing.T) {
	for name, o := range map[string]Options{
		"no name":                {},
		"a negative context":     {Name: "fake", Context: -1},
		"too many requests":      {Name: "fake", Concurrency: 1 << 20},
		"a host with a password": {Name: "fake", Hosts: []string{"me:secret@example.com"}},
	} {
		if m, err := Open(t.Context(), o); err == nil {
			m.Close()
			t.Errorf("%s is taken", name)
		}
	}
}

func TestAModelThatAServerLacksIsSaidWithThoseItHas(t *testing.T) {
	f := newFake(t)
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			json.NewEncoder(w).Encode(api.ListResponse{Models: []api.ListModelResponse{{Name: "other:latest"}, {Name: "more:7b"}}})
		case "/api/show":
			w.WriteHeader(http.StatusNotFound)
			w.Write([]byte(`{"error":"model 'fake' not found"}`))
		default:
			f.Config.Handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(outer.Close)
	_, err := Open(t.Context(), Options{Name: "fake", Hosts: []string{outer.URL}})
	fails(t, err, `has no model "fake", it has other:latest, more:7b: `, "ollama pull fake")
}
