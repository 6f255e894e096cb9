package meters

import (
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/scripted"
)

// Every second's energy is told once, the rest with the last item, and none where a counter fails.
func TestEnergyIsToldOnceASecondAndAtTheEnd(t *testing.T) {
	joules, known := 30.0, true
	m := &Energy{func() (float64, bool) { return joules, known }, time.Now().Add(-2 * time.Second)}
	first := m.Taken(false)
	if first == nil || first.Joules != 30 || first.Over < 2*time.Second || first.Over > 3*time.Second {
		t.Fatalf("%+v", first)
	}
	if again := m.Taken(false); again != nil {
		t.Errorf("told again at once: %+v", again)
	}
	m.last = m.last.Add(-100 * time.Millisecond)
	if soon := m.Taken(false); soon != nil {
		t.Errorf("told again within a second: %+v", soon)
	}
	if rest := m.Taken(true); rest == nil || rest.Over < 100*time.Millisecond {
		t.Errorf("the rest is %+v", rest)
	}
	known = false
	m.last = m.last.Add(-2 * time.Second)
	if failed := m.Taken(false); failed != nil {
		t.Errorf("a counter that fails told %+v", failed)
	}
	known = true
	m.last = m.last.Add(-1 * time.Second)
	if next := m.Taken(false); next == nil || next.Over > 2*time.Second {
		t.Errorf("the time of a counter that failed counts: %+v", next)
	}
	if none := (*Energy)(nil).Taken(true); none != nil {
		t.Errorf("nobody reads, and %+v was told", none)
	}
}

// here is a model that computes on this machine.
type here struct{ *scripted.Model }

func (here) Others() (float64, bool) { return 0, true }

func TestEnergyIsReadOfWhatComputesHere(t *testing.T) {
	var gpus []bool
	read := func(gpu bool) backends.Energy {
		gpus = append(gpus, gpu)
		return backends.Energy{Counters: []string{"a"}, Unread: "b", Since: func() (float64, bool) { return 1, true }}
	}
	model := here{&scripted.Model{}}
	if m, what := Reading(nil, model, &backends.EngineInfo{}); m != nil || what != nil {
		t.Errorf("nobody was to read: %v %v", m, what)
	}
	if m, what := Reading(read, model, &backends.EngineInfo{GPULayers: 3}); m == nil || what.Counters[0] != "a" || what.Unread != "b" {
		t.Errorf("%v %v", m, what)
	}
	if m, what := Reading(read, &scripted.Model{}, &backends.EngineInfo{}); m != nil || what.Unread == "" {
		t.Errorf("a model elsewhere: %v %v", m, what)
	}
	if len(gpus) != 1 || !gpus[0] {
		t.Errorf("read with GPUs: %v", gpus)
	}
}
