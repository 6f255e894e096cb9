package llamacpp

import (
	"proctor/backends"
	"proctor/backends/machine"
)

var _ backends.Neighbour = (*Model)(nil)

// Others implements [backends.Neighbour].
func (m *Model) Others() (share float64, known bool) {
	if m.monitor == nil {
		m.monitor = machine.NewMonitor()
		return 0, false
	}
	return m.monitor.Others()
}
