package timing

import "proctor/runner/mark/results"

// Active is how many slots were at work on average between two times, in seconds of the wall time.
type Active struct{ From, To, Slots float64 }

// activeParts is in how many parts the wall time is cut.
const activeParts = 120

// ActiveOf is how many slots were at work over a run, in equal parts of the wall time; nil where the journal does not tell. Time without
// any, as between a run and its resumption, is left out.
func ActiveOf(run *results.Run) []Active {
	if run.Times == nil || run.Times.Wall <= 0 {
		return nil
	}
	var all []Active
	width := run.Times.Wall.Seconds() / activeParts
	for i, slots := range run.Times.Active(activeParts) {
		all = append(all, Active{width * float64(i), width * float64(i+1), slots})
	}
	return all
}
