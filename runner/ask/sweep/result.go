package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
)

// Compare compares the candidates that were asked, each with the first of them, and says which to take as far as that is shown. Those
// that failed stand among its warnings.
func (s *Sweep) Compare(o pairs.Options) (*pairs.Comparison, error) {
	var runs []string
	unread := ""
	for i := range s.doc.Candidates {
		c := &s.doc.Candidates[i]
		if c.State == Failed || c.State == Waiting || c.State == Made {
			o.Notices = append(o.Notices, fmt.Sprintf("%s is not compared: %s", c.Name, c.why()))
			continue
		}
		if i > 0 && s.KeepLogprobs && c.State != Scored {
			unread = fmt.Sprintf("no divergences are shown: %s was not scored (%s)", c.Name, c.Unread)
		}
		runs, o.Names = append(runs, filepath.Join(s.Out, c.Run)), append(o.Names, c.Name)
	}
	if len(runs) < 2 {
		return nil, fmt.Errorf("fewer than two candidates were asked, there is nothing to compare: %s; "+
			"fix the cause, then %s", strings.Join(s.Lacking(), "; "), setting.Resume)
	}
	switch path, err := s.collect(); {
	case err != nil:
		return nil, err
	case path != "" && unread != "":
		o.Notices = append(o.Notices, unread)
	case path != "":
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if o.Score, err = pairs.ReadScore(path, file); err != nil {
			return nil, err
		}
	}
	o.Recommend, o.Margin, o.Confidence = true, s.Margin, s.Confidence
	return pairs.Of(runs, o)
}

// why is what keeps a candidate from being compared.
func (c *Progress) why() string {
	if c.Cause != "" {
		return c.Cause
	}
	return "it was not asked"
}

// Lacking are the candidates that a sweep lacks something of, for people; none where it is whole.
func (s *Sweep) Lacking() []string {
	var all []string
	for i := range s.doc.Candidates {
		switch c := &s.doc.Candidates[i]; {
		case c.State != Answered && c.State != Scored:
			all = append(all, c.Name+": "+c.why())
		case c.Lacks > 0:
			all = append(all, fmt.Sprintf("%s: %s without a completion", c.Name, format.Several(c.Lacks, "item")))
		}
	}
	return all
}
