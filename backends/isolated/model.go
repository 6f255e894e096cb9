package isolated

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"proctor/backends"
	"proctor/backends/child"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp"
	"proctor/backends/machine"
)

// Model is a model in a process of its own. It does for a run what a [llamacpp.Model] does.
type Model struct {
	options    llamacpp.Options
	vocabulary bool       // without the tensors
	tokenizing sync.Mutex // for vocabularies
	patience   Patience
	ctx        context.Context // given to Open: calls without a context end with it
	process    *process        // nil where it died
	opened     answer
	pieces     []string            // nil until Piece
	work       *backends.Workload  // that was planned for; nil before
	engine     backends.EngineInfo // as it was then
	deaths     int
	closed     bool
}

// Open starts a process and has it open the model. A death there is an error, a [*child.Death]. The end of ctx ends
// whatever the process is asked later, too.
func Open(ctx context.Context, options llamacpp.Options) (*Model, error) {
	return (&Model{options: options, patience: defaultPatience}).open(ctx)
}

// OpenVocabulary opens the vocabulary and chat template of a file as [Open] opens its model, without the tensors. They
// are used by several goroutines at a time.
func OpenVocabulary(ctx context.Context, options llamacpp.Options) (*Model, error) {
	return (&Model{options: options, patience: defaultPatience, vocabulary: true}).open(ctx)
}

func (m *Model) open(ctx context.Context) (*Model, error) {
	if file, err := gguf.Open(m.options.Path); err == nil {
		m.patience = m.patience.with(file.Size)
	}
	if m.options.Warn == nil {
		m.options.Warn = func(string) {}
	}
	m.options.Model, m.ctx = cmp.Or(m.options.Model, m.options.Path), ctx
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
	options := m.options // which is changed after a death, while this may be on its way
	a, err := m.call(ctx, reading, command{What: callOpen, Options: &options, Vocabulary: m.vocabulary}, nil)
	if err != nil {
		return err
	}
	if m.opened = a; m.work != nil {
		_, err = m.call(ctx, planning, command{What: callPlan, Workload: m.work}, nil)
	}
	return err
}

// cancelGrace is how long the process may take to stop.
const cancelGrace = 5 * time.Second

// call makes a call to the process, or to a new one, with the settings of the last, where that died. Meanwhile
// callback, which may be nil, gets the engine's callbacks, in this goroutine. The error is a [*child.Death] where the
// process dies, and that of ctx where ctx ends first.
func (m *Model) call(ctx context.Context, at phase, o command, callback func(event) command) (answer, error) {
	if m.closed {
		return answer{}, backends.ErrClosed
	}
	if m.process == nil {
		if err := m.start(ctx); err != nil {
			return answer{}, err
		}
	}
	p := m.process
	w := p.watch(m.patience, at)
	tick := time.NewTicker(w.Tick)
	defer tick.Stop()
	p.command(o)
	for ended := ctx.Done(); ; {
		select {
		case r := <-p.events:
			switch {
			case r.What != answered:
				p.command(callback(r))
				w.sign()
			case r.Error != "" && ctx.Err() != nil:
				return answer{}, ctx.Err()
			case r.Error != "":
				return answer{}, errors.New(r.Error)
			default:
				return *r.Answer, nil
			}
		case <-p.gone:
			died := p.End()
			if m.process == p {
				m.bury()
			}
			if ctx.Err() != nil {
				return answer{}, ctx.Err()
			}
			return answer{}, fmt.Errorf("%s: the engine's process died: %w", m.options.Model, died)
		case <-ended:
			ended = nil
			late := time.AfterFunc(cancelGrace, func() { p.Kill("it did not stop") })
			defer late.Stop()
			p.command(command{What: callCancel})
		case <-tick.C:
			w.tick()
		}
	}
}

// ask makes a call whose answer does not depend on other calls. It may be used while requests are pulled; where the
// process dies meanwhile, of one of them, the call is repeated in the next process.
func (m *Model) ask(o command) (answer, error) {
	a, err := m.call(m.ctx, answering, o, nil)
	if death := (*child.Death)(nil); errors.As(err, &death) {
		a, err = m.call(m.ctx, answering, o, nil)
	}
	return a, err
}

