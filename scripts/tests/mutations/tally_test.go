package mutations

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A tally counts the outcomes by kind of damage.
type tally struct {
	sync.Mutex
	counts  map[string]map[fate]int
	reasons map[fate]map[string][]int // the numbers of the files
	grown   int64                     // the most bytes that a refusal took
}

func (t *tally) add(m mutation, o outcome, number int) {
	t.Lock()
	defer t.Unlock()
	if t.counts[m.kind] == nil {
		t.counts[m.kind] = map[fate]int{}
	}
	if t.reasons[o.fate] == nil {
		t.reasons[o.fate] = map[string][]int{}
	}
	t.counts[m.kind][o.fate]++
	t.reasons[o.fate][o.why] = append(t.reasons[o.fate][o.why], number)
	t.grown = max(t.grown, o.grown)
}

func (t *tally) sum(f fate) (n int) {
	for _, counts := range t.counts {
		n += counts[f]
	}
	return n
}

// String is the counts, and the reasons why files were neither refused nor ran.
func (t *tally) String() string {
	var out strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(t.counts)) {
		fmt.Fprintf(&out, "%-30s", kind)
		for _, f := range fates {
			fmt.Fprintf(&out, " %6d", t.counts[kind][f])
		}
		fmt.Fprintln(&out)
	}
	for _, f := range fates {
		fmt.Fprintf(&out, "%s: %d\n", f, t.sum(f))
		if f == refused || f == ran {
			continue
		}
		for _, why := range slices.Sorted(maps.Keys(t.reasons[f])) {
			numbers := t.reasons[f][why]
			fmt.Fprintf(&out, "  %d × %s (such as %d)\n", len(numbers), why, slices.Min(numbers))
		}
	}
	fmt.Fprintf(&out, "a refusal took %.1f MiB at most", float64(t.grown)/(1<<20))
	return out.String()
}
