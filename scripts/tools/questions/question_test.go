package questions

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestQuestionsHaveDistinctOptionsWithinTheLetters(t *testing.T) {
	s := NewSource(1, 1)
	counts := map[int]int{}
	for range 2000 {
		q := s.Knowledge("law")
		if s.IntN(2) == 0 {
			q = s.Arithmetic(Training)
		}
		counts[len(q.Options)]++
		sorted := slices.Sorted(slices.Values(q.Options))
		assert.Assert(t, len(slices.Compact(sorted)) == len(q.Options) && !slices.Contains(q.Options, "") && q.Text != "",
			"%q has options %q", q.Text, q.Options)
	}
	for n := range counts {
		assert.Check(t, n >= 3 && n <= 10, "%d questions have %d options", counts[n], n)
	}
	assert.Check(t, counts[10] >= 1000, "only %d of 2000 questions have ten options", counts[10])
}

func TestGoldOfComputableQuestionsIsUniform(t *testing.T) {
	s := NewSource(2, 1)
	var counts [10]int
	total := 0
	for total < 10000 {
		if q := s.Arithmetic(HeldOut); len(q.Options) == 10 {
			counts[q.Gold]++
			total++
			assert.Assert(t, q.Options[q.Gold] == q.Result && strings.HasSuffix(q.Working, " "+q.Result+"."), "%+v", q)
		}
	}
	for i, n := range counts {
		assert.Check(t, n >= 850 && n <= 1150, "%s is gold %d times in 10000", Letter(i), n)
	}
}

func TestPoolsShareNoSum(t *testing.T) {
	seen := map[string]bool{}
	s := NewSource(3, 1)
	for range 5000 {
		seen[s.Arithmetic(Training).Working] = true
	}
	for range 2000 {
		q := s.Arithmetic(HeldOut)
		if seen[q.Working] && strings.ContainsAny(q.Working, "+-") {
			t.Fatalf("%s is in both pools", q.Working)
		}
	}
}

func TestSameSeedSameText(t *testing.T) {
	draw := func(seed uint64) string {
		s := NewSource(seed, 4)
		return fmt.Sprint(s.Knowledge("history"), s.Paragraph(5), s.Reasoning("law"), s.Arithmetic(Training), s.ShortOptions(10))
	}
	assert.Check(t, reflect.DeepEqual(draw(5), draw(5)) && draw(5) != draw(6), "the text does not follow the seed")
}

func TestPatternsNameOnlySlotsThatExist(t *testing.T) {
	s := NewSource(7, 1)
	for _, c := range language {
		for _, pattern := range c.texts {
			if s.Expand(pattern) == "" { // panics on an unknown slot
				t.Errorf("%q became nothing", pattern)
			}
		}
	}
}
