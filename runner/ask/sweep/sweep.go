package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"proctor/backends"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/score"
	"proctor/runner/journal"
)

// Models opens the models of candidates.
type Models interface {
	// Open opens a candidate's model; path is the file of one that was made, else empty. earlier is the engine of a run to go on with,
	// zero where there is none.
	Open(ctx context.Context, c Candidate, path string, earlier backends.EngineInfo) (backends.Model, error)
}

// A Sweep tries candidates out. What functions it calls for people may be nil.
type Sweep struct {
	Out    string // its folder
	Models Models
	Cache  *Cache // of the models to be made; nil where none are

	Basis        *ask.Basis
	Form         ask.Form // each candidate's, but for its prompt mode
	KeepLogprobs bool     // of the first candidate, for the others to be scored against
	UntilDecided bool     // the others stop once it is decided how they do beside the first
	Margin       float64  // a share
	RuleSet      string   // that answers are found by, where they are scored; empty for the run's own
	Confidence   float64

	Version string
	Fsync   journal.Fsync
	Host    func() backends.Host
	Now     func() time.Time

	Ahead, Told, Note, Warn func(string)
	Interim                 func(*journal.Interim)
	// Watch begins to watch a candidate's run.
	Watch func(folder string, header *journal.Header, asked []progress.Subject, where func() progress.Sweep) func(*journal.Record)
	// Working shows how far something other than asking is, in a line; "" when it ends.
	Working func(line string)

	doc         *Document
	session     *ask.Session // while it asks
	transcripts *score.Transcripts
	at          int
	clock       clock
}

