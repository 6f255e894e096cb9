package mutations

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/isolated"
	"proctor/backends/llamacpp"
)

// A fate is what became of a file.
type fate string

const (
	refused fate = "refused in one line"
	ran     fate = "ran"
	died    fate = "the engine's process died of it"

	// These must not be.
	unclear fate = "not refused in one line"
	hung    fate = "hung"
)

var fates = []fate{refused, ran, died, unclear, hung}

// patience is how long a file may take, of a machine that others use, too.
const patience = 3 * time.Minute

// TestMain lets the tests be the engine's processes.
func TestMain(m *testing.M) {
	if os.Getenv(isolated.Variable) != "" {
		if err := isolated.Serve(); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// open opens a file as a run does, asks the model in all the ways that runs do, and says what became of it.
func open(ctx context.Context, program, path string) (became fate, why string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	options := isolated.Options{
		Engine: llamacpp.Options{Path: path, Threads: 1, Slots: 2, Microbatch: 32}, Program: program, Args: []string{program},
	}
	failed, err := generate(ctx, options)
	death := (*isolated.Death)(nil)
	switch {
	case ctx.Err() != nil:
		return hung, "no end after " + patience.String()
	case err == nil:
		return ran, failed
	}
	why = strings.TrimPrefix(err.Error(), path+": ")
	switch {
	case strings.ContainsAny(why, "\n\r"):
		return unclear, why
	case errors.As(err, &death):
		return died, why
	}
	return refused, why
}

// generate tokenises a prompt, then asks the model. failed is the error of a request.
func generate(ctx context.Context, options isolated.Options) (failed string, err error) {
	vocabulary, err := isolated.OpenVocabulary(ctx, options)
	if err != nil {
		return "", err
	}
	defer vocabulary.Close()
	prompt := "Question: which of these is true?\nA. one\nB. 漢字 \U0001f600\nAnswer:"
	if _, err := vocabulary.Tokenize(prompt); err != nil {
		return "", err
	}
	vocabulary.ChatTemplate()
	model, err := isolated.Open(ctx, options)
	if err != nil {
		return "", err
	}
	defer model.Close()
	model.VocabularySHA256()
	if _, err := model.Plan(ctx, backends.Workload{Requests: 3, PromptTokens: 150, MaxTokens: 4}); err != nil {
		return "", err
	}
	requests := []backends.Request{
		{ID: "greedy", Prompt: prompt, MaxTokens: 4},
		{ID: "drawn", Prompt: prompt + " A", MaxTokens: 4, Sampling: backends.Sampling{Temperature: 1, TopP: 0.9}},
		{ID: "scored", Prompt: "x", MaxTokens: 4, Logprobs: 5},
	}
	err = model.Generate(ctx, slices.Values(requests), func(c backends.Completion) error {
		if c.Finish == backends.FinishError {
			failed = c.Error
		}
		return nil
	})
	return failed, err
}
