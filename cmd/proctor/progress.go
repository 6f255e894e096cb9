package main

import (
	"fmt"
	"io"
	"time"

	"proctor/backends"
	"proctor/runner/grade"
	"proctor/runner/journal"
	"proctor/runner/report"
	"proctor/runner/stats"
	"proctor/runner/words"
)

// How often a terminal's line is drawn anew, and how often a line is written where there is no terminal.
const (
	redraw = 100 * time.Millisecond
	relate = 5 * time.Second
)

// progress tells a person how a run is doing: one line that is drawn over on a terminal, plain lines elsewhere.
type progress struct {
	out      io.Writer
	terminal bool
	now      func() time.Time
	header   *journal.Header
	rules    grade.RuleSet

	total, done     int
	asked, scored   int // of those done: in this session, and with a completion
	correct, tokens int // right answers, and tokens evaluated or generated, in this session
	started, shown  time.Time
}

// progress begins to tell how a task of total items is doing.
func (p program) progress(header *journal.Header, total, done int) *progress {
	rules, _ := grade.Own(header)
	return &progress{
		out: p.stderr, terminal: p.terminal, now: p.now, header: header, rules: rules,
		total: total, done: done, started: p.now(), shown: p.now(),
	}
}

// item counts a new answer and shows where the run stands.
func (p *progress) item(record *journal.Record) {
	p.done++
	p.asked++
	p.mark(record)
	p.tokens += record.Usage.PromptTokens - record.Usage.ReusedTokens + record.Usage.OutputTokens
	now, pause := p.now(), relate
	if p.terminal {
		pause = redraw
	}
	if now.Sub(p.shown) < pause && p.done < p.total {
		return
	}
	p.shown = now
	if p.terminal {
		fmt.Fprintf(p.out, "\r%s\x1b[K", p.line(now))
		return
	}
	fmt.Fprintln(p.out, p.line(now))
}

// end leaves the terminal's line.
func (p *progress) end() {
	if p.terminal && p.asked > 0 {
		fmt.Fprintln(p.out)
	}
}

func (p *progress) mark(record *journal.Record) {
	if record.Finish == backends.FinishError {
		return
	}
	p.scored++
	if p.rules.Mark(p.header, record).Correct {
		p.correct++
	}
}

// line is the whole state in one line: done/total, ETA, accuracy so far with its interval, tokens per second.
func (p *progress) line(now time.Time) string {
	line := fmt.Sprintf("%s %d/%d", p.header.Task, p.done, p.total)
	elapsed := now.Sub(p.started)
	if p.header.Selection.StopsItself() { // nobody knows when
		line = fmt.Sprintf("%s %d of up to %d", p.header.Task, p.done, p.total)
	} else if left := p.total - p.done; left > 0 && p.asked > 0 {
		eta := elapsed / time.Duration(p.asked) * time.Duration(left)
		line += fmt.Sprintf("  ETA %s", eta.Round(time.Second))
	}
	if p.scored > 0 {
		interval := stats.Wilson(p.correct, p.scored, stats.DefaultConfidence)
		line += fmt.Sprintf("  accuracy %s (%s)", words.Percent(stats.Ratio(p.correct, p.scored)), words.Bounds(interval))
	}
	if errors := p.asked - p.scored; errors > 0 {
		line += fmt.Sprintf("  errors %d", errors)
	}
	if seconds := elapsed.Seconds(); seconds > 0 {
		line += fmt.Sprintf("  %.0f tokens/s", float64(p.tokens)/seconds)
	}
	return line
}

// interim tells a person how far a run that stops by itself has come.
func (p program) interim(target float64) func(*journal.Interim) {
	return func(interim *journal.Interim) {
		if interim.Evidence != nil {
			p.note(fmt.Sprintf("look %d: %s", interim.Number, report.Decided(interim)))
			return
		}
		width, value := "no interval yet", ""
		if interim.HalfWidth != nil && interim.Value != nil {
			value = " " + words.Percent(stats.Of(*interim.Value))
			width = fmt.Sprintf("± %s of ± %s", words.Points(stats.Of(*interim.HalfWidth), 2), words.Points(stats.Of(target), 2))
		}
		fmt.Fprintf(p.stderr, "look %d: %d questions, %s%s, %s\n", interim.Number, interim.Questions, interim.Headline, value, width)
	}
}

// copying shows on a terminal how much of a file is done, and when it will be.
func (p program) copying(what string) func(done, total int64) {
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
func (p program) clear() {
	if draw := p.draw(); draw != nil {
		draw("")
	}
}
