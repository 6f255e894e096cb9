package backends

import (
	"context"
	"time"
)

// A Forecaster is a Planner that can say what Plan would come to without setting anything aside or having a server load a model. It
// may compute for about a second, to measure how fast the model is here.
type Forecaster interface {
	// Forecast returns an error where Plan would, as far as that can be known.
	Forecast(ctx context.Context, w Workload) (Forecast, error)
}

// A Forecast is what is known of a run before it begins.
type Forecast struct {
	Allocation                    // Slots are 0 where only Plan finds them out
	Duration        time.Duration // that the run is expected to take; 0 where unknown
	Prefill, Decode float64       // tokens a second that Duration rests on, of all slots together
	Rough           bool          // they are measured in a second, and no calibration's
	Source          string        // what Duration rests on, or why it is unknown, for people
}
