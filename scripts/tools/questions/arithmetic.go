package questions

import (
	"fmt"
	"strings"
)

// Pool says which operands a set of arithmetic questions may use. The pairs of additions and subtractions are divided
// between training and evaluation, so that no sum asked in an evaluation occurs in training. The multiplication table is too
// small to divide: there only the options differ.
type Pool int

const (
	// Training holds seven of eight operand pairs.
	Training Pool = iota
	// HeldOut holds the others.
	HeldOut
)

func (p Pool) holds(a, b int) bool {
	reserved := (uint32(a)*2654435761+uint32(b)*40503)>>7%8 == 0
	return reserved == (p == HeldOut)
}

// Arithmetic is a question of subject math whose right option stands at a uniformly drawn place.
func (s Source) Arithmetic(pool Pool) Question {
	u := s.Float64()
	if u >= 0.88 {
		return s.comparison()
	}
	q, result, near := s.computed(pool, u, 0.36, 0.68)
	q.Subject = "math"
	s.place(&q, result, near)
	return q
}

// Computation is a question of numbers alone: its working and its result.
func (s Source) Computation(pool Pool) Question {
	q, _, _ := s.computed(pool, s.Float64(), 0.4, 0.85)
	return q
}

// computed is a sum where u is below sums, a difference where it is below differences, else a product; near are wrong
// results that suggest themselves.
func (s Source) computed(pool Pool, u, sums, differences float64) (q Question, result int, near []int) {
	var a, b int
	kind, sign := "product", "*"
	if u < differences {
		a, b = s.pair(pool)
	} else {
		a, b = s.between(2, 12), s.between(2, 12)
	}
	switch {
	case u < sums:
		kind, sign, result = "sum", "+", a+b
		near = []int{max(a, b) - min(a, b), a + b + 100}
	case u < differences:
		a, b = max(a, b), min(a, b)
		kind, sign, result = "difference", "-", a-b
		near = []int{a + b}
	default:
		result = a * b
		near = []int{a + b, a*b + a, a*b - a, a*b + b, a*b - b}
	}
	q = s.story(kind, a, b)
	q.Result = fmt.Sprint(result)
	q.Working = fmt.Sprintf("%d %s %d = %s.", a, sign, b, q.Result)
	return q, result, near
}

func (s Source) story(kind string, a, b int) Question {
	name, thing := choose(s, language["name"].texts...), choose(s, language["thing"].texts...)
	text := strings.NewReplacer("{name}", name, "{thing}", thing).Replace(s.draw(kind))
	return Question{Text: fmt.Sprintf(text, a, b)}
}

// pair draws operands from the pool, each 2 to 99, half of the time small.
func (s Source) pair(pool Pool) (a, b int) {
	for {
		high := choose(s, 20, 99, 99)
		a, b = s.between(2, high), s.between(2, high)
		if a != b && pool.holds(max(a, b), min(a, b)) {
			return a, b
		}
	}
}

func (s Source) comparison() Question {
	largest := s.chance(0.5)
	high := choose(s, 99, 99, 999)
	q := Question{Subject: "math"}
	seen := map[int]bool{}
	best := 0
	for count := s.optionCount(); len(seen) < count; {
		n := s.between(1, high)
		if seen[n] {
			continue
		}
		seen[n] = true
		if len(seen) == 1 || largest == (n > best) {
			best, q.Gold = n, len(seen)-1
		}
		q.Options = append(q.Options, fmt.Sprint(n))
	}
	word := "smallest"
	if largest {
		word = "largest"
	}
	q.Text = fmt.Sprintf(s.draw("comparison"), word)
	q.Working = fmt.Sprintf("The %s number is %d.", word, best)
	q.Result = fmt.Sprint(best)
	return q
}

// place sets the result among wrong numbers near it.
func (s Source) place(q *Question, result int, near []int) {
	count := s.optionCount()
	q.Gold = s.IntN(count)
	seen := map[int]bool{result: true}
	for len(q.Options) < count {
		if len(q.Options) == q.Gold {
			q.Options = append(q.Options, fmt.Sprint(result))
			continue
		}
		wrong := result + choose(s, -10, 10, -1, 1, -2, 2, s.between(-9, 9), s.between(-20, 20), s.between(-30, 30))
		if len(near) > 0 && s.chance(0.3) {
			wrong = choose(s, near...)
		}
		if wrong < 0 || seen[wrong] {
			continue
		}
		seen[wrong] = true
		q.Options = append(q.Options, fmt.Sprint(wrong))
	}
}
