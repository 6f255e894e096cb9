package sweep

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/pairs"
)

// order is the one in which a stage takes the candidates: the first of them, then the others as they were given, or the smallest first
// where one that holds all that is wanted spares the larger ones.
func (s *Sweep) order() []int {
	all := make([]int, len(s.doc.Candidates))
	for i := range all {
		all[i] = i
	}
	if len(s.Spec.Want) > 0 {
		slices.SortStableFunc(all[1:], func(a, b int) int { return cmp.Compare(s.size(a), s.size(b)) })
	}
	return all
}

// size is what a candidate's tensors take, in bytes; the most there is where nobody knows.
func (s *Sweep) size(i int) int64 {
	if info := s.doc.Candidates[i].Info; info != nil && info.SizeBytes > 0 {
		return info.SizeBytes
	}
	return math.MaxInt64
}

// out says why a candidate is left out of what is still to be done; empty where it is not. All others are held against the first, which
// never is.
func (s *Sweep) out(c *Progress) (string, error) {
	if len(s.Spec.Want) == 0 || c == &s.doc.Candidates[0] {
		return "", nil
	}
	it, err := s.candidate(c)
	if err != nil {
		return "", err
	}
	if fails := s.Spec.Want.Fails(&it); len(fails) > 0 {
		return strings.Join(fails, "; "), nil
	}
	if c.Answered || s.asked() < 2 {
		return "", nil
	}
	chosen, err := s.Choose(pairs.Options{})
	if err != nil {
		return "", err
	}
	return chosen.Candidates[slices.IndexFunc(chosen.Candidates, func(it choice.Candidate) bool { return it.Name == c.Name })].Out, nil
}

// asked is how many candidates were asked everything that is asked of them.
func (s *Sweep) asked() (n int) {
	for i := range s.doc.Candidates {
		if s.doc.Candidates[i].Answered {
			n++
		}
	}
	return n
}

// contested says whether any candidate is left to be held against the first.
func (s *Sweep) contested() bool {
	return slices.ContainsFunc(s.doc.Candidates[1:], func(c Progress) bool {
		it := measured(&c)
		return c.Cause == "" && len(s.Spec.Want.Fails(&it)) == 0
	})
}

// measured is what is known of a candidate before anything is read or asked.
func measured(c *Progress) choice.Candidate {
	it := choice.Candidate{Name: c.Name, Ref: cmp.Or(c.File, c.Ref), Alone: c.Alone, NoKLD: c.Unread}
	it.Info = backends.ModelInfo{}
	if c.Info != nil {
		it.Info = *c.Info
	}
	return it
}

// candidate is what is known of one, its divergence too.
func (s *Sweep) candidate(c *Progress) (choice.Candidate, error) {
	it := measured(c)
	if !c.Scored {
		return it, nil
	}
	read, err := readScore(s.scored(c))
	if err == nil {
		it.KLD = read.Only()
	}
	return it, err
}
