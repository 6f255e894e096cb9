package dataset_test

import (
	"math/rand/v2"
	"testing"

	"proctor/prompts/dataset"
)

// drawn counts a selection's questions by id and by subject.
func drawn(t *testing.T, set *dataset.Set, sel dataset.Selection) (ids map[int]bool, bySubject map[string]int) {
	t.Helper()
	ids, bySubject = map[int]bool{}, map[string]int{}
	for _, q := range pick(t, set, sel) {
		ids[q.ID] = true
		bySubject[q.Subject]++
	}
	return ids, bySubject
}

// TestALargerLimitContainsTheSmaller is what runs rest on that are extended: whatever the set, the seed and the way of drawing.
func TestALargerLimitContainsTheSmaller(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 22))
	for range 300 {
		counts := make([]int, 1+random.IntN(6))
		total := 0
		for i := range counts {
			counts[i] = 1 + random.IntN(40)
			total += counts[i]
		}
		set := setOf(counts...)
		seed, few, more := random.Uint64(), 1+random.IntN(total), 1+random.IntN(total)
		few, more = min(few, more), max(few, more)
		share := random.Float64()
		for name, pair := range map[string][2]dataset.Selection{
			"a number":         {{Limit: few, Seed: seed}, {Limit: more, Seed: seed}},
			"a number, all":    {{Limit: few, Seed: seed}, {}},
			"the first":        {{Limit: few, First: true}, {Limit: more, First: true}},
			"of each subject":  {{PerSubject: few, Seed: seed}, {PerSubject: more, Seed: seed}},
			"each one's first": {{PerSubject: few, First: true}, {PerSubject: more, First: true}},
			"a share":          {{Share: share, Seed: seed}, {Share: (1 + share) / 2, Seed: seed}},
		} {
			small, inSmall := drawn(t, set, pair[0])
			large, inLarge := drawn(t, set, pair[1])
			for id := range small {
				if !large[id] {
					t.Fatalf("%s, subjects of %v: %+v has question %d, %+v does not", name, counts, pair[0], id, pair[1])
				}
			}
			for subject, n := range inSmall {
				if inLarge[subject] < n {
					t.Fatalf("%s, subjects of %v: %d of %s, %d of the larger", name, counts, n, subject, inLarge[subject])
				}
			}
		}
	}
}
