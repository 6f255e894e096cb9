package backendtest

import (
	"slices"
	"testing"

	"proctor/backends"
)

// Answers asks a model, demands one completion of each request, and returns them by their ids. each, where it is not
// nil, is called with the number of completions so far.
func Answers(
	t testing.TB, model backends.Model, requests []backends.Request, each func(done int),
) map[string]backends.Completion {
	t.Helper()
	all, err := Ask(t, model, requests, each)
	if err != nil || len(all) != len(requests) {
		t.Fatalf("%d of %d requests were done: %v", len(all), len(requests), err)
	}
	return all
}

// Ask is [Answers] for a Generate that may fail: it returns what was done until then, and demands only that nothing was
// done twice.
func Ask(
	t testing.TB, model backends.Model, requests []backends.Request, each func(done int),
) (map[string]backends.Completion, error) {
	t.Helper()
	all := map[string]backends.Completion{}
	err := model.Generate(t.Context(), slices.Values(requests), func(c backends.Completion) error {
		if _, twice := all[c.ID]; twice {
			t.Errorf("%s was done twice", c.ID)
		}
		if all[c.ID] = c; each != nil {
			each(len(all))
		}
		return nil
	})
	return all, err
}

// After calls then once the first n completions are there.
func After(n int, then func()) (each func(done int)) {
	return func(done int) {
		if done == n {
			then()
		}
	}
}
