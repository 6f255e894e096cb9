package ollama

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama/ollamatest"
	"proctor/backends/servers"
	"proctor/backends/servers/serverstest"
)

// everyOne demands that each request has one completion with a text.
func everyOne(t *testing.T, requests []backends.Request, all map[string]backends.Completion) {
	t.Helper()
	if len(all) != len(requests) {
		t.Errorf("%d completions of %d requests", len(all), len(requests))
	}
	for _, r := range requests {
		if c := all[r.ID]; c.Finish == backends.FinishError || c.Finish == "" {
			t.Errorf("%s: finish %q, cause %q, error %q", r.ID, c.Finish, c.Cause, c.Error)
		}
	}
}

// askAnd asks, and calls at once the first n completions are there.
func askAnd(t *testing.T, m *Model, requests []backends.Request, n int, then func()) map[string]backends.Completion {
	t.Helper()
	all, err := gather(t, m, requests, func(done int) {
		if done == n {
			then()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestServersWithDifferentModelsAreRefused(t *testing.T) {
	a, b := serve(t, ollamatest.Options{}), ollamatest.New(t, ollamatest.Options{})
	create(t, b, "control", control, "{{ .System }} {{ .Prompt }}")
	_, err := Open(t.Context(), Options{Name: "control", Hosts: []string{a.Host(), b.Host()}})
	fails(t, err, a.Host(), b.Host(), "template")
	if digests := regexp.MustCompile(`[0-9a-f]{64}`).FindAllString(fmt.Sprint(err), -1); len(digests) != 2 || digests[0] == digests[1] {
		t.Errorf("%v does not name two digests", err)
	}
}

func TestAModelThatIsUnloadedIsLoadedAgain(t *testing.T) {
	s := serve(t, ollamatest.Options{Parallel: 2})
	m := openControl(t, Options{Concurrency: 2, Context: 512}, s.Host())
	requests := items(20)
	all := askAnd(t, m, requests, 5, func() {
		unload := &api.GenerateRequest{Model: "control", KeepAlive: &api.Duration{}}
		if err := s.Client().Generate(t.Context(), unload, func(api.GenerateResponse) error { return nil }); err != nil {
			t.Error(err)
		}
	})
	everyOne(t, requests, all)
	if !strings.Contains(s.Log(), "runner terminated and removed from list") && strings.Count(s.Log(), "starting runner") < 2 {
		t.Error("the server did not unload the model")
	}
}

func TestAModelThatIsDeletedFailsTheRest(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	m := openControl(t, Options{Concurrency: 2, Context: 512, Asking: servers.Asking{Patience: 300 * time.Millisecond}}, s.Host())
	requests := items(20)
	all := askAnd(t, m, requests, 5, func() {
		if err := s.Client().Delete(t.Context(), &api.DeleteRequest{Model: "control"}); err != nil {
			t.Error(err)
		}
	})
	if last := requests[len(requests)-1].ID; len(all) != len(requests) {
		t.Errorf("%d completions of %d requests", len(all), len(requests))
	} else {
		failed(t, all[last], backends.CauseConnection, s.Host(), "ollama pull control")
	}
}

func TestOnlyTheHostsThatWereNamedAreAsked(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	a, b := serve(t, ollamatest.Options{}), serve(t, ollamatest.Options{})
	recorder := &serverstest.Recorder{}
	m := openControl(t, Options{Context: 512, Asking: servers.Asking{Transport: recorder}}, a.Host(), b.Host())
	if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
		t.Fatal(err)
	}
	requests := items(12)
	all, err := ask(t, m, requests...)
	if err != nil {
		t.Fatal(err)
	}
	everyOne(t, requests, all)
	want := []string{a.Host(), b.Host()}
	slices.Sort(want)
	if got := recorder.Hosts(); !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
}

func TestTheModelIsDescribedAsItsFileIs(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	m := openControl(t, Options{Context: 512}, s.Host())
	info, err := m.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	file, err := gguf.Open(control)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := file.SHA256(t.Context())
	want := llamacpp.Describe(file, "ollama:control", sum)
	if err != nil {
		t.Fatal(err)
	}
	// The name and the chat template are those of the server.
	want.Name, want.ChatTemplateSHA256 = "control:latest", info.Model.ChatTemplateSHA256
	if !reflect.DeepEqual(info.Model, want) || len(want.ChatTemplateSHA256) != 64 {
		t.Errorf("the server says\n%+v, the file\n%+v", info.Model, want)
	}
	version, err := s.Client().Version(t.Context())
	if e := info.Engine; err != nil || e.Name != "ollama" || e.Version != version || e.Context != 512 || e.Threads != 1 ||
		e.GPULayers != -1 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestAModelThatIsNotThere(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Options{})
	_, err := Open(t.Context(), Options{Name: "qwen3:0.6b", Hosts: []string{s.Host()}})
	fails(t, err, s.Host(), "ollama pull qwen3:0.6b", "pull")
}

func TestNoServer(t *testing.T) {
	_, err := Open(t.Context(), Options{Name: "control", Hosts: []string{"127.0.0.1:1"}})
	fails(t, err, "127.0.0.1:1", "refused", "ollama serve", "OLLAMA_HOST")
}

func TestTheServerGivesUpOnALoop(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	m := openControl(t, Options{Context: 512, Concurrency: 1}, s.Host())
	loop := backends.Request{Prompt: strings.Repeat("0", 200), MaxTokens: 100}
	c := one(t, m, loop)
	if c.Finish != backends.FinishLength || c.Cause != backends.CauseLoop || c.Tries != 1 ||
		!strings.HasPrefix(c.Text, strings.Repeat("0", 31)) || c.Usage.OutputTokens != 31 {
		t.Errorf("%+v", c)
	}
	loop.MaxTokens = 20
	if c := one(t, m, loop); c.Finish != backends.FinishLength || c.Cause != backends.CauseLength || c.Usage.OutputTokens != 20 {
		t.Errorf("%+v", c)
	}
}
