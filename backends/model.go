package backends

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// ErrClosed is returned by a model that was closed.
var ErrClosed = errors.New("the model is closed")

// A Model answers requests. It is used by one goroutine at a time.
type Model interface {
	// Info describes the model and the engine as they are now; after [Planner.Plan] it holds the planned values.
	Info(ctx context.Context) (Info, error)

	// Generate pulls requests in order, keeps as many in flight as the backend can, and calls done exactly once
	// for each finished request, in completion order, from the calling goroutine.
	//
	// A failed request is data: its Completion has Finish FinishError, a Cause and an Error. Only a broken
	// backend, an error from done (returned as it is) or the end of ctx (ctx's error is returned) stop Generate;
	// requests that are unfinished then get no call of done but that which [Request.Every] asks for, with FinishOpen. Once
	// Generate has returned, nothing of it runs on.
	Generate(ctx context.Context, requests iter.Seq[Request], done func(Completion) error) error

	// Close frees what the model holds. It is safe to call twice.
	Close() error
}

// A Tokenizer is a Model that can say how it splits a prompt.
type Tokenizer interface {
	// Tokenize returns the token ids that Generate would feed for prompt, the BOS token included where the
	// model wants one.
	Tokenize(prompt string) ([]int32, error)
}

// A Planner is a Model that sizes itself to the work before it starts.
type Planner interface {
	// Plan sets memory aside for w, once, before the first Generate. It returns an error that names the number
	// that would fit when the work does not.
	Plan(ctx context.Context, w Workload) (Allocation, error)
}

// A Forgetter is a Model that keeps what it knows of prompts from one Generate to the next. Any other one begins each
// Generate with an empty cache.
type Forgetter interface {
	// Forget has the next Generate begin with an empty cache too.
	Forget(ctx context.Context) error
}

// A Slotted is a Model whose slots may each keep the prompts that they answered to themselves, as llama-server's do. Requests that begin
// alike are then best sent to the same slot: one subject a slot, so that each beginning is evaluated once.
type Slotted interface {
	// Slotted says whether the engine's slots keep prompts to themselves.
	Slotted() bool
}

// A LoadReporter is a Model that computes on this machine's CPUs, and knows how much of them other programs take.
type LoadReporter interface {
	// Others returns what other programs did since the last call; the zero Load at first, and where the system does not report it.
	Others() Load
}

// AssumedOutput is how many tokens a completion is assumed to have where nothing better is known: a chain of thought of a few sentences.
const AssumedOutput = 256

// Workload describes the requests of a run, for planning.
type Workload struct {
	Requests     int    // how many requests will come
	PromptTokens int    // tokens of the longest prompt; 0 where nobody counted them
	Longest      string // the longest prompt then
	UniqueTokens int    // tokens of all prompts, those that prompts have in common at their beginning counted once; 0 where unknown
	MaxTokens    int    // the largest Request.MaxTokens
	Logprobs     int    // the largest Request.Logprobs
	OutputTokens int    // that a completion is expected to have; 0 for AssumedOutput, or the cap if that is less
	OutputSource string // what that rests on, for people, behind the number
	Sampling     Sampling
	Forced       bool // completions are forced: PromptTokens and UniqueTokens have those of their completions, too
}

// Tokens is how many the longest prompt and its completion need together.
func (w Workload) Tokens() int { return w.PromptTokens + w.MaxTokens }

// Fits returns an error where the longest prompt and its completion need more tokens than a context holds; a prompt
// that nobody counted needs one at least. A context of 0 has no limit.
func (w Workload) Fits(context int) error {
	if context == 0 || max(1, w.PromptTokens)+w.MaxTokens <= context {
		return nil
	}
	prompt := "the prompt"
	if w.Requests > 1 {
		prompt = "the longest prompt"
	}
	switch 0 {
	case w.PromptTokens:
		return fmt.Errorf("a context of %d tokens is too small: the answer alone may get %d", context, w.MaxTokens)
	case w.MaxTokens:
		return fmt.Errorf("a context of %d tokens is too small: %s and its completion have %d", context, prompt,
			w.PromptTokens)
	}
	return fmt.Errorf("a context of %d tokens is too small: %s has %d and may get %d more; %d are needed", context, prompt,
		w.PromptTokens, w.MaxTokens, w.Tokens())
}

// Allocation is the memory that a Planner set aside, in bytes where not said otherwise.
type Allocation struct {
	// Slots are the sequences decoded at a time; 0 where servers get as many as they answer fastest.
	Slots     int
	Context   int   // tokens a slot can hold
	Weights   int64 // the model's tensors
	KV        int64 // key/value cache of all slots and of the shared prefixes
	Compute   int64 // scratch buffers, estimated
	Available int64 // memory that was free before loading; 0 where unknown
	// what the program holds beside that, in memory when this was planned: its code, its heap, pages of the file; 0 where
	// unknown
	Beside int64

	Devices []DeviceAllocation // what GPUs hold beside that; the numbers above are the machine's own memory

	Description string  // all of it in the backend's own words, a line for people
	Unfit       float64 // share of the prompts that may be too long for the context; above it the run should not start; 0: only where none fits
}

// Total is the machine's memory that the allocation needs, in bytes.
func (a Allocation) Total() int64 { return a.Weights + a.KV + a.Compute }

// DeviceAllocation is the memory that a model takes on a GPU, in bytes where not said otherwise.
type DeviceAllocation struct {
	Name      string // such as CUDA0
	Layers    int    // how many of the model's are there, its output counted as one
	Weights   int64
	KV        int64
	Compute   int64
	Available int64 // memory that was free there before loading
	Shared    bool  // and that is the machine's own
}

// Total is the memory that the GPU needs, in bytes.
func (d DeviceAllocation) Total() int64 { return d.Weights + d.KV + d.Compute }

// A Forecaster is a Planner that can say what Plan would come to without setting anything aside or having a server load a model. It
// may compute for about a second, to measure how fast the model is here.
type Forecaster interface {
	// Forecast returns the error that Plan would return, where that can be known without loading the model.
	Forecast(ctx context.Context, w Workload) (Forecast, error)
}

// A Forecast is an estimate of a run's memory and duration, made before it begins.
type Forecast struct {
	Allocation
	Duration        time.Duration // that the run is expected to take; 0 where unknown
	Prefill, Decode float64       // tokens a second that Duration rests on, of all slots together
	Rough           bool          // they are measured in a second
	Source          string        // what Duration rests on, or why it is unknown, for people
}
