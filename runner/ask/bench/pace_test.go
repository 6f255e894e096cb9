package bench

import (
	"testing"
	"time"
)

func TestTheETAComesFromWhatWasMeasured(t *testing.T) {
	now := time.Unix(0, 0)
	var shown string
	p := (&Bench{Progress: func(line string) { shown = line }, Now: func() time.Time { return now }}).pace(3)
	prompt, steps := work{"pp100", 2, 100}, work{"tg10", 2, 10 * stepCost}
	for _, w := range []work{prompt, steps, prompt} {
		p.plan(w)
	}
	p.begin("m", prompt)
	now = now.Add(time.Hour)
	p.step(true)
	for _, run := range []struct {
		took time.Duration
		want string
	}{
		{time.Second, "1/3  m  pp100  2/2  ETA 5s"}, // five such runs more
		{time.Second, "1/3  m  pp100  2/2  ETA 4s"},
		{4 * time.Second, "2/3  m  tg10  2/2  ETA 6s"}, // six seconds for three of six runs
		{4 * time.Second, "2/3  m  tg10  2/2  ETA 5s"},
	} {
		if p.repeat == 2 {
			p.begin("m", steps)
		}
		now = now.Add(run.took)
		if p.step(false); shown != run.want {
			t.Errorf("%q, want %q", shown, run.want)
		}
	}
}
