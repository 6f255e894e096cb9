package main

import (
	"fmt"
	"regexp"
	"strconv"
)

// spans is llama-bench's form of a range: FIRST, FIRST-LAST, FIRST-LAST+STEP or FIRST-LAST*FACTOR.
var spans = regexp.MustCompile(`^(\d{1,9})(?:-(\d{1,9})(?:([+*])(\d{1,9}))?)?$`)

// maxSpan is more values than anybody measures.
const maxSpan = 1000

// span returns the numbers of a range.
func span(text string) ([]int, error) {
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
