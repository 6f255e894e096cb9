package sweep

import (
	"fmt"
	"os"

	"proctor/runner/ask"
	"proctor/runner/mark/format"
)

// expecting has an observer of the first candidate that is asked in this call also tell what all of them are going to take.
func (s *Sweep) expecting(o ask.Observer) ask.Observer {
	if s.Total == nil || s.clock.at >= 0 && s.clock.at != s.at {
		return o
	}
	s.clock.at = s.at
	o.OnExpected = func(expected ask.Expected) { s.Total(s.total(expected)) }
	return o
}

// total says what the candidates that wait are going to take, from what the one at work takes: another model's time by its size, that of
// another type of the cache as the same.
func (s *Sweep) total(expected ask.Expected) string {
	now := &s.doc.Candidates[s.at]
	bytes := s.bytes(now)
	seconds, known, unknown, rough := 0.0, 0, 0, expected.Rough
	for i := range s.doc.Candidates {
		c := &s.doc.Candidates[i]
		if !s.waits(c) || c.State == Answered && c.Lacks == 0 {
			continue
		}
		each, same := expected.Seconds, c.Ref == now.Ref && c.Type == now.Type
		size := s.bytes(c)
		switch {
		case !each.Defined(), !same && (bytes == 0 || size == 0):
			unknown++
			continue
		case !same:
			each, rough = scaled(each, expected.Decoding, bytes, size), true
		case c != now:
			rough = true
		}
		seconds += each.Or(0)
		known++
	}
	if known == 0 {
		return fmt.Sprintf("the sweep: %s; duration unknown until the first answers", format.Several(unknown, "candidate"))
	}
	line := fmt.Sprintf("the sweep: %s, for %s", ask.Took(seconds, rough), format.Several(known, "candidate"))
	if unknown > 0 {
		line += fmt.Sprintf("; of %d more it is unknown", unknown)
	}
	if s.UntilDecided {
		line += "; less where it is decided earlier"
	}
	return line + "; without making, loading and scoring models"
}

// bytes are those of a candidate's model; 0 where they are unknown.
func (s *Sweep) bytes(c *Progress) int64 {
	if c.Type == "" {
		if info, err := os.Stat(c.Ref); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
		return 0
	}
	bytes, err := s.Cache.Estimate(*s.doc.Source, c.Type)
	if err != nil {
		return 0
	}
	return bytes
}
