package main

import (
	"fmt"
	"os"
	"path/filepath"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner"
)

// published is the whole question set, on machines that have it beside the repository.
var published = filepath.Join("..", "shared", "data", "mmlu-pro")

// sampling draws tokens: a model with random weights repeats itself where the likeliest is always taken, and Ollama
// ends an answer that does. The limits are the ones that Ollama has by itself.
var sampling = backends.Sampling{Temperature: 1, TopK: 40, TopP: 0.9}

// A workload says what is asked.
type workload struct {
	questions int
	tokens    int // generated for each
	data      string
	subject   string
}

// An exam is the requests that all ways of answering get.
type exam struct {
	model    string // path of its GGUF file
	set      string
	subjects int
	requests []backends.Request
	prompts  []int // tokens of each request's prompt
	plan     backends.Workload
}

// newExam renders the prompts of a model's exam and counts their tokens.
func newExam(model string, w workload) (*exam, error) {
	if w.data == "" {
		w.data = dataset.SampleName
		if _, err := os.Stat(published); err == nil {
			w.data = published
		}
	}
	set, err := dataset.Open(w.data, dataset.Options{})
	if err != nil {
		return nil, err
	}
	selection := dataset.Selection{Subjects: []string{w.subject}, Limit: w.questions}
	if asked, err := set.Select(selection); err != nil {
		return nil, err
	} else if len(asked) < w.questions {
		selection.Subjects = nil
	}
	style := prompts.Styles[0]
	plan, err := runner.NewPlan(set, prompts.Eval{Task: task.All[0], Style: style, Shots: prompts.MaxShots}, selection,
		runner.Settings{RuleSet: style.Rules, Sampling: sampling, MaxTokens: w.tokens})
	if err != nil {
		return nil, err
	}
	if len(plan.Items) < w.questions {
		return nil, fmt.Errorf("%s has %d questions, fewer than %d", set.Name, len(plan.Items), w.questions)
	}
	vocabulary, err := llamacpp.OpenVocabulary(model)
	if err != nil {
		return nil, err
	}
	defer vocabulary.Close()
	if err := plan.Measure(vocabulary); err != nil {
		return nil, err
	}
	e := &exam{model: model, set: set.Name, plan: plan.Workload()}
	subjects := map[string]bool{}
	for i, item := range plan.Items {
		subjects[item.Subject] = true
		tokens, err := vocabulary.Tokenize(item.Prompt())
		if err != nil {
			return nil, err
		}
		e.prompts = append(e.prompts, len(tokens))
		r := backends.Request{ID: item.ID, Prompt: item.Prompt(), MaxTokens: w.tokens, Sampling: sampling}
		r.Sampling.Seed = uint32(i + 1)
		e.requests = append(e.requests, r)
	}
	e.subjects = len(subjects)
	return e, nil
}

// warmUp is a short request that shares nothing with the exam.
func warmUp() backends.Request {
	return backends.Request{ID: "warm-up", Prompt: "Once upon a time", MaxTokens: 4, Sampling: sampling}
}

// promptTokens are those of all prompts.
func (e *exam) promptTokens() int {
	total := 0
	for _, n := range e.prompts {
		total += n
	}
	return total
}
