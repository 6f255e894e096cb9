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
		like := make([]int, random.IntN(30))
		for i := range like {
			like[i] = 1 + random.IntN(total+5) // some of them not in the set
		}
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
			"like another run": {{Limit: few, Seed: seed, Like: like}, {Limit: more, Seed: seed, Like: like}},
			"the first, like":  {{Limit: few, First: true, Like: like}, {Limit: more, First: true, Like: like}},
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

func TestADrawLikeAnotherSharesAsManyQuestionsAsItCan(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 23))
	for range 200 {
		set := setOf(1+random.IntN(40), 1+random.IntN(40), 1+random.IntN(40))
		other := dataset.Selection{Limit: 1 + random.IntN(len(set.Test)), Seed: 1, First: random.IntN(2) == 0}
		var like []int
		for _, q := range pick(t, set, other) {
			like = append(like, q.ID)
		}
		limit := 1 + random.IntN(len(set.Test))
		got, bySubject := drawn(t, set, dataset.Selection{Limit: limit, Seed: 2, Like: like})
		shared := 0
		for _, id := range like {
			if got[id] {
				shared++
			}
		}
		if len(got) != limit || shared != min(limit, len(like)) {
			t.Fatalf("%d questions like %d others: %d drawn, %d shared", limit, len(like), len(got), shared)
		}
		if _, before := drawn(t, set, other); limit > 3*max(before["subject a"], before["subject b"], before["subject c"]) {
			sizes := map[string]int{}
			for _, q := range set.Test {
				sizes[q.Subject]++
			}
			for subject, n := range bySubject {
				for other, m := range bySubject {
					if m > n+1 && n < sizes[subject] {
						t.Fatalf("%d of %s, which has %d, and %d of %s: what is left makes them even", n, subject, sizes[subject], m, other)
					}
				}
			}
		}
	}
	set := setOf(10, 10)
	if ids, bySubject := drawn(t, set, dataset.Selection{Limit: 4, Seed: 1, Like: []int{3, 11, 99}}); !ids[3] || !ids[11] ||
		bySubject["subject a"] != 2 {
		t.Errorf("like questions 3 and 11: %v, %v", ids, bySubject)
	}
	if ids, _ := drawn(t, set, dataset.Selection{Limit: 3, First: true, Like: []int{15}}); !ids[15] || !ids[1] || !ids[2] {
		t.Errorf("the first three, like question 15: %v", ids)
	}
	if ids, _ := drawn(t, set, dataset.Selection{PerSubject: 1, Seed: 7, Like: []int{3, 12}}); !ids[3] || !ids[12] {
		t.Errorf("one of each subject, like questions 3 and 12: %v", ids)
	}
}
