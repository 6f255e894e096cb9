package ollama

import (
	"net/http"
	"strings"
	"testing"

	"proctor/backends"
)

func TestAForecastAsksTheServerNothing(t *testing.T) {
	f := newFake(t)
	m := openFake(t, Options{}, f)
	answer := f.Config.Handler
	f.Config.Handler = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the server got %s", r.URL.Path) })
	got, err := m.Forecast(t.Context(), backends.Workload{Requests: 10, PromptTokens: 1500, MaxTokens: 500})
	if err != nil || got.Context != 2000 || got.Slots != 0 || got.Duration != 0 || !strings.Contains(got.Description, "num_ctx 2000") {
		t.Errorf("%+v, %v", got, err)
	}
	f.Config.Handler = answer
	m = openFake(t, Options{Context: 1900, Concurrency: 3}, f)
	_, err = m.Forecast(t.Context(), backends.Workload{PromptTokens: 1500, MaxTokens: 500})
	fails(t, err, "context 2000")
}
