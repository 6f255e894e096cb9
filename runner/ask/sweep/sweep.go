package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts/dataset"
	"proctor/runner/ask"
	"proctor/runner/ask/score"
	"proctor/runner/journal"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
)

// A Sweep compares the cells of a matrix, its candidates, with the first. Its functions for people may be nil.
type Sweep struct {
	ask.Options // of each candidate's run
	Matrix      *ask.Matrix

	Open     func(ctx context.Context, c Candidate, o Opening) (backends.Model, error)
	Answered func(ask.Outcome) (*metrics.Summary, error) // marks and reports a run at its end
	Cache    *Cache                                      // of the models to be made; nil where none are
	Spec     Spec
	Set      *dataset.Set
	Unread   string // why candidates are not scored against the first; empty where they are

	// Working shows in a line how far a step other than asking is; "" when it ends. Note reports its result.
	Working func(line string)
	Note    func(text string)

	candidates  []Progress
	transcripts *score.Transcripts
	scores      *divergence.Score
	at          int
}

// A Progress is a candidate with its results so far.
type Progress struct {
	Candidate
	Cell *ask.Cell

	Info   *backends.ModelInfo
	Alone  choice.Alone
	KLD    *divergence.Distance // from the first candidate, on the first's completions
	Unread string               // why there is none
	Asked  bool                 // its run is complete
	Lacks  int                  // items without a completion
	Cause  string               // of a failure
}

// An Opening says how to open a candidate's model.
type Opening struct {
	Earlier backends.EngineInfo // of the run that is resumed; zero for a new one
	Slots   int                 // the exact number; 0: as the settings say
}

// Lay makes the candidates the cells of the sweep's matrix, in a folder.
func (s *Sweep) Lay(candidates []Candidate, folder string) error {
	s.Matrix.Cells = make([]ask.Cell, len(candidates))
	for i, c := range candidates {
		cell := &s.Matrix.Cells[i]
		cell.Name, cell.Options = c.Name, s.Options
		if c.Type != "" {
			c.Ref = s.Cache.Path(*s.Matrix.Source, c.Type)
		}
		s.candidates = append(s.candidates, Progress{Candidate: c, Cell: cell})
	}
	s.Matrix.Place(folder)
	for i := range s.candidates {
		if err := s.specify(&s.candidates[i]); err != nil {
			return err
		}
	}
	return nil
}

// specify sets what a candidate's cell asks, and how its model is opened.
func (s *Sweep) specify(c *Progress) error {
	run := s.of(c)
	c.Cell.Open = func(ctx context.Context, earlier backends.EngineInfo) (backends.Model, error) {
		return s.opener(c, Opening{Earlier: earlier})(ctx)
	}
	return c.Cell.Specify(s.Set, run)
}

