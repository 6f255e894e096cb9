package isolated

import (
	"context"
	"net/rpc"
	"time"

	"proctor/backends"
)

var _ backends.Engine = (*Model)(nil)

// Test is a benchmark's test with its settings.
type Test struct {
	Settings backends.EngineSettings
	Test     backends.EngineTest
}

// Summary implements [backends.Engine].
func (m *Model) Summary() backends.Summary { return m.opened.Summary }

// CheckTest implements [backends.Engine].
func (m *Model) CheckTest(s backends.EngineSettings, t backends.EngineTest) error {
	return m.call(m.ctx, "CheckTest", planning, Test{s, t}, &None{})
}

// RunTest implements [backends.Engine].
func (m *Model) RunTest(ctx context.Context, s backends.EngineSettings, t backends.EngineTest, step func(warm bool)) (
	samples []time.Duration, err error) {
	if err := m.again(ctx); err != nil {
		return nil, err
	}
	parent := m.process.parent
	parent.step = step
	call := m.process.calls.Go(engineService+".RunTest", Test{s, t}, &samples, make(chan *rpc.Call, 1))
	err = m.await(ctx, call, generating, parent.inLoop)
	return samples, err
}

// Step is called for each repetition of a test.
func (s *parent) Step(warm bool, _ *None) error {
	s.wait(func() { s.step(warm) })
	return nil
}

// CheckTest is [llamacpp.Model.CheckTest].
func (e *engine) CheckTest(t Test, _ *None) error { return e.model.CheckTest(t.Settings, t.Test) }

// RunTest is [llamacpp.Model.RunTest].
func (e *engine) RunTest(t Test, samples *[]time.Duration) error {
	step := func(warm bool) { _ = e.parent.Call(parentService+".Step", warm, &None{}) }
	return during(e, func(ctx context.Context) ([]time.Duration, error) {
		return e.model.RunTest(ctx, t.Settings, t.Test, step)
	}, samples)
}
