package console

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/prompts/dataset/hub"
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

// Intervals: of redrawing a terminal, of objects in JSON, and of lines without a terminal.
const (
	redraw = 100 * time.Millisecond
	object = time.Second
	relate = 5 * time.Second
	idle   = time.Minute // if nothing has ended
)

// The values of --progress.
const (
	byTerminal = "tty"
	byLines    = "plain"
	byJSON     = "json"
	byNothing  = "none"
)

// ProgressFlag chooses how progress is shown.
func ProgressFlag(w *flags.Words, to *string) cli.Flag {
	return w.Choice("progress", []string{flags.Auto, byLines, byTerminal, byJSON, byNothing}, func(how string) { *to = how })
}

// A Monitor shows progress.
type Monitor struct {
	*Program
	every   time.Duration
	display func(progress.Update)

	mutex sync.Mutex // guards the rest
	state *progress.State
	shown time.Time
	ended chan struct{} // stops idle; nil if it is not running
}

// Monitor chooses how progress is shown.
func (p *Program) Monitor(how string) (*Monitor, error) {
	if p.Quiet {
		how = byNothing
	}
	if how == flags.Auto && p.Terminal && p.Screen != nil {
		how = byTerminal
	}
	t := &Monitor{Program: p, every: relate, display: func(u progress.Update) { fmt.Fprintln(p.Stderr, u.Line()) }}
	switch how {
	case byNothing:
		t.display = func(progress.Update) {}
	case byJSON:
		t.every, t.display = object, func(u progress.Update) { p.object(u) }
	case byTerminal:
		if !p.Terminal || p.Screen == nil {
			return nil, fmt.Errorf("--progress tty: standard error is not a terminal: give plain, json or none")
		}
		t.every, t.display = redraw, p.Screen.Update
	}
	return t, nil
}

// object writes a line of JSON for programs.
func (p *Program) object(what any) {
	if line, err := json.Marshal(what); err == nil { // plain structs always can
		fmt.Fprintln(p.Stderr, page.Visible(string(line)))
	}
}

// Draws says whether the monitor draws on the terminal, which then nobody else may.
func (t *Monitor) Draws() bool { return t.every == redraw }

// Begin starts to show a task. where, if not nil, is its place in a sweep.
func (t *Monitor) Begin(header *journal.Header, subjects []progress.Subject, where func() progress.Sweep) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	now := t.Now()
	t.state, t.shown = progress.New(header, subjects, now), now
	if t.ended == nil {
		t.ended = make(chan struct{})
		go t.idle(t.ended)
	}
	if where != nil {
		t.state.In(where)
	}
	if t.Draws() {
		t.Screen.Update(t.state.At(now))
	}
}

// idle updates the display if nothing was answered for a while, on a terminal each second.
func (t *Monitor) idle(ended <-chan struct{}) {
	after := idle
	if t.Draws() {
		after = time.Second
	}
	for {
		select {
		case <-ended:
			return
		case <-time.After(time.Second):
		}
		t.mutex.Lock()
		if t.ended == ended && t.Now().Sub(t.shown) >= after {
			t.show(after)
		}
		t.mutex.Unlock()
	}
}

// Item counts a new answer and shows the progress.
func (t *Monitor) Item(record *journal.Record) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.state.Add(record)
	t.show(t.every)
}

// Open counts an answer that was started.
func (t *Monitor) Open(id string, tokens int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.state.Open(id, tokens)
}

// show shows the progress if it was not shown for the given time, or if it is the last.
func (t *Monitor) show(after time.Duration) {
	now := t.Now()
	if now.Sub(t.shown) < after && !t.state.Over() {
		return
	}
	t.shown = now
	t.display(t.state.At(now))
}

// End shows the task's last progress and releases the terminal. It may be called again.
func (t *Monitor) End() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.ended == nil {
		return
	}
	close(t.ended)
	t.ended = nil
	if t.Draws() {
		t.display(t.state.At(t.Now()))
		t.Screen.Stop()
	}
}

// Copying shows on a terminal how much of a file is done, and the remaining time.
func (p *Program) Copying(what string) func(done, total int64) {
	began, shown := p.Now(), time.Time{}
	return func(done, total int64) {
		now := p.Now()
		if !p.Terminal || now.Sub(shown) < redraw {
			return
		}
		shown = now
		p.Draw()(fmt.Sprintf("%s %s of %s%s", what, format.Size(done, "0 B"), format.Size(total, "0 B"), Eta(now.Sub(began), done, total)))
	}
}

// Eta is the estimated remaining time; empty if it is too early for one.
func Eta(elapsed time.Duration, done, total int64) string {
	if done == 0 || elapsed < time.Second {
		return ""
	}
	return "  " + progress.ETA(elapsed.Seconds()*float64(total-done)/float64(done))
}

// Clear clears the terminal's line.
func (p *Program) Clear() {
	if draw := p.Draw(); draw != nil {
		draw("")
	}
}

// Downloading shows how much has arrived, and why a download is retried.
func (p *Program) Downloading() func(hub.Progress) {
	draw := p.Draw()
	return func(now hub.Progress) {
		if now.Note != "" {
			p.Warn(now.Note)
		}
		if p.Terminal {
			draw(fmt.Sprintf("%s %s of %s", now.File, format.Size(now.Done, "0 B"), format.Size(now.Total, "0 B")))
		}
		if p.Terminal && now.Done == now.Total {
			fmt.Fprintln(p.Stderr)
		}
	}
}
