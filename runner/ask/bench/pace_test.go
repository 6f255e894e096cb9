package bench

import (
	"math"
	"testing"
	"time"
)

func TestTheETAComesFromWhatWasMeasured(t *testing.T) {
	now := time.Unix(0, 0)
	var shown string
	p := (&Bench{Progress: func(line string) { shown = line }, Now: func() time.Time { return now }}).pace(3)
	prompt, steps := work{name: "pp100", repeats: 2, prompt: 100}, work{name: "tg10", repeats: 2, steps: 10}
	for _, w := range []work{prompt, steps, prompt} {
		p.plan(w)
	}
	run := func(took time.Duration, want time.Duration) {
		t.Helper()
		now = now.Add(took)
		p.step(false)
		if got := p.rest(); math.Abs(got-want.Seconds()) > 1e-3 {
			t.Errorf("%v s are left, want %v", got, want)
		}
	}
	p.begin("m", prompt)
	now = now.Add(time.Hour)
	p.step(true)
	run(time.Second, 5*time.Second) // three such runs more, and two whose tokens are ten times fewer and dearer
	run(time.Second, 4*time.Second)
	p.begin("m", steps)
	run(4*time.Second, 6*time.Second) // it takes four seconds instead of one, then two runs of the first kind
	if shown != "2/3  m  tg10  2/2  ETA 6s" {
		t.Errorf("%q", shown)
	}
	run(4*time.Second, 2*time.Second)
}
