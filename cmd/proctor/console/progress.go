package console

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"proctor/prompts/dataset/hub"
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

// Intervals: of redrawing a terminal, and of lines without a terminal.
const (
	redraw = 100 * time.Millisecond
	relate = 5 * time.Second
	idle   = time.Minute // if nothing has ended
)

// A Monitor shows progress: in a line that is drawn over on a terminal, else in lines; nothing if the program is quiet.
type Monitor struct {
	*Program

	mutex sync.Mutex // guards the rest
	state *progress.State
	shown time.Time
	ended chan struct{} // stops idle; nil if it is not running
}

// Begin starts to show a task. place begins each line.
func (t *Monitor) Begin(header *journal.Header, from progress.Counts, place string) {
	t.End()
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.shown, t.ended = t.Now(), make(chan struct{})
	t.state = progress.New(header, from, place, t.shown)
	go t.idle(t.ended)
}

// idle shows the progress if nothing was answered for a while, on a terminal each second.
func (t *Monitor) idle(ended <-chan struct{}) {
	after := idle
	if t.Terminal {
		after = time.Second
	}
	for {
		select {
		case <-ended:
			return
		case <-time.After(time.Second):
		}
		t.mutex.Lock()
		if t.ended == ended && t.Now().Sub(t.shown) >= after { // show draws at once what is over
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
	if t.Terminal {
		t.show(redraw)
	} else {
		t.show(relate)
	}
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
	if t.Quiet || now.Sub(t.shown) < after && !t.state.Over() {
		return
	}
	t.shown = now
	line := t.state.Line(now)
	if !t.Terminal {
		fmt.Fprintln(t.Stderr, line)
		return
	}
	columns, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil {
		columns = page.FirstColumns
	}
	t.Draw()(text.Trim(page.Visible(line), columns-1))
}

// End shows the task's last progress, and leaves it on the terminal.
func (t *Monitor) End() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.ended == nil {
		return
	}
	close(t.ended)
	t.ended = nil
	if t.Terminal && !t.Quiet {
		t.show(0)
		fmt.Fprintln(t.Stderr)
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