// bury forgets a process that died. The next one has its settings.
func (m *Model) bury() {
	m.process = nil
	m.deaths++
	if m.work != nil {
		like, options := m.engine, &m.options
		options.Yields = options.Yields || options.Threads == 0
		options.Like, options.Threads = &like, like.Threads
	}
}

// Close ends the process. It is safe to call twice.
func (m *Model) Close() error {
	m.tokenizing.Lock()
	defer m.tokenizing.Unlock()
	m.closed = true
	if p := m.process; p != nil {
		m.process = nil
		p.Kill("closed")
		p.End()
	}
	return nil
}

// Info implements [backends.Model].
func (m *Model) Info(ctx context.Context) (backends.Info, error) {
	a, err := m.call(ctx, planning, command{What: callInfo}, nil)
	if err == nil {
		m.options.SHA256 = a.Info.Model.FileSHA256
	}
	return a.Info, err
}

// Plan implements [backends.Planner].
func (m *Model) Plan(ctx context.Context, w backends.Workload) (backends.Allocation, error) {
	if err := ctx.Err(); err != nil {
		return backends.Allocation{}, err
	}
	a, err := m.call(ctx, planning, command{What: callPlan, Workload: &w}, nil)
	if err != nil {
		return a.Allocation, err
	}
	addOwn(&a.Allocation)
	info, err := m.Info(ctx)
	m.work, m.engine = &w, info.Engine
	return a.Allocation, err
}

// addOwn adds to an allocation, whose numbers are the engine's process's, what this process holds.
func addOwn(a *backends.Allocation) {
	if own := machine.Resident(); own > 0 && a.Beside > 0 {
		a.Beside += own
		a.Description += fmt.Sprintf("; %s with all that its two processes hold", humanize.IBytes(uint64(a.Total()+a.Beside)))
	}
}

// Forecast implements [backends.Forecaster].
func (m *Model) Forecast(ctx context.Context, w backends.Workload) (backends.Forecast, error) {
	a, err := m.call(ctx, planning, command{What: callForecast, Workload: &w}, nil)
	if err == nil {
		addOwn(&a.Forecast.Allocation)
	}
	return a.Forecast, err
}

// Tokenize implements [backends.Tokenizer].
func (m *Model) Tokenize(prompt string) ([]int32, error) {
	m.tokenizing.Lock()
	defer m.tokenizing.Unlock()
	a, err := m.ask(command{What: callTokenize, Text: prompt})
	return a.Tokens, err
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
		a, err := m.ask(command{What: callPieces})
		if err != nil {
			m.options.Warn(err.Error())
		}
		m.pieces = a.Pieces
	}
	if token < 0 || int(token) >= len(m.pieces) {
		return ""
	}
	return m.pieces[token]
}

// TokenOf implements [backends.Scorer].
func (m *Model) TokenOf(piece string) (id int32, found bool) {
	a, err := m.ask(command{What: callTokenOf, Text: piece})
	if err != nil {
		m.options.Warn(err.Error())
	}
	return a.Token, a.Found
}

// Others implements [backends.LoadReporter]. A death that it finds is only said: what comes next has a new process.
func (m *Model) Others() backends.Load {
	a, err := m.call(m.ctx, answering, command{What: callOthers}, nil)
	if death := (*child.Death)(nil); errors.As(err, &death) {
		m.options.Warn(err.Error())
	}
	return a.Load
}

// CheckBudget implements [backends.Budgeter]: it keeps every one, as the engine does.
func (m *Model) CheckBudget(backends.Budget) error { return nil }

// Summary implements [backends.Engine].
func (m *Model) Summary() backends.Summary { return m.opened.Summary }

// CheckTest implements [backends.Engine].
func (m *Model) CheckTest(s backends.EngineSettings, t backends.EngineTest) error {
	_, err := m.call(m.ctx, planning, command{What: callCheckTest, Settings: s, Test: t}, nil)
	return err
}

// RunTest implements [backends.Engine].
func (m *Model) RunTest(ctx context.Context, s backends.EngineSettings, t backends.EngineTest, step func(warm bool)) (
	[]time.Duration, error) {
	a, err := m.call(ctx, generating, command{What: callRunTest, Settings: s, Test: t}, func(r event) command {
		step(r.Warm)
		return command{What: r.What}
	})
	return a.Samples, err
}
