package ollama

import (
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/ollama/ollamatest"
	"proctor/backends/servers"
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
			m := openFake(t, Options{Context: test.given, Concurrency: 1}, newFake(t))
			a, err := m.Plan(t.Context(), test.work)
			if test.words != nil {
				fails(t, err, test.words...)
				return
			}
			if err != nil || a.Context != test.want || a.Slots != 1 {
				t.Errorf("%+v, %v; want a context of %d", a, err, test.want)
			}
		})
	}
}

func TestAModelThatSpillsIsNoted(t *testing.T) {
	f := newFake(t)
	m := openFake(t, Options{Concurrency: 1}, f)
	if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
		t.Fatal(err)
	}
	info, err := m.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	contains(t, strings.Join(info.Notes, "\n"), "Only 60 % of the model is on the GPU of "+strings.TrimPrefix(f.URL, "http://"))
}

func TestAFailingProbeIsNoReasonToStop(t *testing.T) {
	f := newFake(t)
	f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) { w.WriteHeader(http.StatusInternalServerError) }
	var mu sync.Mutex
	said := ""
	m := openFake(t, Options{Asking: servers.Asking{Log: func(_ slog.Level, text string) {
		mu.Lock()
		defer mu.Unlock()
		said += text
	}}}, f)
	if a, err := m.Plan(t.Context(), backends.Workload{}); err != nil || a.Slots != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	contains(t, said, "probe", "status 500")
}

var used = regexp.MustCompile(`loading cache slot.* used=(\d+) remaining=(\d+)`)

func TestReusedTokensAreThoseThatTheServerReuses(t *testing.T) {
	for _, n := range []int{1, 3} {
		s := serve(t, ollamatest.Options{Parallel: n, Env: []string{"OLLAMA_DEBUG=1"}})
		m := openControl(t, Options{Context: 512, Concurrency: n}, s.Host())
		if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
			t.Fatal(err)
		}
		requests := items(40)
		all, err := ask(t, m, requests...)
		if err != nil {
			t.Fatal(err)
		}
		everyOne(t, requests, all)
		reckoned, prompts := 0, 0
		for _, c := range all {
			reckoned += c.Usage.ReusedTokens
			prompts += c.Usage.PromptTokens
		}
		reused, whole := 0, 0
		for _, line := range used.FindAllStringSubmatch(s.Log(), -1) {
			from, _ := strconv.Atoi(line[1])
			rest, _ := strconv.Atoi(line[2])
			reused += from
			whole += from + rest
		}
		t.Logf("%d at a time: %d tokens are reckoned to be reused, the server reused %d of %d", n, reckoned, reused, prompts)
		if whole != prompts {
			t.Errorf("the server says it read %d tokens, here it is %d", whole, prompts)
		}
		// The first prompts of several at a time find no cache, and each place has its own.
		if off := max(reckoned-reused, reused-reckoned); n == 1 && off != 0 || off > prompts/20 {
			t.Errorf("%d at a time: reckoned %d, really %d", n, reckoned, reused)
		}
	}
}