// Run takes every candidate through the stages. It returns the error of ctx, of the disk, or of the first candidate where the others
// need it; other candidates' errors are named by [Sweep.Choose].
func (s *Sweep) Run(ctx context.Context) error {
	defer func() {
		if s.transcripts != nil {
			s.transcripts.Close()
		}
	}()
	first, left := &s.candidates[0], false
	asks := func(c *Progress) bool { return !c.Asked || c.Lacks > 0 }
	for i := range s.candidates { // what earlier sessions have asked
		c := &s.candidates[i]
		header, err := journal.HeaderOf(c.Cell.Out)
		if err == nil {
			result, err := metrics.Open(c.Cell.Out, metrics.Options{})
			if err != nil {
				return err
			}
			c.Lacks = result.Completeness.Lacks()
			c.Asked = result.Completeness.Complete && slices.Equal(header.Flags["limit"], c.Cell.Flags["limit"])
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		left = left || asks(c)
	}
	// settle notes what came of a stage; its error ends the sweep.
	settle := func(c *Progress, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if lost := (*journal.LostError)(nil); err == nil || errors.As(err, &lost) {
			return err
		}
		c.Cause = err.Error()
		ask.Notify(s.Warn, fmt.Sprintf("%s failed: %v", c.Name, err))
		if c == first {
			return fmt.Errorf("the others are compared with %s, which failed: %w", c.Name, err)
		}
		return nil
	}
	if err := s.measure(ctx, left, settle); err != nil {
		return err
	}
	// Cheap stages come first, so that a candidate that fails a wish is left out of the expensive ones.
	for _, stage := range []struct {
		waits func(c *Progress) bool
		do    func(ctx context.Context, c *Progress) error
	}{
		{func(c *Progress) bool { return c == first && asks(c) && s.contested() }, s.ask},
		{func(c *Progress) bool { return first.Asked }, s.score},
		{func(c *Progress) bool { return c != first && asks(c) }, s.ask},
	} {
		for _, i := range s.order() {
			c := &s.candidates[i]
			if s.at = i; c.Cause != "" || !stage.waits(c) {
				continue
			}
			why, err := s.out(i)
			if err != nil {
				return err
			}
			if why != "" {
				continue
			}
			if err := settle(c, stage.do(ctx, c)); err != nil {
				return err
			}
		}
	}
	return nil
}

// opener returns what opens the candidate's model, which it makes first where it doesn't exist.
func (s *Sweep) opener(c *Progress, o Opening) func(context.Context) (backends.Model, error) {
	return func(ctx context.Context) (backends.Model, error) {
		if c.Type != "" {
			_, err := s.Cache.Make(ctx, *s.Matrix.Source, c.Type, func(share float64) {
				ask.Notify(s.Working, fmt.Sprintf("[%s] quantising %3.0f %%", s.Place(), 100*share))
			})
			ask.Notify(s.Working, "")
			if err != nil {
				return nil, err
			}
		}
		return s.Open(ctx, c.Candidate, o)
	}
}

// ask runs the questions with the candidate's model. A candidate whose model makes it ask otherwise than the first
// fails.
func (s *Sweep) ask(ctx context.Context, c *Progress) error {
	_, missing := journal.HeaderOf(c.Cell.Out)
	c.Cell.Resume = !errors.Is(missing, fs.ErrNotExist)
	if err := s.specify(c); err != nil { // the first's run, which it may stop by, is there now
		return err
	}
	c.Cell.Observer = s.Observer
	session, err := ask.New(ctx, c.Cell)
	if err != nil {
		return err
	}
	defer session.Close()
	if first := &s.candidates[0]; c != first {
		was, err := journal.HeaderOf(first.Cell.Out)
		if err != nil {
			return err
		}
		now := session.Headers()[0]
		if diffs := pairs.Asked(&was, &now); len(diffs) > 0 {
			return fmt.Errorf("it would be asked otherwise than %s: %s", first.Name, pairs.List(diffs))
		}
	}
	var result *metrics.Summary
	var stopped error
	err = session.Run(ctx, func(ended ask.Outcome) (err error) {
		stopped = ended.Err
		result, err = s.Answered(ended)
		return err
	})
	if err := errors.Join(stopped, err); err != nil {
		return err
	}
	c.Asked, c.Lacks = true, result.Completeness.Lacks()
	if better := result.Baseline.Better; c == &s.candidates[0] && better != nil && !*better {
		ask.Notify(s.Note, fmt.Sprintf("%s is not shown to be better than guessing, so the answers of the others will "+
			"show no loss: a larger %s, "+
			"another %s or a better model would", c.Name, setting.Limit, setting.Prompt))
	}
	return nil
}

// Place describes the candidate at work for people: 2/4 Q8_0.
func (s *Sweep) Place() string {
	return fmt.Sprintf("%d/%d %s", s.at+1, len(s.candidates), s.candidates[s.at].Name)
}

// order is the order in which a stage handles the candidates: the first, then the others as given; or the smallest
// first, where a small one that meets all wishes makes the larger ones unnecessary.
func (s *Sweep) order() []int {
	all := make([]int, len(s.candidates))
	for i := range all {
		all[i] = i
	}
	if len(s.Spec.Want) > 0 {
		// unknown sizes come last
		size := func(i int) uint64 { return uint64(candidate(&s.candidates[i]).Info.SizeBytes - 1) }
		slices.SortStableFunc(all[1:], func(a, b int) int { return cmp.Compare(size(a), size(b)) })
	}
	return all
}

// out says why a candidate is skipped from now on; empty where it is not. The first, with which all others are
// compared, never is.
func (s *Sweep) out(i int) (string, error) {
	c := &s.candidates[i]
	if len(s.Spec.Want) == 0 || i == 0 {
		return "", nil
	}
	it := candidate(c)
	if _, broken, _ := s.Spec.Want.Judge(&it); len(broken) > 0 || c.Asked {
		return strings.Join(broken, "; "), nil
	}
	chosen, err := s.Choose()
	if err != nil {
		return "", err
	}
	return chosen.Candidates[i].Out, nil
}

// contested says whether any candidate is left to compare with the first.
func (s *Sweep) contested() bool {
	return slices.ContainsFunc(s.candidates[1:], func(c Progress) bool {
		it := candidate(&c)
		_, broken, _ := s.Spec.Want.Judge(&it)
		return c.Cause == "" && len(broken) == 0
	})
}

// candidate converts a candidate's progress for package choice.
func candidate(c *Progress) choice.Candidate {
	it := choice.Candidate{Name: c.Name, Ref: c.Ref, Alone: c.Alone, KLD: c.KLD, NoKLD: c.Unread}
	if c.Info != nil {
		it.Info = *c.Info
	}
	return it
}
