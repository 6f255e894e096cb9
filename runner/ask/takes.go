package ask

import (
	"math"
	"time"

	"proctor/backends"
	"proctor/runner/ask/budget"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// Takes is an expected duration in seconds, with its range Low to High. The zero value is unknown.
type Takes struct {
	Seconds stats.Number `json:"seconds,omitzero"`
	Low     stats.Number `json:"seconds_low,omitzero"`
	High    stats.Number `json:"seconds_high,omitzero"`
}

// Factors for the range of a time: a run's pace differs a little from another run's, and a second's measurement is rough.
const (
	least, most           = 0.85, 1.2
	leastRough, mostRough = 0.7, 1.4
)

// A Pace says how well a model's speed is known.
type Pace struct {
	Rough bool    // it was measured in a second
	Busy  float64 // share of the CPUs that other programs took meanwhile
	Idle  float64 // share of the slots that it was measured with, and that stay empty
}

// TakesOf is the time to read prompts and write completions: the expected one, and its range. Other programs may end, or take as much
// again. Where slots stay empty, an answer is at least as fast as with all slots busy, and all answers together are at most as fast.
func TakesOf(reading, writing float64, l budget.Length, p Pace) Takes {
	low, high := least*(1-p.Busy), most/max(0.2, 1-p.Busy)
	if p.Rough {
		low, high = leastRough*(1-p.Busy), mostRough/max(0.2, 1-p.Busy)
	}
	part := func(tokens int) float64 { return writing * float64(tokens) / float64(max(1, l.Tokens)) }
	slower := 1 / (1 - p.Idle)
	return Takes{
		Seconds: stats.Of(reading + writing*math.Sqrt(slower)),
		Low:     stats.Of(low * (reading + part(l.Low))), High: stats.Of(high * (reading + part(l.High)*slower)),
	}
}

// Plus is the duration of both, one after the other.
func (t Takes) Plus(u Takes) Takes {
	add := func(a, b stats.Number) stats.Number { return stats.Of(a.Or(0) + b.Or(0)) }
	return Takes{add(t.Seconds, u.Seconds), add(t.Low, u.Low), add(t.High, u.High)}
}

// Times is the time multiplied by a factor.
func (t Takes) Times(factor float64) Takes {
	times := func(n stats.Number) stats.Number { return stats.Of(n.Or(0) * factor) }
	return Takes{times(t.Seconds), times(t.Low), times(t.High)}
}

// Known says whether the time is known.
func (t Takes) Known() bool { return t.Seconds.Defined() }

func (t Takes) String() string {
	if !t.Known() {
		return format.Undefined
	}
	return "about " + format.Between(t.Low.Or(0), t.High.Or(0))
}

// left is the work that a plan still has: items, prompt tokens to read, and completion tokens to write.
type left struct {
	items   int
	reading int
	writing budget.Length
}

func (p *Plan) left() left {
	l := left{reading: p.unread}
	for i := range p.Items {
		id := p.Items[i].ID
		if p.earlier.Done[id] {
			continue
		}
		l.reading += p.earlier.Started[id]
		length, open := p.earlier.Rest[id]
		if !open {
			length = p.length
		}
		l.items++
		l.writing.Tokens, l.writing.Low, l.writing.High = l.writing.Tokens+length.Tokens, l.writing.Low+length.Low, l.writing.High+length.High
	}
	return l
}

// takes is the time for the rest of all plans at the pace of a forecast; unknown where the pace is.
func (s *Session) takes(f backends.Forecast, busy float64) Takes {
	all := Takes{}
	if f.Duration <= 0 || f.Prefill <= 0 {
		return all
	}
	for _, plan := range s.plans {
		l := plan.left()
		writing := 0.0
		if l.writing.Tokens > 0 {
			writing = float64(l.writing.Tokens) / f.Decode
		}
		pace := Pace{Rough: f.Rough, Busy: busy}
		if l.items > 0 && l.items < f.Slots {
			pace.Idle = 1 - float64(l.items)/float64(f.Slots)
		}
		all = all.Plus(TakesOf(float64(l.reading)/f.Prefill, writing, l.writing, pace))
	}
	return all
}

// watched is the shortest time for which other programs are measured before an estimate is printed.
const watched = 200 * time.Millisecond

// foresee gets the model's forecast, and measures other programs meanwhile.
func (s *Session) foresee(forecast func() (backends.Forecast, error)) (f backends.Forecast, others backends.Load, err error) {
	backends.LoadOf(s.model)
	began := time.Now()
	f, err = forecast()
	if _, here := s.model.(backends.LoadReporter); !here || err != nil {
		return f, others, err
	}
	time.Sleep(watched - time.Since(began))
	return f, backends.LoadOf(s.model), nil
}

// taken describes other programs' share of the CPUs, where it affects the run's time.
func taken(others backends.Load) string {
	if others.Crowded() {
		return "; other programs take " + others.Taken()
	}
	return ""
}
