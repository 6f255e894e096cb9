package ollama

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"proctor/backends"
	"proctor/backends/ollama/client"
)

// A server is one of the hosts that are asked.
type server struct {
	client.Server
	version string  // of Ollama there, when it was met
	load    sharing // how many answers it writes at a time

	// What follows is read and written under the pool's lock.
	up      bool
	asking  int     // requests that are there now
	limit   int     // requests that may be there at a time
	read    bool    // what follows is known
	context int     // tokens that it gives a request; 0 where it does not say
	size    int64   // bytes of the loaded model, its cache counted
	onGPU   int64   // of them
	before  []int32 // tokens of the prompt that was asked last
	outage  error
}

// checkTime is how long a server may take to say that it is there.
const checkTime = 10 * time.Second

// pool shares the items out over the servers. One that stops answering gets no more, until it answers again.
type pool struct {
	servers  []*server
	patience time.Duration // how long to wait while none of them answers
	// admit says whether a server that answers may be asked: it must still hold the same model.
	admit func(context.Context, *server) error
	log   func(slog.Level, string)

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever a waiting item should look again
	down    time.Time     // when the last of the servers went away; zero while one answers
	gone    bool          // none came back in time
	failing bool          // the last item that was finished failed in all its tries
	visits  sync.WaitGroup
	visit   func(*server) // looks after a server that went away; nil outside of Generate
}

// errGone is what items get once no server is there.
var errGone = errors.New("no server answers")

func newPool(servers []*server, patience time.Duration, log func(slog.Level, string)) *pool {
	return &pool{servers: servers, patience: patience, log: log, changed: make(chan struct{})}
}

// start has lost servers looked after until the returned function is called, which waits for that to end.
func (p *pool) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.visit = func(s *server) { p.visits.Go(func() { p.revive(ctx, s) }) }
	p.gone, p.failing = false, false
	for _, s := range p.servers {
		if !s.up {
			p.visit(s)
		}
	}
	if !p.anyUp() {
		p.down = time.Now()
	}
	return func() {
		cancel()
		p.mu.Lock()
		p.visit = nil
		p.mu.Unlock()
		p.visits.Wait()
	}
}

// room is how many requests may be in flight at all servers together, those that are away counted too.
func (p *pool) room() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	room := 0
	for _, s := range p.servers {
		room += s.limit
	}
	return room
}

// take waits for a server that may be asked, if possible another than not, and counts the request that is to follow; give
// takes it off again. While no server answers, it waits as long as the pool's patience is; then it fails at once, until one is back.
func (p *pool) take(ctx context.Context, not *server) (*server, error) {
	for {
		p.mu.Lock()
		s := p.freest(not)
		if s != nil {
			s.asking++
			p.mu.Unlock()
			return s, nil
		}
		changed, wait := p.changed, time.Duration(-1)
		if !p.down.IsZero() {
			wait = p.patience - time.Since(p.down)
			if p.gone || wait <= 0 {
				p.giveUp()
				err := p.lastOutage()
				p.mu.Unlock()
				return nil, err
			}
		}
		p.mu.Unlock()
		if err := waitFor(ctx, changed, wait); err != nil {
			return nil, err
		}
	}
}

// waitFor returns when changed is closed or the time, if not negative, is over; else with the reason why ctx ended.
func waitFor(ctx context.Context, changed <-chan struct{}, wait time.Duration) error {
	var over <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-changed:
	case <-over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// freest is the server with the most room, if possible another than not; nil if none has any.
func (p *pool) freest(not *server) *server {
	var best *server
	for _, s := range p.servers {
		switch {
		case !s.up || s.asking >= s.limit:
		case best == nil, best == not, s != not && s.limit-s.asking > best.limit-best.asking:
			best = s
		}
	}
	return best
}

// give ends a request that take counted.
func (p *pool) give(s *server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.asking--
	p.tell()
}

// tell wakes the items that wait.
func (p *pool) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// lose takes a server out because of err, and has it looked after.
func (p *pool) lose(s *server, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !s.up || p.visit == nil {
		return
	}
	s.up, s.outage = false, err
	s.read, s.before = false, nil // it may come back without the model
	if !p.anyUp() {
		p.down = time.Now()
	}
	p.visit(s)
}

// leave takes a server out before Generate, but not the last one.
func (p *pool) leave(s *server, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.up = false
	if !p.anyUp() {
		s.up = true
		return false
	}
	s.outage = err
	return true
}

func (p *pool) anyUp() bool {
	for _, s := range p.servers {
		if s.up {
			return true
		}
	}
	return false
}

// giveUp has items fail at once from now on.
func (p *pool) giveUp() {
	if p.gone {
		return
	}
	p.gone = true
	p.log(slog.LevelError, fmt.Sprintf("ollama: no server has answered for %s: the items that are left fail, until one does", p.patience))
	p.tell()
}

// lastOutage says what became of the servers.
func (p *pool) lastOutage() error {
	var all []string
	for _, s := range p.servers {
		if s.outage != nil {
			all = append(all, s.Name()+": "+client.OneLine(s.outage))
		}
	}
	return fmt.Errorf("%w: %s", errGone, strings.Join(all, "; "))
}

// The waits between two visits to a server that went away, the first of which comes at once.
const (
	firstVisit = 50 * time.Millisecond
	lastVisit  = 3 * time.Second
	quiet      = time.Second // an outage shorter than this is not worth a word
)

// revive looks after a lost server until it answers, or ctx ends.
func (p *pool) revive(ctx context.Context, s *server) {
	lost, told := time.Now(), false
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, p.admit(ctx, s) },
		growing(firstVisit, lastVisit), backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, _ time.Duration) {
			p.mu.Lock()
			s.outage = err
			p.mu.Unlock()
			if !told && time.Since(lost) > quiet {
				told = true
				p.log(slog.LevelWarn, fmt.Sprintf("ollama: %s does not answer, its items wait or go elsewhere: %s",
					s.Name(), client.OneLine(err)))
			}
		}))
	if err != nil { // ctx ended
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.up, p.down, p.gone = true, time.Time{}, false
	p.tell()
	if told {
		p.log(slog.LevelInfo, fmt.Sprintf("ollama: %s answers again, after %s", s.Name(), time.Since(lost).Round(time.Second)))
	}
}

// roomAt is how many tokens a server gives a request, 0 where it does not say; known is false until it was asked.
func (p *pool) roomAt(s *server) (room int, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.context, s.read
}

// sharedWith notes the prompt that a server is about to get, and returns how many tokens of the one before it begins
// with: those the server still has.
func (p *pool) sharedWith(s *server, prompt []int32) (shared int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	shared = backends.CommonPrefix(prompt, s.before)
	s.before = prompt
	return shared
}

// allowed is how often an item may be asked: once while items fail in all their tries, so that a server which can
// answer none of them is not asked for hours.
func (p *pool) allowed(tries int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing {
		return 1
	}
	return tries
}

// learn notes what became of an item.
func (p *pool) learn(answered, exhausted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case answered:
		p.failing = false
	case exhausted:
		p.failing = true
	}
}
