package progress

import (
	"fmt"
	"strings"
	"time"

	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
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
