package report

import (
	"strings"

	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// energy is what the machine took for a question, or why that is not known.
func (r document) energy() (value, detail string) {
	e := r.Speed.Energy
	if !e.Question.Defined() {
		why := e.Unread
		if why == "" {
			why = "the run is too short, or its items tell no times"
		}
		return "not readable", why
	}
	parts := []string{
		"a question" + within(e.QuestionCI), format.Decimal(e.Right, 1, 1, " J") + " a right answer" + within(e.RightCI),
		format.Decimal(e.Watts, 1, 1, " W") + " on average over " + format.Decimal(e.Seconds, 1, 0, " s"),
		"the whole machine by " + strings.Join(e.Counters, ", "),
	}
	if e.Unread != "" {
		parts = append(parts, e.Unread)
	}
	return format.Decimal(e.Question, 1, 1, " J"), strings.Join(parts, "; ")
}

// within is an interval of joules behind a figure; empty where there is none.
func within(ci stats.Interval) string {
	if ci.IsZero() {
		return ""
	}
	return " (" + format.Confidence(ci.Confidence) + " " + format.Decimal(stats.Of(ci.Low), 1, 1, "") + "–" +
		format.Decimal(stats.Of(ci.High), 1, 1, "") + ")"
}
