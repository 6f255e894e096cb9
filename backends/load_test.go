package backends

import (
	"testing"

	"gotest.tools/v3/assert"
)

func TestALoadIsSaidInCoresAndThreads(t *testing.T) {
	for want, load := range map[string]Load{
		"other programs took 1.1 of 2 cores; computed on 1 to 2 threads": {0.55, 2, 1, 2},
		"other programs took 1.9 of 2 cores; computed on 1 thread":       {0.95, 2, 1, 1},
		"other programs took 0.0 of 8 cores; computed on 8 threads":      {0, 8, 8, 8},
		"other programs took 0.3 of 1 core":                              {0.3, 1, 0, 0},
	} {
		assert.Equal(t, load.String(), want)
	}
	for _, test := range []struct {
		load          Load
		busy, crowded bool
	}{
		{Load{}, false, false}, {Load{Share: 0.05, CPUs: 2}, false, false}, {Load{Share: 0.19, CPUs: 2}, true, false},
		{Load{Share: 0.21, CPUs: 2}, true, true},
	} {
		assert.Check(t, test.load.Busy() == test.busy && test.load.Crowded() == test.crowded, "%+v", test.load)
	}
}
