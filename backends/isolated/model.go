package isolated

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp"
	"proctor/backends/machine"
)

// Options say which model to open, and what with.
type Options struct {
	Engine  llamacpp.Options
	Program string   // the path of this program
	Args    []string // have it [Serve]; its name first

	vocabulary bool     // without the tensors
	patience   Patience // zero for the default
}

// Model is a model in a process of its own. It does for a run what a [llamacpp.Model] does.
type Model struct {
	options Options
	ctx     context.Context // given to Open: calls without a context end with it
	process *process        // nil where it died
	opened  Opened
	pieces  []string            // nil until Piece
	work    *backends.Workload  // that was planned for; nil before
	engine  backends.EngineInfo // as it was then
	deaths  int
	closed  bool
}

var _ answerer = (*Model)(nil)

// Open starts a process and has it open the model. A death there is an error, a [*Death]. The end of ctx ends whatever the process is
// asked later, too.
func Open(ctx context.Context, options Options) (*Model, error) {
	if options.patience == (Patience{}) {
		options.patience = defaultPatience
	}
	if file, err := gguf.Open(options.Engine.Path); err == nil {
		options.patience = options.patience.with(file.Size)
	}
	options.Engine.Ref = cmp.Or(options.Engine.Ref, options.Engine.Path)
	m := &Model{options: options, ctx: ctx}
	if err := m.start(ctx); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// start starts a process and brings it to the state of the last one.
func (m *Model) start(ctx context.Context) (err error) {
	if m.process, err = start(&m.options); err != nil {
		return err
	}
	opening := Opening{m.options.Engine, m.options.vocabulary}
	if err := m.call(ctx, "Open", reading, opening, &m.opened); err != nil {
		return err
	}
	if m.work == nil {
		return nil
	}
	return m.call(ctx, "Plan", planning, *m.work, &backends.Allocation{})
}

// again makes sure that there is a process: a new one, with the settings of the last, where that died.
func (m *Model) again(ctx context.Context) error {
	if m.closed {
		return backends.ErrClosed
	}
	if m.process != nil {
		return nil
	}
	return m.start(ctx)
}

// call makes a call to the process; the error is a [*Death] where the process dies of it.
func (m *Model) call(ctx context.Context, what string, at phase, args, reply any) error {
	if err := m.again(ctx); err != nil {
		return err
	}
	return m.await(ctx, m.process.calls.Go(engineService+"."+what, args, reply, make(chan *rpc.Call, 1)), at, nil)
}

// ask makes a call whose result does not depend on other calls. It may be used while requests are pulled; where the process dies meanwhile,
// of one of them, the call is repeated in the next process.
func (m *Model) ask(what string, args, reply any) error {
	err := m.call(m.ctx, what, answering, args, reply)
	if death := (*Death)(nil); errors.As(err, &death) {
		err = m.call(m.ctx, what, answering, args, reply)
	}
	return err
}

// cancelEvery is how often Cancel is repeated: one that arrives before the call that it is for has no effect.
const cancelEvery = 100 * time.Millisecond

// cancelGrace is how long the process may take to stop.
const cancelGrace = 5 * time.Second

// await waits for a call's end. Meanwhile it runs what comes from inLoop, which may be nil, in this goroutine. Where the process ends
// first, the error is its death; where ctx ends first, that of ctx.
func (m *Model) await(ctx context.Context, call *rpc.Call, at phase, inLoop <-chan func()) error {
	p := m.process
	w := p.watch(m.options.patience, at)
	tick := time.NewTicker(w.Tick)
	defer tick.Stop()
	ended := ctx.Done()
	var cancel <-chan time.Time
	for {
		select {
		case f := <-inLoop:
			f()
			w.sign()
		case <-call.Done:
			return m.settle(ctx, p, call.Error, inLoop)
		case <-ended:
			ended = nil
			again := time.NewTicker(cancelEvery)
			defer again.Stop()
			cancel = again.C
			late := time.AfterFunc(cancelGrace, func() { p.kill("it did not stop") })
			defer late.Stop()
			p.cancel()
		case <-cancel:
			p.cancel()
		case <-tick.C:
			w.tick()
		}
	}
}

// cancel has the process stop what it does.
func (p *process) cancel() {
	p.calls.Go(engineService+".Cancel", None{}, &None{}, make(chan *rpc.Call, 1))
}

// settle returns the error of a finished call, after what the process sent before it was handled.
func (m *Model) settle(ctx context.Context, p *process, err error, inLoop <-chan func()) error {
	if remote := rpc.ServerError(""); err == nil || errors.As(err, &remote) {
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	if !hungUp(err) {
		p.kill(err.Error()) // it can get no more calls
	}
	for heard := inLoop == nil; !heard; {
		select {
		case f := <-inLoop:
			f()
		case <-p.gone:
			heard = true
		}
	}
	death := p.death()
	if m.process == p {
		m.bury()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return death
}

// hungUp says whether an error means that the other side has ended. If it ends within an answer, net/rpc keeps only the error's text.
func hungUp(err error) bool {
	return errors.Is(err, rpc.ErrShutdown) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE) ||
		err.Error() == "reading body "+io.ErrUnexpectedEOF.Error()
}

// bury forgets a process that died. The next one has its settings.
func (m *Model) bury() {
	m.process = nil
	m.deaths++
	if m.work != nil {
		like, options := m.engine, &m.options.Engine
		options.Yields = options.Yields || options.Threads == 0
		options.Like, options.Threads = &like, like.Threads
	}
}

// Close ends the process. It is safe to call twice.
func (m *Model) Close() error {
	m.closed = true
	if p := m.process; p != nil {
		m.process = nil
		p.kill("closed")
		_ = p.end() // as intended
	}
	return nil
}

// Info implements [backends.Model].
func (m *Model) Info(ctx context.Context) (info backends.Info, err error) {
	if err = m.call(ctx, "Info", planning, None{}, &info); err == nil {
		m.options.Engine.SHA256 = info.Model.FileSHA256
	}
	return info, err
}

// Plan implements [backends.Planner].
func (m *Model) Plan(ctx context.Context, w backends.Workload) (a backends.Allocation, err error) {
	if err := ctx.Err(); err != nil {
		return a, err
	}
	if err := m.call(ctx, "Plan", planning, w, &a); err != nil {
		return a, err
	}
	addOwn(&a)
	info, err := m.Info(ctx)
	m.work, m.engine = &w, info.Engine
	return a, err
}

// addOwn adds to an allocation, whose numbers are the engine's process's, what this process holds.
func addOwn(a *backends.Allocation) {
	if own := machine.Resident(); own > 0 && a.Beside > 0 {
		a.Beside += own
		a.Description += fmt.Sprintf("; %s with all that its two processes hold", humanize.IBytes(uint64(a.Total()+a.Beside)))
	}
}

// Forecast implements [backends.Forecaster].
func (m *Model) Forecast(ctx context.Context, w backends.Workload) (f backends.Forecast, err error) {
	if err = m.call(ctx, "Forecast", planning, w, &f); err == nil {
		addOwn(&f.Allocation)
	}
	return f, err
}

// Tokenize implements [backends.Tokenizer].
func (m *Model) Tokenize(prompt string) (tokens []int32, err error) {
	err = m.ask("Tokenize", prompt, &tokens)
	return tokens, err
}

// ChatTemplate implements [backends.Templated].
func (m *Model) ChatTemplate() backends.ChatTemplate { return m.opened.Template }

// Recommended implements [backends.Recommender].
func (m *Model) Recommended() *backends.Recommendation { return m.opened.Recommended }

// VocabularySHA256 implements [backends.Scorer].
func (m *Model) VocabularySHA256() string { return m.opened.Vocabulary }

// Piece implements [backends.Scorer]. The vocabulary's texts are fetched once.
func (m *Model) Piece(token int32) string {
	if m.pieces == nil {
		if err := m.ask("Pieces", None{}, &m.pieces); err != nil {
			m.warn(err.Error())
		}
	}
	if token < 0 || int(token) >= len(m.pieces) {
		return ""
	}
	return m.pieces[token]
}

// TokenOf implements [backends.Scorer].
func (m *Model) TokenOf(piece string) (id int32, found bool) {
	var token Token
	if err := m.ask("TokenOf", piece, &token); err != nil {
		m.warn(err.Error())
	}
	return token.ID, token.Found
}

// Others implements [backends.LoadReporter]. A death that it finds is only said: what comes next has a new process.
func (m *Model) Others() (load backends.Load) {
	if death := (*Death)(nil); errors.As(m.call(m.ctx, "Others", answering, None{}, &load), &death) {
		m.warn(death.Error())
	}
	return load
}

func (m *Model) warn(text string) {
	if m.options.Engine.Warn != nil {
		m.options.Engine.Warn(text)
	}
}

// CheckBudget implements [backends.Budgeter]: it keeps every one, as the engine does.
func (m *Model) CheckBudget(backends.Budget) error { return nil }
