package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts/dataset"
	"proctor/runner/ask"
	"proctor/runner/ask/score"
	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
)

// A Sweep compares candidates. Its functions for people may be nil.
type Sweep struct {
	ask.Options // of each candidate's run; its folder is in Out

	Open   func(ctx context.Context, c Candidate, o Opening) (backends.Model, error)
	Cache  *Cache // of the models to be made; nil where none are
	Spec   Spec
	Set    *dataset.Set
	Items  int    // for each candidate
	Unread string // why candidates are not scored against the first; empty where they are

	// Working shows in a line how far a step other than asking is; "" when it ends. Note reports its result.
	Working func(line string)
	Note    func(text string)

	doc         *Document
	transcripts *score.Transcripts
	at          int
}

// An Opening says how to open a candidate's model.
type Opening struct {
	Path    string              // the file of one that was made, else empty
	Earlier backends.EngineInfo // of the run that is resumed; zero for a new one
	Slots   int                 // the exact number; 0: as the settings say
}

// Begin starts a sweep in a folder, or resumes the one there; resume says which it must be.
func (s *Sweep) Begin(d Document, resume bool) error {
	d.Version, d.ToolVersion, d.Created = 1, s.Version, s.Now().UTC().Truncate(time.Second)
	d.Fingerprint = d.sum()
	s.doc = &d
	was, err := Load(s.Out)
	switch {
	case err == nil && !resume:
		return fmt.Errorf("%s has a sweep already: continue it with %s, or name another %s", s.Out,
			setting.Command(setting.Resume.String(), s.Out), setting.Out)
	case resume && err != nil:
		return err
	case resume && was.Fingerprint != d.Fingerprint && d.unlimited() == was.unlimited():
		return s.extend(was, &d)
	case resume && was.Fingerprint != d.Fingerprint:
		return fmt.Errorf("%s: %s since it was started: start a new one elsewhere", filepath.Join(s.Out, FileName), was.changed(&d))
	case resume:
		s.doc = was
		s.doc.Source = d.Source // the same, as it was read just now
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(s.Out, 0o755); err != nil {
		return fmt.Errorf("%s: %w", setting.Out.As(s.Out), err)
	}
	return s.doc.save(s.Out)
}

// changed says how another document differs.
func (d *Document) changed(now *Document) string {
	a, b := d.Source, now.Source
	switch {
	case a != nil && b != nil && a.SHA256 != b.SHA256:
		return a.Path + " has changed"
	case a != nil && b != nil && a.ImportanceSHA256 != b.ImportanceSHA256:
		return "the importance matrix has changed"
	case a != nil && b != nil && a.Engine != b.Engine:
		return fmt.Sprintf("the engine has changed (%s, now %s)", a.Engine, b.Engine)
	}
	return "its settings have changed"
}

// Run takes every candidate through the stages. It returns the error of ctx, of the disk, or of the first candidate where the others
// need it; other candidates' errors go into the document.
func (s *Sweep) Run(ctx context.Context) error {
	defer func() {
		if s.transcripts != nil {
			s.transcripts.Close()
		}
	}()
	failed := map[*Progress]bool{}
	first := &s.doc.Candidates[0]
	asks := func(c *Progress) bool { return !c.Answered || c.Lacks > 0 }
	// Cheap stages come first, so that a candidate that fails a wish is left out of the expensive ones.
	for _, stage := range []struct {
		waits func(c *Progress) bool
		do    func(ctx context.Context, c *Progress) error
	}{
		{func(c *Progress) bool { return !c.Alone.Measured }, s.measure},
		{func(c *Progress) bool { return c == first && asks(c) && s.contested() }, s.ask},
		{func(c *Progress) bool { return first.Answered && c.KLD == nil && c.Unread == "" }, s.score},
		{func(c *Progress) bool { return c != first && asks(c) }, s.ask},
	} {
		for _, i := range s.order() {
			c := &s.doc.Candidates[i]
			if s.at = i; failed[c] || !stage.waits(c) {
				continue
			}
			if why, err := s.out(i); why != "" || err != nil {
				if err != nil {
					return err
				}
				continue
			}
			err := stage.do(ctx, c)
			failed[c] = err != nil
			if err := s.settle(ctx, c, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle records the result of a stage. It returns an error only where the sweep must end.
func (s *Sweep) settle(ctx context.Context, c *Progress, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if lost := (*journal.LostError)(nil); errors.As(err, &lost) {
		return err
	}
	c.Cause = ""
	if err != nil {
		c.Cause = err.Error()
		ask.Notify(s.Warn, fmt.Sprintf("%s failed: %v", c.Name, err))
	}
	if saved := s.doc.save(s.Out); saved != nil {
		return saved
	}
	if err != nil && c == &s.doc.Candidates[0] {
		return fmt.Errorf("the others are compared with %s, which failed: %w", c.Name, err)
	}
	return nil
}

// opener returns what opens the candidate's model, which it makes first where it doesn't exist.
func (s *Sweep) opener(c *Progress, o Opening) func(context.Context) (backends.Model, error) {
	return func(ctx context.Context) (_ backends.Model, err error) {
		if o.Path, err = s.make(ctx, c); err != nil {
			return nil, err
		}
		return s.Open(ctx, c.Candidate, o)
	}
}

// make quantises the candidate's model, unless it exists.
func (s *Sweep) make(ctx context.Context, c *Progress) (path string, err error) {
	if c.Type == "" {
		return "", nil
	}
	path, err = s.Cache.Make(ctx, *s.doc.Source, c.Type, func(share float64) {
		ask.Notify(s.Working, fmt.Sprintf("[%s] quantising %3.0f %%", s.Place(), 100*share))
	})
	ask.Notify(s.Working, "")
	if err != nil || c.File == path {
		return path, err
	}
	c.File = path
	return path, s.doc.save(s.Out)
}

// ask runs the questions with the candidate's model.
func (s *Sweep) ask(ctx context.Context, c *Progress) error {
	path, err := s.make(ctx, c)
	if err != nil {
		return err
	}
	_, missing := journal.HeaderOf(filepath.Join(s.Out, c.Run))
	run := s.of(c)
	evals, err := ask.EvalsOf(s.Set, run)
	if err != nil {
		return err
	}
	o := s.Options
	o.Out, o.Resume, o.Flags = filepath.Join(s.Out, c.Run), !errors.Is(missing, fs.ErrNotExist), run.Flags()
	session, err := ask.New(ctx, o, evals, func(ctx context.Context, earlier backends.EngineInfo) (backends.Model, error) {
		return s.Open(ctx, c.Candidate, Opening{Path: path, Earlier: earlier})
	})
	if err != nil {
		return err
	}
	var stopped error
	var result *metrics.Summary
	err = session.Run(ctx, func(o ask.Outcome) (err error) {
		stopped = o.Err
		if result, err = metrics.Open(o.Folder, metrics.Options{}); err == nil {
			err = report.Save(o.Folder, result)
		}
		return err
	})
	if err := errors.Join(stopped, err); err != nil {
		return err
	}
	before := *c
	c.Answered, c.Lacks = true, result.Completeness.Lacks()
	if c == &s.doc.Candidates[0] && (!before.Answered || before.Lacks != c.Lacks) {
		return s.unscore()
	}
	return nil
}

// Place describes the candidate at work for people: 2/4 Q8_0.
func (s *Sweep) Place() string {
	return fmt.Sprintf("%d/%d %s", s.at+1, len(s.doc.Candidates), s.doc.Candidates[s.at].Name)
}
