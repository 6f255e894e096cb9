package isolated

import (
	"context"
	"errors"
	"iter"
	"os"
	"sync/atomic"
	"time"

	"proctor/backends"
	"proctor/backends/child"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llama"
)

// Task is that of an engine's process.
var Task = child.Task{Name: "engine", Do: func(parent *child.Conn) {
	serve(parent, func(ctx context.Context, o llamacpp.Options) (model, error) { return llamacpp.Open(ctx, o) })
}}

// vocabulary is a process's tokenizer; [llamacpp.Vocabulary] is one.
type vocabulary interface {
	backends.Tokenizer
	backends.Templated
	backends.Recommender
	VocabularySHA256() string
	Pieces() []string
	TokenOf(piece string) (token int32, found bool)
}

// model has the methods that a process calls on a model; [llamacpp.Model] is one.
type model interface {
	backends.Model
	backends.Planner
	backends.Forecaster
	backends.LoadReporter
	backends.Engine
	vocabulary
}

// engine is what computes in a process of its own.
type engine struct {
	parent   *child.Conn
	open     func(context.Context, llamacpp.Options) (model, error)
	returned chan command // by callbacks
	vocab    vocabulary   // of the model, or opened without one
	model    model
	hashed   atomic.Int64 // bytes of the model's file
}

// beatEvery is how often a process reports its work.
const beatEvery = 500 * time.Millisecond

