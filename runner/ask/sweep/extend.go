package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"proctor/runner/ask"
	"proctor/runner/journal"
)

// limit is the flag that may change while a sweep goes on.
const limit = "limit"

// extends says whether a document is another's but for how many questions are asked.
func (d *Document) extends(begun *Document) bool {
	return d.unlimited() == begun.unlimited()
}

// unlimited is the fingerprint without the limit.
func (d *Document) unlimited() string {
	free := *d
	free.Flags = maps.Clone(d.Flags)
	delete(free.Flags, limit)
	return free.sum()
}

// extend has the candidates of a sweep asked more questions of the same draw. What was answered stays; scores are made again. Nothing
// is changed where a candidate's run can't be extended.
func (s *Sweep) extend(begun, now *Document) error {
	if s.UntilDecided {
		return fmt.Errorf("--limit %s: a sweep --until-decided asks as many questions as it takes, at most those that it drew: begin a new one",
			strings.Join(now.Flags[limit], ""))
	}
	for i := range begun.Candidates {
		folder := filepath.Join(s.Out, begun.Candidates[i].Run)
		switch _, err := journal.Begun(folder); {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		if err := ask.Check(ask.Options{Out: folder, Resume: true, Flags: now.Flags}, s.Asked[i].Evals); err != nil {
			return err
		}
	}
	begun.Flags, begun.Fingerprint = now.Flags, now.Fingerprint
	for i := range begun.Candidates {
		if c := &begun.Candidates[i]; !c.GaveUp {
			c.State, c.Cause, c.Lacks, c.Unread = Waiting, "", 0, ""
		}
	}
	s.doc = begun
	return s.doc.save(s.Out)
}
