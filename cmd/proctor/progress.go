package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/runner/ask"
	"proctor/runner/ask/live"
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/report"
	"proctor/runner/report/page"
)

// How often a terminal is drawn anew, an object of JSON is written, and a line where there is no terminal.
const (
	redraw = 100 * time.Millisecond
	object = time.Second
	relate = 5 * time.Second
)

// The ways of telling progress.
const (
	byTerminal = "tty"
	byLines    = "plain"
	byJSON     = "json"
	byNothing  = "none"
)

func progressFlag(to *string) cli.Flag {
	return &cli.StringFlag{
		Name: "progress", Value: flags.Auto, Destination: to, Category: "RESULT",
		Usage: "show progress as `HOW`: plain lines, tty, json or none; auto is tty on a terminal, else plain",
		Action: flags.Valid("progress", func(how string) bool {
			return how == flags.Auto || how == byTerminal || how == byLines || how == byJSON || how == byNothing
		}, "give auto, plain, tty, json or none"),
	}
}

// monitor is what tells progress: nil tells none.
type monitor struct {
	*program
	every time.Duration
	tell  func(progress.Update)
	live  *live.Server // nil where it is not served
	state *progress.State
	shown time.Time
}

// monitor finds out how progress is told, and where it is served, if that is not empty.
func (p *program) monitor(how, serve string) (*monitor, error) {
	if how == flags.Auto && p.terminal && p.screen != nil {
		how = byTerminal
	}
	t := &monitor{program: p, every: relate, tell: func(u progress.Update) { fmt.Fprintln(p.stderr, u.Line()) }}
	switch how {
	case byNothing:
		t.tell = func(progress.Update) {}
	case byJSON:
		t.every, t.tell = object, func(u progress.Update) { p.object(u) }
	case byTerminal:
		if !p.terminal || p.screen == nil {
			return nil, fmt.Errorf("--progress tty: standard error is no terminal: give plain, json or none")
		}
		t.every, t.tell = redraw, p.screen.Update
	}
	if serve == "" {
		return t, nil
	}
	var err error
	if t.live, err = live.Listen(serve); err == nil {
		p.note("live: " + t.live.Address())
	}
	return t, err
}

// object writes a line of JSON for programs.
func (p *program) object(what any) {
	if line, err := json.Marshal(what); err == nil { // plain structs always can
		fmt.Fprintln(p.stderr, page.Visible(string(line)))
	}
}

// begin begins to tell how a task is doing, which is kept in a folder.
func (t *monitor) begin(folder string, header *journal.Header, asked []progress.Subject) {
	now := t.now()
	t.state, t.shown = progress.New(header, asked, now), now
	if t.live != nil {
		t.live.Begin(folder, t.state.At(now))
	}
	if t.every == redraw {
		t.screen.Show(t.state.At(now))
	}
}

// item counts a new answer and shows where the run stands.
func (t *monitor) item(record *journal.Record) {
	t.state.Add(record)
	now := t.now()
	u := t.state.At(now)
	if t.live != nil {
		t.live.Update(u)
	}
	if now.Sub(t.shown) < t.every && u.Done < u.Total {
		return
	}
	t.shown = now
	t.tell(u)
}

// end leaves the terminal with where the task stands.
func (t *monitor) end() {
	if t.every != redraw {
		return
	}
	if t.state != nil {
		t.tell(t.state.At(t.now()))
	}
	t.screen.Stop()
}

// watch has a session's progress told.
func (p *program) watch(session *ask.Session, o *runOptions) (*monitor, error) {
	how := o.progress
	if o.model.Quiet {
		how = byNothing
	}
	told, err := p.monitor(how, o.serve)
	if err != nil {
		return nil, err
	}
	if told.every != redraw {
		o.model.Draw = nil
	}
	tasks := 0
	session.Watch = func(header *journal.Header, asked []progress.Subject) func(*journal.Record) {
		told.begin(session.Folders()[tasks], header, asked)
		tasks++
		return told.item
	}
	return told, nil
}

// close ends all of it.
func (t *monitor) close() {
	t.end()
	if t.live == nil {
		return
	}
	if err := t.live.Close(); err != nil {
		t.warn("ending the live report: " + err.Error())
	}
}

func serveFlag(to *string) cli.Flag {
	return &cli.StringFlag{
		Name: "serve", Destination: to, DefaultText: "not served", Category: "RESULT",
		Usage: "serve a live report at `HOST:PORT` or PORT, unencrypted; remote access needs the secret in its URL",
	}
}

// interim tells a person how far a run that stops by itself has come.
func (p *program) interim(target float64) func(*journal.Interim) {
	return func(interim *journal.Interim) {
		if interim.Evidence != nil {
			p.note(fmt.Sprintf("look %d: %s", interim.Number, report.Decided(interim)))
			return
		}
		width, value := "no interval yet", ""
		if interim.HalfWidth != nil && interim.Value != nil {
			value = " " + format.Percent(stats.Of(*interim.Value))
			width = fmt.Sprintf("± %s of ± %s", format.Points(stats.Of(*interim.HalfWidth), 2), format.Points(stats.Of(target), 2))
		}
		p.note(fmt.Sprintf("look %d: %d questions, %s%s, %s", interim.Number, interim.Questions, interim.Headline, value, width))
	}
}

// copying shows on a terminal how much of a file is done, and when it will be.
func (p *program) copying(what string) func(done, total int64) {
	began, shown := p.now(), time.Time{}
	return func(done, total int64) {
		now := p.now()
		if !p.terminal || now.Sub(shown) < redraw {
			return
		}
		shown = now
		p.draw()(fmt.Sprintf("%s %s of %s%s", what, size(done), size(total), eta(now.Sub(began), done, total)))
	}
}

// eta is how long the rest will take, once that can be said.
func eta(elapsed time.Duration, done, total int64) string {
	if done == 0 || elapsed < time.Second {
		return ""
	}
	left := time.Duration(float64(elapsed) * float64(total-done) / float64(done))
	return "  ETA " + left.Round(time.Second).String()
}

// clear leaves the terminal's line empty.
func (p *program) clear() {
	if draw := p.draw(); draw != nil {
		draw("")
	}
}
