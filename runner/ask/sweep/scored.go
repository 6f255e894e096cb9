package sweep

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"proctor/runner/ask"
	"proctor/runner/ask/score"
	"proctor/runner/journal"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
)

// scoreName is the file's that has the scores of all candidates.
const scoreName = "score.json"

// enough is the number of completions that a score reads, spread over the run: more would hardly narrow its interval, and take as long
// as running the questions.
const enough = 200

// score has a candidate's model read the first candidate's completions. The first's own model reads with another number of slots,
// which shows how far a model differs from itself.
func (s *Sweep) score(ctx context.Context, c *Progress) error {
	if c.Unread = s.Unread; c.Unread != "" {
		return nil
	}
	var o Opening
	if was, err := journal.HeaderOf(filepath.Join(s.Out, c.Run)); err == nil {
		o.Earlier = was.Backend
	}
	if c == &s.doc.Candidates[0] {
		o.Slots = max(2, o.Earlier.Slots/2)
	}
	if s.transcripts == nil {
		var err error
		if s.transcripts, err = score.Open(filepath.Join(s.Out, s.doc.Candidates[0].Run), s.Spec.Rules.String()); err != nil {
			return err
		}
		s.transcripts.Limit(enough)
	}
	confidence := float64(s.Spec.Confidence)
	scored, err := s.transcripts.Force(ctx, s.opener(c, o), score.Options{
		Confidence: confidence, Now: s.Now, OnPlan: s.OnPlan,
		Watch: func(done, all int) {
			ask.Notify(s.Working, fmt.Sprintf("[%s] scored %d of %d completions", s.Place(), done, all))
		},
	})
	ask.Notify(s.Working, "")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // it can still run the questions
		c.Unread = err.Error()
		ask.Notify(s.Warn, fmt.Sprintf("%s has no score: %v", c.Name, err))
		return nil
	}
	if err := s.keep(scored, s.transcripts.Score(confidence)); err != nil {
		return err
	}
	c.KLD = &scored.Distance
	ask.Notify(s.Note, fmt.Sprintf("[%s] KL divergence %s nat a token on %s", s.Place(), format.Nat(scored.MeanKLD),
		format.Several(scored.Questions, "answer")))
	return nil
}

// keep adds a model's score to the earlier ones.
func (s *Sweep) keep(m *divergence.Model, total *divergence.Score) error {
	path := filepath.Join(s.Out, scoreName)
	switch text, err := os.ReadFile(path); {
	case err == nil:
		if err := json.Unmarshal(text, total); err != nil {
			return fmt.Errorf("%s: %w: remove it", path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	total.Models = append(total.Models, m)
	return writeJSON(path, total)
}

// unscore discards all scores: the first candidate's run now has other completions than those that were read.
func (s *Sweep) unscore() error {
	for i := range s.doc.Candidates {
		s.doc.Candidates[i].KLD, s.doc.Candidates[i].Unread = nil, ""
	}
	if err := s.doc.save(s.Out); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(s.Out, scoreName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("a score of fewer completions can't be removed: %w", err)
	}
	if s.transcripts == nil {
		return nil
	}
	defer func() { s.transcripts = nil }()
	return s.transcripts.Close()
}

// Choose compares the candidates that have answers, each with the first, and recommends one if the evidence suffices. Failed
// candidates are named in its notices.
func (s *Sweep) Choose() (*choice.Choice, error) {
	o := pairs.Options{Margin: s.Spec.margin(), Confidence: float64(s.Spec.Confidence), RuleSet: s.Spec.Rules.String()}
	var all []choice.Candidate
	var runs, notices []string
	scored := true
	files := map[string]bool{}
	for i := range s.doc.Candidates {
		c := &s.doc.Candidates[i]
		it := candidate(c)
		all = append(all, it)
		if c.Cause != "" {
			notices = append(notices, fmt.Sprintf("%s is not compared: %s", c.Name, c.Cause))
		}
		if c.Unread != "" {
			notices = append(notices, fmt.Sprintf("%s has no divergence: %s", c.Name, c.Unread))
		}
		if c.Answered && c.Cause == "" {
			runs, o.Names = append(runs, filepath.Join(s.Out, c.Run)), append(o.Names, c.Name)
			scored = scored && c.KLD != nil && !files[it.Info.FileSHA256] // by which a comparison finds a model's score
			files[it.Info.FileSHA256] = true
		}
	}
	var err error
	if scored && len(runs) > 1 {
		path := filepath.Join(s.Out, scoreName)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if o.Score, err = divergence.Read(path, bytes.NewReader(text)); err != nil {
			return nil, err
		}
	}
	var compared *pairs.Comparison
	if len(runs) > 1 {
		if compared, err = pairs.Of(runs, o); err != nil {
			return nil, err
		}
	}
	chosen := choice.Of(all, s.Spec.Want, o.Margin, compared)
	chosen.Notices = notices
	return chosen, nil
}

// Lacking lists the candidates with something missing, for people; none where the sweep is complete.
func (s *Sweep) Lacking() []string {
	var all []string
	for i := range s.doc.Candidates {
		c := &s.doc.Candidates[i]
		out, _ := s.out(i)
		switch {
		case c.Cause != "" || !c.Answered && out == "" && s.contested():
			all = append(all, c.Name+": "+cmp.Or(c.Cause, "it was not asked"))
		case c.Lacks > 0:
			all = append(all, fmt.Sprintf("%s: %s without a completion", c.Name, format.Several(c.Lacks, "item")))
		}
	}
	return all
}
