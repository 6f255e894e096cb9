package flags

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// SpanWithin reads ranges whose numbers are all within bounds, and words.
func SpanWithin(least, most int, why string, words map[string]int) func(string) ([]int, error) {
	return func(text string) ([]int, error) {
		if n, known := words[text]; known {
			return []int{n}, nil
		}
		numbers, err := Span(text)
		if err == nil && (slices.Min(numbers) < least || slices.Max(numbers) > most) {
			err = fmt.Errorf("%s: %s", text, why)
		}
		return numbers, err
	}
}

// spans is llama-bench's form of a range: FIRST, FIRST-LAST, FIRST-LAST+STEP or FIRST-LAST*FACTOR.
var spans = regexp.MustCompile(`^(\d{1,9})(?:-(\d{1,9})(?:([+*])(\d{1,9}))?)?$`)

// maxSpan is more values than anybody measures.
const maxSpan = 1000

// Span returns the numbers of a range.
func Span(text string) ([]int, error) {
	part := spans.FindStringSubmatch(text)
	if part == nil {
		return nil, fmt.Errorf("%q: give a number, or a range as in 128-512+128 or 1-16*2", text)
	}
	number := func(text string, otherwise int) int {
		n, err := strconv.Atoi(text)
		if err != nil { // not there
			return otherwise
		}
		return n
	}
	first := number(part[1], 0)
	last, step := number(part[2], first), number(part[4], 1)
	var all []int
	for n := first; n <= last; {
		all = append(all, n)
		next := n + step
		if part[3] == "*" {
			next = n * step
		}
		if next <= n || len(all) > maxSpan {
			return nil, fmt.Errorf("%q: a range that does not end, or has more than %d numbers", text, maxSpan)
		}
		n = next
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%q: the range ends before it begins", text)
	}
	return all, nil
}
