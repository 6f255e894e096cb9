package isolated

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/rpc"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llama"
)

// Variable is set for a process that is to [Serve].
const Variable = "PROCTOR_ENGINE_PROCESS"

// beatEvery is how often a process reports its work.
const beatEvery = 500 * time.Millisecond

// Serve is the process of an engine. It returns when its parent is gone; where no parent started it, that is an error.
func Serve() error {
	return serve(func(ctx context.Context, options llamacpp.Options) (model, error) { return llamacpp.Open(ctx, options) })
}

// vocabulary is a process's tokenizer; [llamacpp.Vocabulary] is one.
type vocabulary interface {
	backends.Tokenizer
	backends.Templated
	backends.Recommender
	VocabularySHA256() string
	Pieces() []string
	TokenOf(piece string) (token int32, found bool)
}

// answerer has the methods that a run calls on a model, in this process or in one of its own.
type answerer interface {
	backends.Model
	backends.Tokenizer
	backends.Planner
	backends.Scorer
	backends.Templated
	backends.Recommender
	backends.Forecaster
	backends.LoadReporter
	backends.Budgeter
	backends.Engine
}

// model has the methods that a process calls on a model; [llamacpp.Model] is one.
type model interface {
	answerer
	Pieces() []string
}

func serve(open func(context.Context, llamacpp.Options) (model, error)) error {
	if os.Getenv(Variable) == "" {
		return errors.New("proctor runs this command itself: it is not a command for people")
	}
	// They are for the parent to obey, which ends this process where it does.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	// Where memory ends it is this one that should go. It may not be allowed to.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	files, err := passedPipes() // its calls and their results, then those of the parent's service
	if err != nil {
		return err
	}
	parent := rpc.NewClient(joined(files[2], files[3]))
	e := &engine{parent: parent, open: open, cancel: func() {}}
	llama.OnAbort(func(reason error) {
		_ = parent.Call(parentService+".Aborted", reason.Error(), &None{})
		os.Exit(1)
	})
	go e.beat()
	server := rpc.NewServer()
	if err := server.RegisterName(engineService, e); err != nil {
		return err
	}
	calls := joined(files[0], files[1])
	calls.Reader = untilGone{calls.Reader}
	server.ServeConn(calls)
	return nil
}

// untilGone reads from a parent, and ends the process where that is gone: what is computed still, is for nobody.
type untilGone struct{ io.Reader }

func (u untilGone) Read(to []byte) (int, error) {
	n, err := u.Reader.Read(to)
	if err != nil {
		os.Exit(0)
	}
	return n, nil
}

// engine is the service of a process that computes.
type engine struct {
	parent *rpc.Client
	open   func(context.Context, llamacpp.Options) (model, error)
	vocab  vocabulary // of the model, or opened without one
	model  model
	hashed atomic.Int64 // bytes of the model's file

	mu     sync.Mutex
	cancel context.CancelFunc // of the call that is on its way
}

// begin returns the context of a call, and what ends the call.
func (e *engine) begin() (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cancel = cancel
	return ctx, cancel
}

// during runs a call's work, which Cancel ends.
func during[R any](e *engine, do func(context.Context) (R, error), result *R) (err error) {
	ctx, end := e.begin()
	defer end()
	*result, err = do(ctx)
	return err
}

// Cancel ends the call that is on its way, if it takes that.
func (e *engine) Cancel(None, *None) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cancel()
	return nil
}

// beat reports to the parent how much this process has done.
func (e *engine) beat() {
	for range time.Tick(beatEvery) {
		batches := llama.Batches()
		e.parent.Go(parentService+".Beat", Beat{batches, batches + llama.Operations() + e.hashed.Load()}, &None{}, nil)
	}
}

// Open is [llamacpp.Open], or [llamacpp.OpenVocabulary].
func (e *engine) Open(o Opening, opened *Opened) (err error) {
	ctx, end := e.begin()
	defer end()
	if o.Vocabulary {
		e.vocab, err = llamacpp.OpenVocabulary(o.Engine.Path, o.Engine.Engine)
	} else {
		e.model, err = e.open(ctx, e.reporting(o.Engine))
		e.vocab = e.model
	}
	if err != nil {
		return err
	}
	*opened = Opened{Template: e.vocab.ChatTemplate(), Vocabulary: e.vocab.VocabularySHA256(), Recommended: e.vocab.Recommended()}
	if e.model != nil {
		opened.Summary = e.model.Summary()
	}
	return nil
}

