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
	parent  *child.Conn
	open    func(context.Context, llamacpp.Options) (model, error)
	granted chan order // what it wished for
	vocab   vocabulary // of the model, or opened without one
	model   model
	hashed  atomic.Int64 // bytes of the model's file
}

// beatEvery is how often a process reports its work.
const beatEvery = 500 * time.Millisecond

// serve does what the parent orders until that is gone.
func serve(parent *child.Conn, open func(context.Context, llamacpp.Options) (model, error)) {
	e := &engine{parent: parent, open: open, granted: make(chan order)}
	llama.OnAbort(func(reason error) {
		e.report(report{What: newsGaveUp, Text: reason.Error()})
		os.Exit(1)
	})
	go func() {
		for range time.Tick(beatEvery) {
			batches := llama.Batches()
			e.report(report{What: newsBeat, Batches: batches, Done: batches + llama.Operations() + e.hashed.Load()})
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	for {
		var o order
		if parent.Receive(&o) != nil {
			os.Exit(0) // and nothing is computed on
		}
		switch o.What {
		case callCancel:
			cancel()
			ctx, cancel = context.WithCancel(context.Background())
		case wishNext, wishCompleted, wishPartings, wishStep:
			e.granted <- o
		default: // Generate goes on while small calls are answered
			go func(ctx context.Context) {
				r := report{What: answered, Answer: &answer{}}
				if err := e.answer(ctx, o, r.Answer); err != nil {
					r.Error = err.Error()
				}
				e.report(r)
			}(ctx)
		}
	}
}

// report sends a report; one that cannot be sent is a mistake in this package.
func (e *engine) report(r report) {
	if err := e.parent.Send(r); err != nil {
		panic(err)
	}
}

// wish reports a wish, and returns the order that grants it. One goroutine at a time has wishes: that which generates.
func (e *engine) wish(r report) order {
	e.report(r)
	return <-e.granted
}

// answer does what a call orders. Only calls that compute end with ctx.
func (e *engine) answer(ctx context.Context, o order, a *answer) (err error) {
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
			if taken := e.wish(report{What: wishCompleted, Completion: &c}); taken.Error != "" {
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
			e.wish(report{What: wishStep, Warm: warm})
		})
	}
	return err
}

// openModel is [llamacpp.Open], or [llamacpp.OpenVocabulary].
func (e *engine) openModel(ctx context.Context, o order, a *answer) (err error) {
	options := *o.Options
	options.Progress = func(share float64) { e.report(report{What: newsProgress, Share: share}) }
	options.Hashed = func(bytes int) { e.hashed.Add(int64(bytes)) }
	options.Warn = func(text string) { e.report(report{What: newsWarning, Text: text}) }
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
			o := e.wish(report{What: wishNext})
			if o.Request == nil {
				return
			}
			if o.HasPartings {
				o.Request.Partings = func() []int { return e.wish(report{What: wishPartings, ID: o.Request.ID}).Partings }
			}
			if !yield(*o.Request) {
				return
			}
		}
	}
}

// What an order or a report is.
const (
	// Calls, most of them after the methods of [llamacpp.Model].
	callOpen, callPlan, callForecast, callInfo, callGenerate = "Open", "Plan", "Forecast", "Info", "Generate"
	callTokenize, callPieces, callTokenOf, callOthers        = "Tokenize", "Pieces", "TokenOf", "Others"
	callCheckTest, callRunTest                               = "CheckTest", "RunTest"
	callCancel                                               = "Cancel" // those on their way are to end; has no answer

	answered = "Answered" // the end of a call

	// What an engine wishes for while it generates or runs a test: an order of the same name.
	wishNext      = "Next"      // the next request
	wishCompleted = "Completed" // that a completion is taken
	wishPartings  = "Partings"  // [backends.Request.Partings]
	wishStep      = "Step"      // that a test's step is called

	// News.
	newsWarning  = "Warning"  // for people
	newsProgress = "Progress" // the share of the model that was read
	newsBeat     = "Beat"     // the work that was done; alone no sign of life: a process that hangs sends it, too
	newsGaveUp   = "GaveUp"   // why the engine did; its process ends next
)

// An order is what a parent sends: a call, or what an engine wished for.
type order struct {
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

// A report is what an engine's process sends.
type report struct {
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
