package mutations

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llama"
)

// A verdict is what a child reports about a file.
type verdict struct {
	Refused string `json:"refused,omitempty"` // the error; empty where the model ran
	Failed  string `json:"failed,omitempty"`  // the error of a request
	Aborted string `json:"aborted,omitempty"` // why the engine ended the process
	Grown   int64  `json:"grown"`             // bytes of memory that the child took more at its peak than before it opened the file
}

// cpuSeconds is how long a child may compute before it counts as hung.
const cpuSeconds = 20

// childMain opens the model at path and writes a verdict to standard output.
func childMain(path string) error {
	limit := syscall.Rlimit{Cur: cpuSeconds, Max: cpuSeconds}
	if err := syscall.Setrlimit(syscall.RLIMIT_CPU, &limit); err != nil {
		return err
	}
	before := peak()
	llama.OnAbort(func(reason error) {
		json.NewEncoder(os.Stdout).Encode(verdict{Aborted: reason.Error()})
		os.Exit(0)
	})
	var v verdict
	if err := generate(path, &v); err != nil {
		v.Refused = err.Error()
	}
	v.Grown = peak() - before
	return json.NewEncoder(os.Stdout).Encode(v)
}

// generate tokenises a prompt, then asks the model in all the ways that runs do.
func generate(path string, v *verdict) error {
	vocabulary, err := llamacpp.OpenVocabulary(path, "")
	if err != nil {
		return err
	}
	defer vocabulary.Close()
	prompt := "Question: which of these is true?\nA. one\nB. 漢字 \U0001f600\nAnswer:"
	if _, err := vocabulary.Tokenize(prompt); err != nil {
		return err
	}
	vocabulary.ChatTemplate()
	vocabulary.VocabularySHA256()
	ctx := context.Background()
	model, err := llamacpp.Open(ctx, llamacpp.Options{Path: path, Threads: 1, Slots: 2, Microbatch: 32})
	if err != nil {
		return err
	}
	defer model.Close()
	work := backends.Workload{Requests: 3, PromptTokens: 150, MaxTokens: 4}
	if _, err := model.Plan(ctx, work); err != nil {
		return err
	}
	requests := []backends.Request{
		{ID: "greedy", Prompt: prompt, MaxTokens: 4},
		{ID: "drawn", Prompt: prompt + " A", MaxTokens: 4, Sampling: backends.Sampling{Temperature: 1, TopP: 0.9}},
		{ID: "scored", Prompt: "x", MaxTokens: 4, Logprobs: 5},
	}
	return model.Generate(ctx, slices.Values(requests), func(c backends.Completion) error {
		if c.Finish == backends.FinishError {
			v.Failed = c.Error
		}
		return nil
	})
}

// peak is the most memory that this process has used, in bytes.
func peak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			kilobytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// childEnvironment names the file that a child opens.
const childEnvironment = "PROCTOR_MUTATION"

// beChild does the work of a child, where the program was started as one, and then does not return.
func beChild() {
	path := os.Getenv(childEnvironment)
	if path == "" {
		return
	}
	if err := childMain(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
