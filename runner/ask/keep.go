package ask

import (
	"errors"
	"fmt"
	"sync"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/format"
)

// keep opens the file of a run's log-probabilities, nil where it keeps none. What that has lost of the items that are done is
// asked again.
func (s *Session) keep(kept *journal.Logprobs, run string, resume *journal.Resume) (*logprobs.Writer, error) {
	if resume.Header.Kind != "" { // the run goes on
		switch before := resume.Header.Logprobs; {
		case before == nil && kept != nil:
			return nil, fmt.Errorf("%s was begun without %s: leave the flag out, or start a new run elsewhere", run,
				setting.KeepLogprobs)
		case before != nil && kept == nil:
			return nil, fmt.Errorf("%s was begun with %s, so it goes on with it", run, setting.KeepLogprobs)
		case before != nil && before.VocabularySHA256 != kept.VocabularySHA256:
			return nil, fmt.Errorf("%s was begun with another vocabulary than this model's: start a new run elsewhere", run)
		}
	}
	if kept == nil {
		return nil, nil
	}
	writer, lost, err := logprobs.Continue(run, *kept, resume.Parts)
	if err != nil {
		return nil, err
	}
	if err := writer.Spell(run, *kept, s.model.(backends.Predictor).Piece); err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	for _, id := range lost {
		delete(resume.Done, id)
	}
	if len(lost) > 0 {
		Tell(s.Warn, fmt.Sprintf("%s lacks the log-probabilities of %s, which are asked again", logprobs.Path(run),
			format.Several(len(lost), "item")))
	}
	return writer, nil
}

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
