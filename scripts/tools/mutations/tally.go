package main

import (
	"fmt"
	"io"
	"slices"
	"sync"
)

// A tally counts what became of files, by what was done to them.
type tally struct {
	sync.Mutex
	counts  map[string]map[fate]int
	reasons map[fate]map[string][]int // the files' numbers
	grown   int64                     // bytes that a refusal took at most
}

func newTally() *tally {
	return &tally{counts: map[string]map[fate]int{}, reasons: map[fate]map[string][]int{}}
}

// add counts the file of a number.
func (t *tally) add(kind string, o outcome, number int) {
	t.Lock()
	defer t.Unlock()
	if t.counts[kind] == nil {
		t.counts[kind] = map[fate]int{}
	}
	if t.reasons[o.fate] == nil {
		t.reasons[o.fate] = map[string][]int{}
	}
	t.counts[kind][o.fate]++
	t.reasons[o.fate][o.why] = append(t.reasons[o.fate][o.why], number)
	t.grown = max(t.grown, o.grown)
}

// bad is how many did what none must.
func (t *tally) bad() (n int) {
	for _, f := range fates {
		if f.bad() {
			n += t.sum(f)
		}
	}
	return n
}

func (t *tally) sum(f fate) (n int) {
	for _, counts := range t.counts {
		n += counts[f]
	}
	return n
}

// write tells the counts, and the reasons of those that did not end as they should.
func (t *tally) write(out io.Writer) {
	var kinds []string
	for kind := range t.counts {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		fmt.Fprintf(out, "%-30s", kind)
		for _, f := range fates {
			fmt.Fprintf(out, " %6d", t.counts[kind][f])
		}
		fmt.Fprintln(out)
	}
	for _, f := range fates {
		fmt.Fprintf(out, "%s: %d\n", f, t.sum(f))
		if f == refused || f == ran {
			continue
		}
		var reasons []string
		for why := range t.reasons[f] {
			reasons = append(reasons, why)
		}
		slices.Sort(reasons)
		for _, why := range reasons {
			numbers := t.reasons[f][why]
			fmt.Fprintf(out, "  %d × %s (such as %d)\n", len(numbers), why, slices.Min(numbers))
		}
	}
	fmt.Fprintf(out, "a refusal took %.1f MiB at most\n", float64(t.grown)/(1<<20))
}
