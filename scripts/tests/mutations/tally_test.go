package mutations

import (
	"fmt"
	"strings"
	"sync"
)

// A tally counts the outcomes, and the reasons of those that were neither refused nor ran.
type tally struct {
	sync.Mutex
	counts  map[fate]int
	reasons map[string]int // by fate and reason
	grown   int64          // the most bytes that a refusal took
}

func (t *tally) add(o outcome) {
	t.Lock()
	defer t.Unlock()
	t.counts[o.fate]++
	if o.fate != refused && o.fate != ran {
		t.reasons[string(o.fate)+": "+o.why]++
	}
	t.grown = max(t.grown, o.grown)
}

func (t *tally) String() string {
	var out strings.Builder
	for _, f := range fates {
		fmt.Fprintf(&out, "%s: %d\n", f, t.counts[f])
	}
	for why, n := range t.reasons {
		fmt.Fprintf(&out, "  %d × %s\n", n, why)
	}
	fmt.Fprintf(&out, "a refusal took %.1f MiB at most", float64(t.grown)/(1<<20))
	return out.String()
}