// reporting are options that report progress and warnings to the parent.
func (e *engine) reporting(o llamacpp.Options) llamacpp.Options {
	o.Progress = func(share float64) { _ = e.parent.Call(parentService+".Progress", share, &None{}) }
	o.Hashed = func(bytes int) { e.hashed.Add(int64(bytes)) }
	o.Warn = func(text string) { _ = e.parent.Call(parentService+".Warn", text, &None{}) }
	return o
}

// Plan is [llamacpp.Model.Plan].
func (e *engine) Plan(w backends.Workload, allocation *backends.Allocation) error {
	return during(e, func(ctx context.Context) (backends.Allocation, error) { return e.model.Plan(ctx, w) }, allocation)
}

// Forecast is [llamacpp.Model.Forecast].
func (e *engine) Forecast(w backends.Workload, forecast *backends.Forecast) error {
	return during(e, func(ctx context.Context) (backends.Forecast, error) { return e.model.Forecast(ctx, w) }, forecast)
}

// Info is [llamacpp.Model.Info].
func (e *engine) Info(_ None, info *backends.Info) error {
	return during(e, e.model.Info, info)
}

// Tokenize is [llamacpp.Vocabulary.Tokenize]. It may be called beside Generate.
func (e *engine) Tokenize(prompt string, tokens *[]int32) (err error) {
	*tokens, err = e.vocab.Tokenize(prompt)
	return err
}

// Pieces is [llamacpp.Vocabulary.Pieces].
func (e *engine) Pieces(_ None, pieces *[]string) error {
	*pieces = e.vocab.Pieces()
	return nil
}

// TokenOf is [llamacpp.Vocabulary.TokenOf].
func (e *engine) TokenOf(piece string, token *Token) error {
	token.ID, token.Found = e.vocab.TokenOf(piece)
	return nil
}

// Others is [llamacpp.Model.Others].
func (e *engine) Others(_ None, load *backends.Load) error {
	*load = e.model.Others()
	return nil
}

// Generate is [llamacpp.Model.Generate], with the requests of the parent.
func (e *engine) Generate(None, *None) error {
	ctx, end := e.begin()
	defer end()
	return e.model.Generate(ctx, e.requests(), func(c backends.Completion) error {
		return e.parent.Call(parentService+".Completed", c, &None{})
	})
}

func (e *engine) requests() iter.Seq[backends.Request] {
	return func(yield func(backends.Request) bool) {
		for {
			var next Next
			if err := e.parent.Call(parentService+".Next", None{}, &next); err != nil || next.End {
				return
			}
			if next.Partings {
				next.Request.Partings = func() (at []int) {
					_ = e.parent.Call(parentService+".Partings", next.Request.ID, &at)
					return at
				}
			}
			if !yield(next.Request) {
				return
			}
		}
	}
}

// None stands for no arguments or no results of a call.
type None struct{}

// Opening says which model a process has to open, and how.
type Opening struct {
	Engine     llamacpp.Options
	Vocabulary bool // nothing but Engine's vocabulary
}

// Opened describes a model after the process has opened it.
type Opened struct {
	Template   backends.ChatTemplate
	Vocabulary string // its SHA-256
	Summary    backends.Summary

	Recommended *backends.Recommendation
}

// Next is a request, or that there are no more.
type Next struct {
	Request  backends.Request // without its functions
	Partings bool             // it has that function
	End      bool
}

// Beat is the work that a process has done so far. Both numbers only grow.
type Beat struct {
	Batches int64 // that were computed
	Done    int64 // they, their operations, and the bytes that were hashed
}

// Token is the token of a text, where the text is a single one.
type Token struct {
	ID    int32
	Found bool
}

// Names of the two services.
const (
	engineService = "Engine"
	parentService = "Parent"
)

// pipes are a pair: one to read from and one to write to.
type pipes struct {
	io.Reader
	io.Writer
	files [2]*os.File
}

func joined(read, write *os.File) *pipes { return &pipes{read, write, [2]*os.File{read, write}} }

// Close implements [io.Closer].
func (p *pipes) Close() error { return errors.Join(p.files[0].Close(), p.files[1].Close()) }
