package dataset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
)

// drawn counts a selection's questions by id and by subject.
func drawn(t *testing.T, set *dataset.Set, sel dataset.Selection) (ids map[int]bool, bySubject map[string]int) {
	t.Helper()
	ids, bySubject = map[int]bool{}, map[string]int{}
	for _, id := range pick(t, set, sel) {
		ids[id] = true
		bySubject[set.Test[id-1].Subject]++
	}
	return ids, bySubject
}

// TestALargerLimitContainsTheSmaller checks the property that extended runs rely on, with any set, seed and way of
// drawing.
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
				assert.Assert(t, large[id], "%s, subjects of %v: %+v has question %d, %+v does not", name, counts, pair[0], id, pair[1])
			}
			for subject, n := range inSmall {
				assert.Assert(t, inLarge[subject] >= n, "%s, subjects of %v: %d of %s", name, counts, n, subject)
			}
		}
	}
}

// sizes are the questions of MMLU-Pro's subjects.
var sizes = []int{1351, 1299, 1132, 1101, 969, 924, 844, 818, 798, 789, 717, 499, 410, 381}

// TestALimitIsDrawnInProportion has each subject within a question of its share, of MMLU-Pro's subjects by any limit,
// and nearly always as many as the largest remainder would give it.
func TestALimitIsDrawnInProportion(t *testing.T) {
	set, total, limits, asLargest := setOf(sizes...), 0, 0, 0
	for _, n := range sizes {
		total += n
	}
	for limit := 1; limit < total; limit += 1 + limit/40 {
		_, bySubject := drawn(t, set, dataset.Selection{Limit: limit, Seed: uint64(limit)})
		same := true
		for s, want := range largestRemainder(limit, total) {
			got := bySubject[fmt.Sprintf("subject %c", 'a'+s)]
			if share := float64(limit) * float64(sizes[s]) / float64(total); math.Abs(float64(got)-share) >= 1 {
				t.Errorf("%d of %d: %d of the subject with %d, whose share is %.2f", limit, total, got, sizes[s], share)
			}
			same = same && got == want
		}
		if limits++; same {
			asLargest++
		}
	}
	assert.Check(t, float64(asLargest) >= 0.8*float64(limits), "as the largest remainder at %d of %d limits", asLargest, limits)
}

// largestRemainder shares a limit out as one that need not be contained in a larger one does.
func largestRemainder(limit, total int) []int {
	counts, rests := make([]int, len(sizes)), make([]float64, len(sizes))
	left := limit
	for s, n := range sizes {
		share := float64(limit) * float64(n) / float64(total)
		counts[s] = int(share)
		rests[s], left = share-float64(counts[s]), left-counts[s]
	}
	for range left {
		next := slices.Index(rests, slices.Max(rests))
		counts[next]++
		rests[next] = -1
	}
	return counts
}

// The subjects of MMLU-Pro, by name.
var subjects = []string{
	"biology", "business", "chemistry", "computer science", "economics", "engineering", "health",
	"history", "law", "math", "other", "philosophy", "physics", "psychology",
}

func TestSampleCoversAllSubjects(t *testing.T) {
	set := openFile(t, dataset.SampleName)
	assert.Check(t, len(set.Splits[0].Notes) == 0 && set.Published == "", "%+v", set)
	for each, questions := range map[int][]dataset.Question{12: set.Test, 5: set.Validation} {
		counts, want := map[string]int{}, map[string]int{}
		for _, q := range questions {
			counts[q.Subject]++
		}
		for _, subject := range subjects {
			want[subject] = each
		}
		assert.DeepEqual(t, counts, want)
	}
}

// A model that always gives the same letter, or the longest option, must not do well.
func TestSampleGoldCannotBeGuessed(t *testing.T) {
	letters, expected := map[string]int{}, map[string]float64{}
	var longest, chance float64
	for _, q := range openFile(t, dataset.SampleName).Test {
		letters[q.Answer]++
		for i := range q.Options {
			expected[dataset.Letter(i)] += 1 / float64(len(q.Options))
		}
		chance += 1 / float64(len(q.Options))
		longest += longestIsGold(q)
	}
	for letter, want := range expected {
		got := float64(letters[letter])
		assert.Check(t, got >= want/2 && got <= want*1.6, "gold %s: %v questions, an even spread has %.1f", letter, got, want)
	}
	assert.Check(t, longest <= 2*chance, "taking the longest option is right in %.1f questions, chance in %.1f", longest, chance)
}

// longestIsGold is the probability that one of the longest options, drawn by lot, is the gold one.
func longestIsGold(q dataset.Question) float64 {
	gold, ties := len(q.Options[q.Gold()]), 0
	for _, option := range q.Options {
		if len(option) > gold {
			return 0
		}
		if len(option) == gold {
			ties++
		}
	}
	return 1 / float64(ties)
}
