package dataset

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
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

// quotas returns how many questions of each subject the selection takes.
func (s Selection) quotas(questions []Question) map[string]int {
	all := map[string]int{}
	for _, q := range questions {
		all[q.Subject]++
	}
	if !s.BySubject() {
		return s.shareOut(all)
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

// shareOut gives the limit to the subjects, one at a time to the one that lacks most of its share: the subject with the largest
// all/(quota + ½), as Sainte-Laguë's method does, which rounds shares without favour to large subjects or small ones. Of equal ones the
// seed says which. The limit is at most what there is.
func (s Selection) shareOut(all map[string]int) map[string]int {
	rank := func(subject string) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d/%s", s.Seed, subject))
		return string(sum[:])
	}
	subjects := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	quota := map[string]int{}
	for range s.Limit {
		next, most := "", 0.0
		for _, subject := range subjects {
			if lacks := float64(all[subject]) / (float64(quota[subject]) + 0.5); quota[subject] < all[subject] && lacks > most {
				next, most = subject, lacks
			}
		}
		quota[next]++
	}
	return quota
}
