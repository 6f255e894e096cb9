package main

import (
	"fmt"
	"path/filepath"
	"time"

	"proctor/backends/llamacpp/llama"
	"proctor/backends/ollama/ollamatest"
	"proctor/runner/page"
	"proctor/runner/words"
)

// lay lays the measurements out, with their ratios to Ollama's best setting and to the plain loop.
func lay(e *exam, threads int, all []measurement) page.Page {
	p := page.Page{Title: "Throughput of a 5-shot exam"}
	if _, err := ollamatest.Find(); err != nil {
		p.Notices = append(p.Notices, "not compared with Ollama: "+err.Error())
	}
	n, total := len(e.requests), e.promptTokens()
	var facts page.Facts
	facts.Add("model", filepath.Base(e.model), "")
	facts.Add("questions", words.Count(n), fmt.Sprintf("of %s, %s", e.set, words.Several(e.subjects, "subject")))
	facts.Add("prompt tokens", words.Count(total), fmt.Sprintf("%s a question; %s where common beginnings count once", words.Count(total/n), words.Count(e.plan.UniqueTokens)))
	facts.Add("tokens to generate", words.Count(n*e.plan.MaxTokens), fmt.Sprintf("%d a question, at temperature %g", e.plan.MaxTokens, sampling.Temperature))
	facts.Add("engine", llama.Version, words.Several(threads, "thread")+" each, on "+llama.DescribeCPU().Name)

	best, loop := bestOf(all, ollama), all[0].median().rate()
	table := page.Grid{Head: []string{"way", "", "questions/s", "to Ollama", "to loop", "prefill", "decode", "prompt", "reused", "generated", "early", "ready"}}
	for _, m := range all {
		s := m.median()
		table.Add(m.engine+", "+m.name, s.settings, m.speed(), ratio(s.rate(), best), ratio(s.rate(), loop),
			perSecond(s.prompt-s.reused, s.prefill), perSecond(s.output, s.decode),
			words.Count(s.prompt), share(s.reused, s.prompt, s.prefill), words.Count(s.output), words.Count(s.early), fmt.Sprintf("%.1f s", s.ready.Seconds()))
	}
	notes := []string{
		"questions/s: of several rounds the median, and the range",
		"to Ollama, to loop: the speed over that of Ollama's best setting and of the plain loop with llama.cpp's own settings, flash attention among them; plain loops answer every fourth question",
		"prefill, decode: t/s over the time that the engine spent on prompt tokens which were not reused, and on generated ones",
		"early: answers that ended before the cap; ready: from nothing to a loaded model that has answered a short prompt, not timed",
	}
	p.Add(page.Section{Title: "Exam", Facts: facts}, page.Section{Title: "Ways of answering", Table: &table, Notes: notes})
	return p
}

// speed is the median, with the range of several sittings.
func (m measurement) speed() string {
	text := fmt.Sprintf("%.3f", m.median().rate())
	if last := len(m.sittings) - 1; last > 0 {
		text += fmt.Sprintf(" (%.3f–%.3f)", m.sittings[0].rate(), m.sittings[last].rate())
	}
	return text
}

// bestOf is the highest median speed of an engine's ways; 0 where it has none.
func bestOf(all []measurement, engine string) float64 {
	best := 0.0
	for _, m := range all {
		if m.engine == engine {
			best = max(best, m.median().rate())
		}
	}
	return best
}

func ratio(rate, to float64) string {
	if to == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f×", rate/to)
}

func perSecond(tokens int, time time.Duration) string {
	if time == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f t/s", float64(tokens)/time.Seconds())
}

// share is a share of tokens, unknown where the engine did not tell how long the others took.
func share(part, of int, prefill time.Duration) string {
	if prefill == 0 || of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(of))
}
