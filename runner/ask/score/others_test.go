package score

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
)

func TestAScoreSaysWhatOtherProgramsDid(t *testing.T) {
	for share, said := range map[float64]bool{0.02: false, 0.55: true} {
		var out strings.Builder
		model := &Model{Others: backends.Load{Share: share, CPUs: 2, FewestThreads: 1, MostThreads: 2}}
		assert.NilError(t, Formats[0].Write(&out, &Score{Models: []*Model{model}}))
		got := strings.Join(strings.Fields(out.String()), " ")
		assert.Check(t, strings.Contains(got, "other programs 1.1 of 2 cores while it read; computed on 1 to 2 threads") == said,
			"beside a load of %g: %s", share, got)
	}
}
