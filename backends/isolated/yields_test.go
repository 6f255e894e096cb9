package isolated

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp"
)

// A process that goes on for one that died computes on as many threads, and leaves cores to other programs where that one did.
func TestTheNextProcessYieldsAsTheLastOneDid(t *testing.T) {
	t.Parallel()
	for given, yields := range map[int]bool{0: true, 3: false} {
		m := Model{options: Options{Engine: llamacpp.Options{Threads: given}}, work: &backends.Workload{}, engine: backends.EngineInfo{Threads: 3}}
		for range 2 {
			m.bury(errors.New("dead"))
			o := m.options.Engine
			assert.Check(t, o.Threads == 3 && o.Yields == yields, "%d threads given: %d now, yields %t", given, o.Threads, o.Yields)
		}
	}
}
