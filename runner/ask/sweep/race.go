package sweep

import (
	"cmp"
	"slices"
	"strings"

	"proctor/runner/mark/choice"
)

// order is the order in which a stage handles the candidates: the first, then the others as given; or the smallest first, where a
// small one that meets all wishes makes the larger ones unnecessary.
func (s *Sweep) order() []int {
	all := make([]int, len(s.candidates))
	for i := range all {
		all[i] = i
	}
	if len(s.Spec.Want) > 0 {
		size := func(i int) uint64 { return uint64(candidate(&s.candidates[i]).Info.SizeBytes - 1) } // unknown sizes come last
		slices.SortStableFunc(all[1:], func(a, b int) int { return cmp.Compare(size(a), size(b)) })
	}
	return all
}

// out says why a candidate is skipped from now on; empty where it is not. The first, with which all others are compared, never is.
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
