package ask

import (
	"time"

	"proctor/backends"
	"proctor/runner/ask/budget"
	"proctor/runner/mark/format"
)

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

// takes is the expected time for the rest of all plans at the pace of a forecast, as a range; empty where the pace is
// unknown. Other programs, which have a share of the CPUs, may end, or take as much again. Where slots stay empty, an
// answer is at least as fast as with all slots busy, and all answers together are at most as fast.
func (s *Session) takes(f backends.Forecast, busy float64) string {
	if f.Duration <= 0 || f.Prefill <= 0 {
		return ""
	}
	least, most := 0.85, 1.2 // a pace differs a little from another run's
	if f.Rough {
		least, most = 0.7, 1.4 // and more from a second's measurement
	}
	low, high := 0.0, 0.0
	for _, plan := range s.plans {
		l := plan.left()
		reading, slower := float64(l.reading)/f.Prefill, 1.0
		if l.items > 0 && l.items < f.Slots {
			slower = float64(f.Slots) / float64(l.items)
		}
		low, high = low+reading, high+reading
		if l.writing.Tokens > 0 {
			low, high = low+float64(l.writing.Low)/f.Decode, high+float64(l.writing.High)/f.Decode*slower
		}
	}
	return "about " + format.Between(low*least*(1-busy), high*most/max(0.2, 1-busy))
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
