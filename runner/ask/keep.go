package ask

import (
	"fmt"

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
	for _, id := range lost {
		delete(resume.Done, id)
	}
	if len(lost) > 0 {
		Tell(s.Warn, fmt.Sprintf("%s lacks the log-probabilities of %s, which are asked again", logprobs.Path(run),
			format.Several(len(lost), "item")))
	}
	return writer, nil
}
