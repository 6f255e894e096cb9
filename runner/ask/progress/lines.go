package progress

import (
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/report/page"
)

// Line is the whole state in one line: done/total, ETA, accuracy so far with its interval, tokens per second.
func (u Update) Line() string {
	parts := []string{fmt.Sprintf("%s %d/%d", u.Task, u.Done, u.Total)}
	if u.StopsItself {
		parts[0] = fmt.Sprintf("%s %d of up to %d", u.Task, u.Done, u.Total)
	}
	if left, known := u.ETA.Get(); known {
		parts = append(parts, ETA(left))
	}
	if s := u.Sweep; s != nil {
		parts[0] = fmt.Sprintf("[%d/%d %s] %s", s.Number, s.Of, s.Candidate, parts[0])
		if left, known := s.ETA.Get(); known {
			parts = append(parts, "sweep "+ETA(left))
		}
	}
	if u.Scored > 0 {
		parts = append(parts, fmt.Sprintf("accuracy %s (%s)", format.Percent(u.Accuracy), format.Bounds(u.CI)))
	}
	if errors := u.Failures[string(grade.AdapterError)] + u.Failures[string(grade.HarnessError)]; errors > 0 {
		parts = append(parts, fmt.Sprintf("errors %d", errors))
	}
	if u.Rate.Defined() {
		parts = append(parts, format.Decimal(u.Rate, 1, 0, " tokens/s"))
	}
	if u.Longest > 0 {
		parts = append(parts, fmt.Sprintf("%s open, the longest at %s", format.Several(u.Open, "answer"), format.Several(u.Longest, "token")))
	}
	return strings.Join(parts, "  ")
}

// ETA formats the seconds left.
func ETA(seconds float64) string {
	return "ETA " + time.Duration(seconds*float64(time.Second)).Round(time.Second).String()
}

// barWidth is how many characters a subject's bar has.
const barWidth = 20

// Lines are the progress in lines for a terminal of this size: the total, the failures, and as many subjects as fit, active ones
// first.
func (u Update) Lines(columns, rows int) []string {
	lines := []string{u.Line()}
	var speed []string
	if u.Active.Defined() {
		slots := "slots at work " + format.Decimal(u.Active, 1, 1, "")
		if u.Slots > 0 {
			slots += fmt.Sprintf(" of %d", u.Slots)
		}
		speed = append(speed, slots)
	}
	for _, tag := range grade.Tags {
		if n := u.Failures[string(tag)]; n > 0 {
			speed = append(speed, fmt.Sprintf("%s %d", tag, n))
		}
	}
	if len(speed) > 0 {
		lines = append(lines, "  "+strings.Join(speed, "  "))
	}
	lines = append(lines, u.subjectLines(rows-len(lines)-1)...)
	for i, line := range lines {
		lines[i] = text.Trim(page.Visible(line), columns)
	}
	return lines
}

// subjectLines are at most room lines; where not all fit, active subjects come first.
func (u Update) subjectLines(room int) []string {
	if len(u.Subjects) < 2 || room < 1 {
		return nil
	}
	show := map[int]bool{}
	choose := func(is func(Part) bool) {
		for i, p := range u.Subjects {
			if len(show) < room && is(p) {
				show[i] = true
			}
		}
	}
	if len(u.Subjects) > room {
		room-- // for the line that counts the rest
	}
	choose(func(p Part) bool { return p.Done > 0 && p.Done < p.Total })
	choose(func(p Part) bool { return p.Done == 0 })
	choose(func(Part) bool { return true })
	width := 0
	for _, p := range u.Subjects {
		width = max(width, text.StringWidth(p.Subject))
	}
	var lines []string
	for i, p := range u.Subjects {
		if !show[i] {
			continue
		}
		filled := barWidth * p.Done / max(1, p.Total)
		line := fmt.Sprintf("  %s %s%s %*d/%d", text.Pad(p.Subject, width, ' '), strings.Repeat("█", filled),
			strings.Repeat("░", barWidth-filled), len(fmt.Sprint(p.Total)), p.Done, p.Total)
		if p.Scored > 0 {
			line += fmt.Sprintf("  %s (%s)", format.Percent(p.Accuracy), format.Bounds(p.CI))
		}
		lines = append(lines, line)
	}
	if rest := len(u.Subjects) - len(show); rest > 0 {
		lines = append(lines, fmt.Sprintf("  and %s", format.Several(rest, "more subject")))
	}
	return lines
}
