package dataset

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
)

// draw keeps the questions that come first by rank, as many of each subject as its quota, in their order.
func (s Selection) draw(questions []Question) []Question {
	ranked := s.ranked(questions)
	if s.First && !s.BySubject() {
		ranked = ranked[:s.Limit]
	} else {
		left := s.quotas(questions)
		ranked = slices.DeleteFunc(ranked, func(i int) bool {
			left[questions[i].Subject]--
			return left[questions[i].Subject] < 0
		})
	}
	slices.Sort(ranked)
	kept := make([]Question, len(ranked))
	for i, index := range ranked {
		kept[i] = questions[index]
	}
	return kept
}

// ranked are the questions' indices by the seed, or in the set's order.
func (s Selection) ranked(questions []Question) []int {
	ranks := make([][sha256.Size]byte, len(questions))
	indices := make([]int, len(questions))
	for i, q := range questions {
		indices[i] = i
		if !s.First {
			ranks[i] = sha256.Sum256(fmt.Appendf(nil, "%d/%d", s.Seed, q.ID))
		}
	}
	slices.SortFunc(indices, func(a, b int) int {
		return cmp.Or(bytes.Compare(ranks[a][:], ranks[b][:]), cmp.Compare(a, b))
	})
	return indices
}

// quotas are how many questions of each subject the selection takes.
func (s Selection) quotas(questions []Question) map[string]int {
	all := map[string]int{}
	for _, q := range questions {
		all[q.Subject]++
	}
	if !s.BySubject() {
		return shareOut(s.Limit, all)
	}
	quota := map[string]int{}
	for subject, n := range all {
		quota[subject] = min(n, s.PerSubject)
		if s.Share > 0 {
			quota[subject] = max(1, int(s.Share*float64(n)+1e-9)) // 0.29·100 is 28.999…
		}
	}
	return quota
}

// shareOut gives questions to the subjects, one at a time to one of those with the fewest: to that with the most left, none getting
// more than all it has. limit is at most what there is.
func shareOut(limit int, all map[string]int) map[string]int {
	quota := map[string]int{}
	for limit > 0 {
		var fewest []string
		for subject, n := range all {
			switch {
			case quota[subject] == n:
			case len(fewest) == 0 || quota[subject] == quota[fewest[0]]:
				fewest = append(fewest, subject)
			case quota[subject] < quota[fewest[0]]:
				fewest = []string{subject}
			}
		}
		slices.SortFunc(fewest, func(a, b string) int { return cmp.Or(cmp.Compare(all[b], all[a]), cmp.Compare(a, b)) })
		for _, subject := range fewest[:min(limit, len(fewest))] {
			quota[subject]++
			limit--
		}
	}
	return quota
}
