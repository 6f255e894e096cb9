package journaltest

import (
	"errors"

	"proctor/runner/journal"
)

// GoOn goes on with a run's journal under a header at once.
func GoOn(run string, h journal.Header) (*journal.Writer, *journal.Continuation, error) {
	c, err := journal.Continue(run)
	if err != nil {
		return nil, nil, err
	}
	w, err := committed(c, &h)
	if err != nil {
		return nil, nil, errors.Join(err, c.Close())
	}
	return w, c, nil
}

func committed(c *journal.Continuation, h *journal.Header) (*journal.Writer, error) {
	if err := c.Refuses(h); err != nil {
		return nil, err
	}
	return c.Commit(h)
}
