package ask_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
)

// A seer is a scripted model that knows its speed, and must not be asked.
type seer struct {
	scripted.Model
	context int
	decode  float64 // tokens a second; 0 where it does not know
	slots   int
}

func (s *seer) Forecast(_ context.Context, w backends.Workload) (backends.Forecast, error) {
	if s.context < w.PromptTokens {
		return backends.Forecast{}, errors.New("a context that is too small")
	}
	return backends.Forecast{
		Allocation: backends.Allocation{Context: s.context, Weights: 2 << 30, Slots: s.slots, Description: "as it was foreseen"},
		Duration:   time.Duration(s.decode), Prefill: 1e9, Decode: s.decode, Source: "the stars",
	}, nil
}

func (s *seer) Plan(context.Context, backends.Workload) (backends.Allocation, error) {
	return backends.Allocation{}, errors.New("planned")
}

// A neighbour is a seer beside other programs, which take a share of the CPUs.
type neighbour struct {
	seer
	share float64
}

func (n *neighbour) Others() backends.Load { return backends.Load{Share: n.share, CPUs: 4} }

func TestASessionSaysWhatItIsGoingToTakeBeforeTheModelPlans(t *testing.T) {
	for name, test := range map[string]struct {
		model backends.Model
		tasks string
		want  []string
	}{
		"a model whose speed is known": {&seer{context: 1 << 20, decode: 2}, "mcq",
			[]string{"2 questions; about 27 to 77 s (the stars); 2.0 GiB of memory"}},
		"beside other programs": {&neighbour{seer{context: 1 << 20, decode: 2}, 0.5}, "mcq",
			[]string{"; about 13 s to 3 min (the stars); other programs take 2.0 of 4 cores; 2.0"}},
		"beside hardly any":    {&neighbour{seer{context: 1 << 20, decode: 2}, 0.05}, "mcq", []string{"; about 25 to 81 s (the stars); 2.0"}},
		"in few of many slots": {&seer{context: 1 << 20, decode: 2, slots: 8}, "mcq", []string{"; about 27 s to 6 min (the stars); 2.0"}},
		"several tasks": {&seer{context: 1 << 20, decode: 2}, "mcq_math,binary",
			[]string{"4 questions, ", " items; about 4 to 15 min (the stars)"}},
		"a model that was not timed here": {&seer{context: 1 << 20}, "mcq",
			[]string{"2 questions; duration unknown: the stars; 2.0 GiB of memory"}},
		"one that can't tell": {&scripted.Model{}, "mcq", []string{"2 questions; duration unknown until the first answers"}},
	} {
		t.Run(name, func(t *testing.T) {
			session, said := sessionOf(t, filepath.Join(t.TempDir(), "run"), 2, test.tasks), ""
			session.OnEstimate = func(line string) { said = line }
			_, err := session.with(t.Context(), test.model)
			assert.Assert(t, err == nil || err.Error() == "planned", "%v", err)
			for _, want := range test.want {
				assert.Check(t, strings.Contains(said, want), "said %q, want %q in it", said, want)
			}
		})
	}
}
