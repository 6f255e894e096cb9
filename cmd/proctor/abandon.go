package main

import (
	"fmt"

	"proctor/runner/ask"
)

// abandonRun ends the program where the engine gave up on the way, with what was answered on the disk.
func (p program) abandonRun(err error, session *ask.Session) {
	todo := ""
	switch begun, lost := session.Abandon(); {
	case lost != nil:
		todo = fmt.Sprintf("; what was answered in the last second may be lost: %v", lost)
	case begun:
		todo = "; what was answered is kept; to go on: " + p.goOnWith(session)
	}
	p.abandon(err, todo)
}
