package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/ollama/ollamatest"
)

// TestEveryWayAnswersTheWholeExam sits a small exam, with a small model, in all ways that this machine has.
func TestEveryWayAnswersTheWholeExam(t *testing.T) {
	path := filepath.Join(t.TempDir(), "small.gguf")
	if err := llamatest.Write(path, llamatest.Model{
		Name: "small", Vocabulary: llamatest.SmallVocabulary(), Seed: 1,
		Shape: llamatest.Shape{Width: 256, Heads: 4, KVHeads: 1, Inner: 256, Layers: 1, Context: 8192},
	}); err != nil {
		t.Fatal(err)
	}
	e, err := newExam(path, workload{questions: 3, tokens: 4, data: "sample", subject: "business"})
	if err != nil {
		t.Fatal(err)
	}
	all := []way{
		{plain, "", e.plainLoop(1, true, llamacpp.KernelsGGML)}, {proctor, "auto", e.inProcess(1, 0, "")}, {proctor, "2", e.inProcess(1, 2, "")},
	}
	if _, err := ollamatest.Find(); err == nil {
		all = append(all, way{ollama, "2", e.served(1, ollamatest.Options{Parallel: 2})})
	}
	measured, err := measure(t.Context(), all, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range measured {
		for _, s := range m.sittings {
			answers, prompt := 3, e.promptTokens()
			if m.engine == plain {
				answers, prompt = 1, e.prompts[0]
			}
			if s.answers != answers || s.prompt != prompt || s.output+4*s.early < 4*answers || s.output > 4*answers || s.wall <= 0 || s.ready <= 0 {
				t.Errorf("%s, %s: %+v; want %d answers to %d tokens", m.engine, m.name, s, answers, prompt)
			}
			if m.engine == proctor && s.reused == 0 {
				t.Errorf("%s, %s: nothing was reused", m.engine, m.name)
			}
		}
	}
	var text strings.Builder
	if err := lay(e, 1, measured).Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, m := range measured {
		if !strings.Contains(text.String(), m.engine+", "+m.name+" ") {
			t.Errorf("%s, %s is not in the table:\n%s", m.engine, m.name, &text)
		}
	}
}

func TestMeasureKeepsTheMedian(t *testing.T) {
	walls := []time.Duration{3 * time.Second, 8 * time.Second, 4 * time.Second}
	var order []string
	sitting := func(name string) func(context.Context) (sitting, error) {
		round := 0
		return func(context.Context) (sitting, error) {
			order = append(order, name)
			round++
			return sitting{answers: 12, wall: walls[round-1]}, nil
		}
	}
	measured, err := measure(t.Context(), []way{{ollama, "a", sitting("a")}, {ollama, "b", sitting("b")}}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, ""); got != "ababab" {
		t.Errorf("sat in the order %s, want the rounds interleaved", got)
	}
	if got := measured[0].speed(); got != "3.000 (1.500–4.000)" {
		t.Errorf("speed %s", got)
	}
	if best := bestOf(measured, ollama); best != 3 {
		t.Errorf("Ollama's best is %g", best)
	}
	if got := ratio(6, 3) + " " + ratio(6, bestOf(measured, plain)); got != "2.00× –" {
		t.Errorf("ratios %s", got)
	}
}

func TestInFlight(t *testing.T) {
	var mu sync.Mutex
	asked, now, most := map[int]int{}, 0, 0
	gate := make(chan struct{})
	err := inFlight(t.Context(), 3, 10, func(_ context.Context, i int) error {
		mu.Lock()
		asked[i]++
		now++
		most = max(most, now)
		if now == 3 && most == 3 && len(asked) == 3 {
			close(gate) // all three are there at once
		}
		mu.Unlock()
		<-gate
		mu.Lock()
		now--
		mu.Unlock()
		return nil
	})
	if err != nil || len(asked) != 10 || most != 3 {
		t.Errorf("error %v, %d asked, %d at a time", err, len(asked), most)
	}
	for i, n := range asked {
		if n != 1 {
			t.Errorf("%d was asked %d times", i, n)
		}
	}

	broken := errors.New("broken")
	calls := 0
	if err := inFlight(t.Context(), 1, 10, func(context.Context, int) error { calls++; return broken }); err != broken || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}
