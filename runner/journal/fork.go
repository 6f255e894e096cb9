package journal

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"proctor/backends"
)

// checkForks refuses forks that cannot be marked.
func (r *Record) checkForks() error {
	before := -1
	for _, f := range r.Forks {
		switch {
		case f.Budget <= before:
			return fmt.Errorf("%s: a fork's budget of %d comes after one of %d", r.ID, f.Budget, before)
		case f.Shared < 0 || f.Shared > len(r.Text):
			return fmt.Errorf("%s: the fork at %d shares %d bytes of a text that has %d", r.ID, f.Budget, f.Shared, len(r.Text))
		case !utf8.ValidString(f.Whole(r.Text)):
			return fmt.Errorf("%s: the fork at %d is not UTF-8", r.ID, f.Budget)
		case f.Finish != backends.FinishStop && f.Finish != backends.FinishLength:
			return fmt.Errorf("%s: the fork at %d has the finish %q, not stop or length", r.ID, f.Budget, f.Finish)
		}
		before = f.Budget
	}
	if r.Failed() && len(r.Forks) > 0 {
		return errors.New(r.ID + ": it failed, and has forks")
	}
	return nil
}

// At is the record that a run with one of the header's budgets alone would have: the fork there, or, where the thinking ended before,
// the record itself.
func (r *Record) At(budget int) Record {
	at := *r
	at.Forks = nil
	for _, f := range r.Forks {
		if f.Budget != budget {
			continue
		}
		at.Text, at.Finish, at.Stop, at.Cause, at.ThinkClosed = f.Whole(r.Text), f.Finish, f.Stop, f.Cause, true
		at.Usage.OutputTokens, at.Usage.ThinkingTokens = f.OutputTokens, f.ThinkingTokens
	}
	return at
}
