package sweep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/ask"
	"proctor/runner/ask/score"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
)

// scoreName is a score's file's: in a candidate's folder its own, in the sweep's that of all.
const scoreName = "score.json"

// score has a candidate's model, which is open, read what the first candidate wrote.
func (s *Sweep) score(ctx context.Context, c *Progress, model backends.Model) error {
	began := s.Now()
	if s.transcripts == nil {
		var err error
		if s.transcripts, err = score.Open(filepath.Join(s.Out, s.doc.Candidates[0].Run), s.Spec.Rules.String()); err != nil {
			return err
		}
	}
	confidence := float64(s.Spec.Confidence)
	total := s.transcripts.Score(nil, confidence)
	scored, err := s.transcripts.Force(ctx, model, score.Options{
		Confidence: confidence, Now: s.Now, OnPlan: s.OnPlan,
		Watch: func(done, all int) {
			ask.Tell(s.Working, fmt.Sprintf("[%s] scored %d of %d completions", s.place(), done, all))
		},
	})
	ask.Tell(s.Working, "")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.Seconds.Score += s.Now().Sub(began).Seconds()
	if err != nil { // its answers stand
		c.Unread = err.Error()
		ask.Tell(s.Warn, fmt.Sprintf("%s has no score: %v", c.Name, err))
		return nil
	}
	total.Models = append(total.Models, scored)
	if err := writeJSON(filepath.Join(s.Out, c.Run, scoreName), total); err != nil {
		return err
	}
	c.State = Scored
	return nil
}

// unscore has the candidates scored anew: the first one's run has other completions now than were there to be read.
func (s *Sweep) unscore() error {
	for i := range s.doc.Candidates {
		c := &s.doc.Candidates[i]
		if c.State == Scored {
			c.State = Answered
		}
		c.Unread = ""
		if err := os.Remove(filepath.Join(s.Out, c.Run, scoreName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("a score of fewer completions can't be removed: %w", err)
		}
	}
	return nil
}

// collect puts the candidates' scores into one file, and returns its path; empty where there is none.
func (s *Sweep) collect() (string, error) {
	var all *score.Score
	for i := range s.doc.Candidates {
		one := &score.Score{}
		text, err := os.ReadFile(filepath.Join(s.Out, s.doc.Candidates[i].Run, scoreName))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err = cmp.Or(err, json.Unmarshal(text, one)); err != nil {
			return "", fmt.Errorf("%s of %s: %w", scoreName, s.doc.Candidates[i].Run, err)
		}
		if all != nil {
			one.Models = append(all.Models, one.Models...)
		}
		all = one
	}
	if all == nil {
		return "", nil
	}
	path := filepath.Join(s.Out, scoreName)
	return path, writeJSON(path, all)
}

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
		if i > 0 && s.Spec.KeepLogprobs && c.State != Scored {
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
	o.Recommend, o.Margin, o.Confidence, o.RuleSet = true, float64(s.Spec.Margin), float64(s.Spec.Confidence), s.Spec.Rules.String()
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
