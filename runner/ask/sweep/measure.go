package sweep

import (
	"cmp"
	"context"
	"fmt"

	"proctor/backends"
	"proctor/runner/ask"
	"proctor/runner/ask/bench"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/format"
)

// usual is the context, in tokens, that a candidate's memory is told for where nobody names one.
const usual = 4096

// measure finds out what a candidate's model is, and how fast it is and what it takes with one request at a time. That nothing can be
// measured of it does not keep it from being asked.
func (s *Sweep) measure(ctx context.Context, c *Progress) error {
	ask.Notify(s.Working, fmt.Sprintf("[%s] measuring speed and memory", s.place()))
	defer ask.Notify(s.Working, "")
	return s.opened(ctx, c, Opening{Slots: 1}, func(model backends.Model) error {
		info, err := model.Info(ctx)
		if err != nil {
			return err
		}
		tokens := cmp.Or(s.Spec.Context, usual)
		if trained := info.Model.ContextLength; trained > 0 {
			tokens = min(tokens, trained)
		}
		b := bench.Bench{Now: s.Now}
		measured, err := b.Alone(ctx, model, c.Name, tokens)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.Info, c.Alone = &info.Model, choice.Alone{Measured: true}
		if err != nil {
			c.Alone.Why = err.Error()
			return nil
		}
		c.Alone.Prefill, c.Alone.Decode = measured.Prefill, measured.Decode
		c.Alone.Memory, c.Alone.Context = measured.Allocation.Total(), measured.Allocation.Context
		for _, device := range measured.Allocation.Devices {
			c.Alone.Memory += device.Total()
		}
		ask.Notify(s.Note, fmt.Sprintf("[%s] prefill %s, decode %s, %s with %s of context", s.place(), format.PerSecond(c.Alone.Prefill),
			format.PerSecond(c.Alone.Decode), format.Size(c.Alone.Memory, "unknown memory"), format.Several(c.Alone.Context, "token")))
		return nil
	})
}
