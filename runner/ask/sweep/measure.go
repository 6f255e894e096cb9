package sweep

import (
	"cmp"
	"context"
	"fmt"

	"proctor/runner/ask"
	"proctor/runner/ask/bench"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/format"
)

// usual is the default context, in tokens, for a candidate's memory figure.
const usual = 4096

// measure opens a candidate's model and records its kind, its speed and its memory with one request at a time. A model that can't be
// measured still runs the questions.
func (s *Sweep) measure(ctx context.Context, c *Progress) error {
	ask.Notify(s.Working, fmt.Sprintf("[%s] measuring speed and memory", s.Place()))
	defer ask.Notify(s.Working, "")
	model, err := s.opener(c, Opening{Slots: 1})(ctx)
	if err != nil {
		return err
	}
	defer model.Close()
	return func() error {
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
		ask.Notify(s.Note, fmt.Sprintf("[%s] prefill %s, decode %s, %s with %s of context", s.Place(),
			format.PerSecond(c.Alone.Prefill),
			format.PerSecond(c.Alone.Decode), format.Size(c.Alone.Memory, "unknown memory"), format.Several(c.Alone.Context, "token")))
		return nil
	}()
}