// serve does what the parent commands until that is gone.
func serve(parent *child.Conn, open func(context.Context, llamacpp.Options) (model, error)) {
	e := &engine{parent: parent, open: open, returned: make(chan command)}
	llama.OnAbort(func(reason error) {
		e.send(event{What: eventGaveUp, Text: reason.Error()})
		os.Exit(1)
	})
	go func() {
		for range time.Tick(beatEvery) {
			batches := llama.Batches()
			e.send(event{What: eventBeat, Batches: batches, Done: batches + llama.Operations() + e.hashed.Load()})
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	for {
		var o command
		if parent.Receive(&o) != nil {
			os.Exit(0) // and nothing is computed on
		}
		switch o.What {
		case callCancel:
			cancel()
			ctx, cancel = context.WithCancel(context.Background())
		case callbackNext, callbackCompleted, callbackPartings, callbackStep:
			e.returned <- o
		default: // Generate goes on while small calls are answered
			go func(ctx context.Context) {
				r := event{What: answered, Answer: &answer{}}
				if err := e.answer(ctx, o, r.Answer); err != nil {
					r.Error = err.Error()
				}
				e.send(r)
			}(ctx)
		}
	}
}

// send sends an event; one that cannot be sent is a mistake in this package.
func (e *engine) send(r event) {
	if err := e.parent.Send(r); err != nil {
		panic(err)
	}
}

// callBack sends a callback, and returns the command that answers it. One goroutine at a time does: that which
// generates.
func (e *engine) callBack(r event) command {
	e.send(r)
	return <-e.returned
}

// answer does what a call says. Only calls that compute end with ctx.
func (e *engine) answer(ctx context.Context, o command, a *answer) (err error) {
	switch o.What {
	case callOpen:
		return e.openModel(ctx, o, a)
	case callPlan:
		a.Allocation, err = e.model.Plan(ctx, *o.Workload)
	case callForecast:
		a.Forecast, err = e.model.Forecast(ctx, *o.Workload)
	case callInfo:
		a.Info, err = e.model.Info(ctx)
	case callGenerate:
		return e.model.Generate(ctx, e.requests(), func(c backends.Completion) error {
			if taken := e.callBack(event{What: callbackCompleted, Completion: &c}); taken.Error != "" {
				return errors.New(taken.Error)
			}
			return nil
		})
	case callTokenize:
		a.Tokens, err = e.vocab.Tokenize(o.Text)
	case callPieces:
		a.Pieces = e.vocab.Pieces()
	case callTokenOf:
		a.Token, a.Found = e.vocab.TokenOf(o.Text)
	case callOthers:
		a.Load = e.model.Others()
	case callCheckTest:
		return e.model.CheckTest(o.Settings, o.Test)
	case callRunTest:
		a.Samples, err = e.model.RunTest(ctx, o.Settings, o.Test, func(warm bool) {
			e.callBack(event{What: callbackStep, Warm: warm})
		})
	}
	return err
}

// openModel is [llamacpp.Open], or [llamacpp.OpenVocabulary].
func (e *engine) openModel(ctx context.Context, o command, a *answer) (err error) {
	options := *o.Options
	options.Progress = func(share float64) { e.send(event{What: eventProgress, Share: share}) }
	options.Hashed = func(bytes int) { e.hashed.Add(int64(bytes)) }
	options.Warn = func(text string) { e.send(event{What: eventWarning, Text: text}) }
	if o.Vocabulary {
		e.vocab, err = llamacpp.OpenVocabulary(options.Path, options.Engine)
	} else if e.model, err = e.open(ctx, options); err == nil {
		e.vocab, a.Summary = e.model, e.model.Summary()
	}
	if err != nil {
		return err
	}
	a.Template, a.Vocabulary, a.Recommended = e.vocab.ChatTemplate(), e.vocab.VocabularySHA256(), e.vocab.Recommended()
	return nil
}

// requests are the parent's.
func (e *engine) requests() iter.Seq[backends.Request] {
	return func(yield func(backends.Request) bool) {
		for {
			o := e.callBack(event{What: callbackNext})
			if o.Request == nil {
				return
			}
			if o.HasPartings {
				o.Request.Partings = func() []int { return e.callBack(event{What: callbackPartings, ID: o.Request.ID}).Partings }
			}
			if !yield(*o.Request) {
				return
			}
		}
	}
}

// What a command or an event is.
const (
	// Calls, most of them after the methods of [llamacpp.Model].
	callOpen, callPlan, callForecast, callInfo, callGenerate = "Open", "Plan", "Forecast", "Info", "Generate"
	callTokenize, callPieces, callTokenOf, callOthers        = "Tokenize", "Pieces", "TokenOf", "Others"
	callCheckTest, callRunTest                               = "CheckTest", "RunTest"
	callCancel                                               = "Cancel" // those on their way are to end; has no answer

	answered = "Answered" // the end of a call

	// Callbacks of an engine that generates or runs a test. A command of the same name answers.
	callbackNext      = "Next"      // the next request
	callbackCompleted = "Completed" // that a completion is taken
	callbackPartings  = "Partings"  // [backends.Request.Partings]
	callbackStep      = "Step"      // that a test's step is called

	// News.
	eventWarning  = "Warning"  // for people
	eventProgress = "Progress" // the share of the model that was read
	eventBeat     = "Beat"     // the work that was done; alone no sign of life: a process that hangs sends it, too
	eventGaveUp   = "GaveUp"   // why the engine did; its process ends next
)

// A command is what a parent sends: a call, or the answer to a callback.
type command struct {
	What string

	Options    *llamacpp.Options // to open with
	Vocabulary bool              // and nothing but the vocabulary
	Workload   *backends.Workload
	Text       string // to tokenise, or of a token
	Settings   backends.EngineSettings
	Test       backends.EngineTest

	Request     *backends.Request // without its functions; nil: there is none
	HasPartings bool              // it has that function
	Partings    []int
	Error       string // why a completion was not taken
}

// An event is what an engine's process sends.
type event struct {
	What string

	Answer *answer // of a call
	Error  string

	Completion *backends.Completion
	ID         string // of a request
	Warm       bool   // it was the warm-up

	Text    string // of a warning, or why the engine gave up
	Share   float64
	Batches int64 // that were computed so far
	Done    int64 // they, their operations, and the bytes that were hashed
}

// An answer has what a call returned; the first four are of a model that was opened.
type answer struct {
	Template    backends.ChatTemplate
	Vocabulary  string // its SHA-256
	Summary     backends.Summary
	Recommended *backends.Recommendation

	Allocation backends.Allocation
	Forecast   backends.Forecast
	Info       backends.Info
	Tokens     []int32
	Pieces     []string
	Token      int32
	Found      bool // there is such a token
	Load       backends.Load
	Samples    []time.Duration
}
