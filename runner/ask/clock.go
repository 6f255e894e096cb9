package ask

import (
	"fmt"
	"time"

	"proctor/runner/journal"
)

// A clock tells an asking's times. They never step back, though the machine's clock may be set back meanwhile: otherwise items would
// seem to have been asked side by side, and the run to be faster than it was.
type clock struct {
	began  time.Time            // as the machine's clock told, or later
	passed func() time.Duration // since then
}

// newClock begins at a moment of the machine's clock, or where an earlier session ended if that is later.
func newClock(now time.Time, resume *journal.Resume) clock {
	began := now.Round(0).UTC()
	if resume.Ended.After(began) {
		began = resume.Ended
	}
	return clock{began, func() time.Duration { return time.Since(now) }}
}

func (c clock) now() time.Time { return c.began.Add(c.passed()) }

// setBack says in a line that the machine's clock is behind the end of an earlier session; empty where it is not.
func setBack(now time.Time, resume *journal.Resume) string {
	if !resume.Ended.After(now) {
		return ""
	}
	return fmt.Sprintf("this machine's clock says %s, but the run's last answer came at %s: the clock was set back, or the other one was "+
		"ahead; the journal's times go on from that answer", now.UTC().Format(time.DateTime), resume.Ended.UTC().Format(time.DateTime))
}
