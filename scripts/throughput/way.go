package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"proctor/backends/llamacpp"
	"proctor/backends/ollama/ollamatest"
)

// A way is one way of answering the exam.
type way struct {
	engine string // "proctor", "Ollama", or what else it is
	name   string
	sit    func(ctx context.Context) (sitting, error)
}

const (
	proctor = "proctor"
	ollama  = "Ollama"
	plain   = "plain loop"
)

// A sitting is what one way of answering took and did. Counts and times that an engine does not tell are 0.
type sitting struct {
	settings string        // that the engine chose
	ready    time.Duration // until it was
	wall     time.Duration // of the exam

	answers, early int // early: ended before the cap
	prompt, reused int // tokens
	output         int
	prefill        time.Duration // of the tokens that were not reused
	decode         time.Duration
}

// rate is in questions a second.
func (s sitting) rate() float64 { return float64(s.answers) / s.wall.Seconds() }

// A measurement is a way and its sittings, the slowest first.
type measurement struct {
	way
	sittings []sitting
}

// median is the sitting of median speed; of an even number, the slower of the two in the middle.
func (m measurement) median() sitting { return m.sittings[(len(m.sittings)-1)/2] }

// measure sits the exam in every way, one after the other, and that repeatedly.
func measure(ctx context.Context, ways []way, repeat int) ([]measurement, error) {
	all := make([]measurement, len(ways))
	for round := range repeat {
		for i, w := range ways {
			s, err := w.sit(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", w.engine, w.name, err)
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s, %s: %.2f questions/s\n", round+1, repeat, w.engine, w.name, s.rate())
			all[i].way = w
			all[i].sittings = append(all[i].sittings, s)
		}
	}
	for _, m := range all {
		slices.SortFunc(m.sittings, func(a, b sitting) int { return int(b.wall - a.wall) })
	}
	return all, nil
}

// ways are all ways of answering on this machine, without Ollama's where it is not built.
func ways(e *exam, threads int) []way {
	all := []way{
		{plain, "llama.cpp as it is", e.plainLoop(threads, true, llamacpp.KernelsGGML)},
		{plain, "flash attention off", e.plainLoop(threads, false, llamacpp.KernelsGGML)},
		{plain, "proctor's kernels", e.plainLoop(threads, true, "")},
		{proctor, "auto", e.inProcess(threads, 0, "")},
		{proctor, "auto, ggml's kernels", e.inProcess(threads, 0, llamacpp.KernelsGGML)},
	}
	for _, slots := range []int{1, 8, 16, 24} {
		all = append(all, way{proctor, fmt.Sprint("slots ", slots), e.inProcess(threads, slots, "")})
	}
	if _, err := ollamatest.Find(); err != nil {
		return all
	}
	for _, parallel := range []int{1, 4, 8} {
		all = append(all, way{ollama, fmt.Sprint("in flight ", parallel), e.served(threads, ollamatest.Options{Parallel: parallel})})
	}
	// Ollama too has flash attention on by itself, also where it is slower. Few know the setting, but it is there.
	for _, parallel := range []int{1, 4} {
		o := ollamatest.Options{Parallel: parallel, Env: []string{"OLLAMA_FLASH_ATTENTION=0"}}
		all = append(all, way{ollama, fmt.Sprint("in flight ", parallel, ", flash attention off"), e.served(threads, o)})
	}
	return all
}
