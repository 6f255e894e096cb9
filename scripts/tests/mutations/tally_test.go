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
}

func (t *tally) add(became fate, why string) {
	t.Lock()
	defer t.Unlock()
	t.counts[became]++
	if became != refused && became != ran {
		t.reasons[string(became)+": "+why]++
	}
}

func (t *tally) String() string {
	var out strings.Builder
	for _, f := range fates {
		fmt.Fprintf(&out, "%s: %d\n", f, t.counts[f])
	}
	for why, n := range t.reasons {
		fmt.Fprintf(&out, "  %d × %s\n", n, why)
	}
	return out.String()
}
