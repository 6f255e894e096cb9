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

	"proctor/runner/ask"
	"proctor/runner/ask/score"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
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

// score has a candidate's model read the first candidate's completions, unless an earlier session did. The first's own
// model reads with another number of slots, which shows how far a model differs from itself.
func (s *Sweep) score(ctx context.Context, c *Progress) (err error) {
	if c.Unread = s.Unread; c.Unread != "" {
		return nil
	}
	first, path := &s.candidates[0], filepath.Join(s.Matrix.Folder, scoreName)
	if s.transcripts == nil {
		if s.transcripts, err = score.Open(first.Cell.Out, s.Spec.Rules.String()); err != nil {
			return err
		}
		s.transcripts.Limit(enough)
		s.scores = s.transcripts.Score(float64(s.Spec.Confidence))
		kept, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		var before divergence.Score
		if err == nil {
			if err := json.Unmarshal(kept, &before); err != nil {
				return fmt.Errorf("%s: %w: remove it", path, err)
			}
		}
		s.scores.Path = path
		for _, m := range before.Models { // of the completions that the first's run has now
			if s.transcripts.Covers(m) {
				s.scores.Models = append(s.scores.Models, m)
			}
		}
	}
	for _, m := range s.scores.Models {
		if m.Name == c.Name {
			c.KLD = &m.Distance
			return nil
		}
	}
	var o Opening
	if was, err := journal.HeaderOf(c.Cell.Out); err == nil {
		o.Earlier = was.Backend
	}
	if c == first {
		o.Slots = max(2, o.Earlier.Slots/2)
	}
	scored, err := s.transcripts.Force(ctx, s.opener(c, o), score.Options{
		Confidence: float64(s.Spec.Confidence), Now: s.Now, OnPlan: s.OnPlan,
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
	scored.Name, c.KLD = c.Name, &scored.Distance
	s.scores.Models = append(s.scores.Models, scored)
	ask.Notify(s.Note, fmt.Sprintf("[%s] KL divergence %s nat a token on %s", s.Place(), format.Nat(scored.MeanKLD),
		format.Several(scored.Questions, "answer")))
	return output.WriteJSON(path, s.scores)
}

// Choose compares the candidates that have answers, each with the first, and recommends one if the evidence suffices. Failed
// candidates are named in its notices.
func (s *Sweep) Choose() (*choice.Choice, error) {
	o := pairs.Options{Margin: s.Spec.margin(), Confidence: float64(s.Spec.Confidence), RuleSet: s.Spec.Rules.String()}
	var all []choice.Candidate
	var runs, notices []string
	scored := true
	files := map[string]bool{}
	for i := range s.candidates {
		c := &s.candidates[i]
		it := candidate(c)
		all = append(all, it)
		if c.Cause != "" {
			notices = append(notices, fmt.Sprintf("%s is not compared: %s", c.Name, c.Cause))
		}
		if c.Unread != "" {
			notices = append(notices, fmt.Sprintf("%s has no divergence: %s", c.Name, c.Unread))
		}
		if c.Asked && c.Cause == "" {
			runs, o.Names = append(runs, c.Cell.Out), append(o.Names, c.Name)
			scored = scored && c.KLD != nil && !files[it.Info.FileSHA256] // by which a comparison finds a model's score
			files[it.Info.FileSHA256] = true
		}
	}
	var err error
	if scored && len(runs) > 1 {
		o.Score = s.scores
	}
	var compared *pairs.Comparison
	if len(runs) > 1 {
		if compared, err = pairs.Of(runs, o); err != nil {
			return nil, err
		}
	}
	chosen := choice.Of(all, s.Spec.Want, o.Margin, compared)
	chosen.Notices = append(chosen.Notices, notices...)
	return chosen, nil
}

// Lacking lists the candidates with something missing, for people; none where the sweep is complete.
func (s *Sweep) Lacking() []string {
	var all []string
	for i := range s.candidates {
		c := &s.candidates[i]
		out, _ := s.out(i)
		switch {
		case c.Cause != "" || !c.Asked && out == "" && s.contested():
			all = append(all, c.Name+": "+cmp.Or(c.Cause, "it was not asked"))
		case c.Lacks > 0:
			all = append(all, fmt.Sprintf("%s: %s without a completion", c.Name, format.Several(c.Lacks, "item")))
		}
	}
	return all
}
