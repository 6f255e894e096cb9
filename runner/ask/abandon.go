package ask

import (
	"errors"
	"sync"
)

// Abandon puts on the disk what was answered, where the process is about to end although the asking is still on its way: the
// engine gave up. Any goroutine may call it. begun says whether there is a run to go on with, in Out.
func (s *Session) Abandon() (begun bool, err error) { return s.files.syncAll() }

// openFiles are those that a task's answers are being written to.
type openFiles struct {
	sync.Mutex
	files []interface{ Sync() error }
}

// set takes the place of those before; with none, before they are closed.
func (o *openFiles) set(files ...interface{ Sync() error }) {
	o.Lock()
	defer o.Unlock()
	o.files = files
}

func (o *openFiles) syncAll() (some bool, err error) {
	o.Lock()
	defer o.Unlock()
	for _, f := range o.files {
		err = errors.Join(err, f.Sync())
	}
	return len(o.files) > 0, err
}