// Begin begins a sweep in a folder, or goes on with what is there: resume says which of the two it must be.
func (s *Sweep) Begin(d Document, resume bool) error {
	d.Version, d.ToolVersion, d.Created = 1, s.Version, s.Now().UTC().Truncate(time.Second)
	d.Fingerprint = d.sum()
	s.doc = &d
	begun, err := Load(s.Out)
	switch {
	case err == nil && !resume:
		return fmt.Errorf("%s holds a sweep already: go on with --resume %s, or name another --out", s.Out, s.Out)
	case resume && err != nil:
		return err
	case resume && begun.Fingerprint != d.Fingerprint && d.extends(begun):
		return s.extend(begun, &d)
	case resume && begun.Fingerprint != d.Fingerprint:
		return fmt.Errorf("%s: %s since it was begun: begin a new one elsewhere", filepath.Join(s.Out, FileName), begun.changed(&d))
	case resume:
		s.doc = begun
		s.doc.Source = d.Source // the same, as it was read just now
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(s.Out, 0o755); err != nil {
		return fmt.Errorf("--out %s: %w", s.Out, err)
	}
	return s.doc.save(s.Out)
}

// changed says what another document has otherwise.
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

// Document is what is swept, and how far it has come.
func (s *Sweep) Document() *Document { return s.doc }

// Waits says whether a candidate has something left to do in a call.
func (s *Sweep) waits(c *Progress) bool {
	switch {
	case c.GaveUp:
		return false
	case c.State == Scored, c.State == Answered && c.Lacks == 0 && !s.scores(c):
		return false
	}
	return true
}

// scores says whether a candidate is to be scored against the first.
func (s *Sweep) scores(c *Progress) bool {
	return s.KeepLogprobs && c != &s.doc.Candidates[0] && c.Unread == ""
}

// Run brings every candidate as far as it goes. The error is that of ctx, or of the first candidate where the others need it, or of the
// disk; what fails of one candidate stands in the document.
func (s *Sweep) Run(ctx context.Context) error {
	s.clock.begin(s)
	defer func() {
		if s.transcripts != nil {
			s.transcripts.Close()
		}
	}()
	for i := range s.doc.Candidates {
		c := &s.doc.Candidates[i]
		if s.at = i; !s.waits(c) {
			continue
		}
		err := s.try(ctx, c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if lost := (*journal.LostError)(nil); errors.As(err, &lost) {
			return err
		}
		c.Cause = ""
		if err != nil {
			c.State, c.Cause = Failed, err.Error()
			s.warn(fmt.Sprintf("%s failed: %v", c.Name, err))
		}
		if saved := s.doc.save(s.Out); saved != nil {
			return saved
		}
		if err != nil && i == 0 && (s.UntilDecided || s.KeepLogprobs) {
			return fmt.Errorf("the others are compared with %s, which failed: %w", c.Name, err)
		}
	}
	return nil
}

// try makes, asks and scores a candidate, as far as that is not done yet.
func (s *Sweep) try(ctx context.Context, c *Progress) error {
	path, err := s.make(ctx, c)
	if err != nil {
		return err
	}
	folder := filepath.Join(s.Out, c.Run)
	began := s.Now()
	earlier, err := ask.Begun(folder)
	resumes := !errors.Is(err, fs.ErrNotExist)
	model, err := s.Models.Open(ctx, c.Candidate, path, earlier.Backend)
	if err != nil {
		return err
	}
	defer model.Close()
	if c.State != Answered || c.Lacks > 0 {
		if err := s.ask(ctx, c, model, resumes, began); err != nil {
			return err
		}
	}
	if !s.scores(c) || c.Lacks > 0 {
		return nil
	}
	return s.score(ctx, c, model)
}

// make has the candidate's model made, where it is one that is made.
func (s *Sweep) make(ctx context.Context, c *Progress) (path string, err error) {
	if c.Type == "" {
		return "", nil
	}
	began := s.Now()
	path, err = s.Cache.Make(ctx, *s.doc.Source, c.Type, func(share float64) {
		s.working(fmt.Sprintf("[%s] quantising %3.0f %%", s.place(), 100*share))
	})
	s.working("")
	if err != nil || c.State != Waiting && c.State != Failed {
		return path, err
	}
	c.State, c.File = Made, path
	c.Seconds.Make += s.Now().Sub(began).Seconds()
	return path, s.doc.save(s.Out)
}

// ask puts the questions to the candidate's model.
func (s *Sweep) ask(ctx context.Context, c *Progress, model backends.Model, resumes bool, began time.Time) error {
	folder := filepath.Join(s.Out, c.Run)
	form := s.Form
	if c.Prompt != "" {
		form.Mode = c.Prompt
	}
	if err := os.Remove(filepath.Join(folder, scoreName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // it would be of fewer answers
	}
	session := &ask.Session{
		Out: folder, Resume: resumes, Version: s.Version, Flags: s.doc.flagsOf(c, s), Fsync: s.Fsync, Host: s.Host, Now: s.Now,
		Ahead: s.Ahead, Told: s.Told, Warn: s.Warn, Interim: s.Interim,
	}
	if s.Watch != nil {
		session.Watch = func(header *journal.Header, asked []progress.Subject) func(*journal.Record) {
			return s.clock.watched(s.Watch(folder, header, asked, s.clock.where), asked)
		}
	}
	first := c == &s.doc.Candidates[0]
	until := ask.Until{}
	if s.UntilDecided && !first {
		until = ask.Until{Run: filepath.Join(s.Out, s.doc.Candidates[0].Run), Margin: s.Margin, Alpha: s.alpha()}
	}
	if err := session.PlanOn(s.Basis, until, s.KeepLogprobs && first); err != nil {
		return err
	}
	if err := session.Prepare(ctx, model, form, began); err != nil {
		return err
	}
	s.session = session
	asking := s.Now()
	c.Seconds.Load += asking.Sub(began).Seconds()
	var outcome ask.Outcome
	err := session.Run(ctx, func(o ask.Outcome) error { outcome = o; return nil })
	s.session = nil
	c.Seconds.Ask += s.Now().Sub(asking).Seconds()
	if err := errors.Join(outcome.Err, err); err != nil {
		return err
	}
	before := *c
	c.State, c.Lacks = Answered, outcome.Report.Completeness.Lacks()
	if first && (before.State != Answered || before.Lacks != c.Lacks) {
		if err := s.unscore(); err != nil {
			return err
		}
	}
	return s.doc.save(s.Out)
}

// alpha is the chance of a wrong decision of each of the others, so that of all of them it is at most that of the confidence.
func (s *Sweep) alpha() float64 { return (1 - s.Confidence) / float64(max(1, len(s.doc.Candidates)-1)) }

// Abandon puts away what must not be lost, where the engine gave up: the candidate is not tried again. Any goroutine may call it.
func (s *Sweep) Abandon(cause error) error {
	var err error
	if s.session != nil {
		_, err = s.session.Abandon()
	}
	d := *s.doc
	d.Candidates = slices.Clone(d.Candidates)
	c := &d.Candidates[s.at]
	c.State, c.Cause, c.GaveUp = Failed, cause.Error(), true
	return errors.Join(err, d.save(s.Out))
}

// place is the candidate's for people: 2/4 Q8_0.
func (s *Sweep) place() string {
	return fmt.Sprintf("%d/%d %s", s.at+1, len(s.doc.Candidates), s.doc.Candidates[s.at].Name)
}

func (s *Sweep) warn(text string) {
	if s.Warn != nil {
		s.Warn(text)
	}
}

func (s *Sweep) working(line string) {
	if s.Working != nil {
		s.Working(line)
	}
}
