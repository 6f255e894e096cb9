package energy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A made powercap folder, as a machine with two processors, memory and a platform zone has it.
func powercap(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for zone, called := range map[string]string{
		"intel-rapl:0": "package-0", "intel-rapl:0:0": "core", "intel-rapl:0:1": "dram", "intel-rapl:1": "package-1", "intel-rapl:2": "psys",
		"intel-rapl-mmio:0": "package-0", "intel-rapl": "",
	} {
		if err := os.MkdirAll(filepath.Join(folder, zone), 0o755); err != nil {
			t.Fatal(err)
		}
		if called == "" { // the control type itself, which has no name
			continue
		}
		put(t, folder, zone, "name", called)
		put(t, folder, zone, "max_energy_range_uj", 1_000_000_000)
		put(t, folder, zone, "energy_uj", 0)
	}
	return folder
}

func put(t *testing.T, folder, zone, file string, value any) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, zone, file), fmt.Appendln(nil, value), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestProcessorsAndMemoryAreAddedUp(t *testing.T) {
	folder := powercap(t)
	e := Of(folder, false)
	if want := []string{"RAPL package-0", "RAPL 0:1 dram", "RAPL package-1"}; !slices.Equal(e.Counters, want) || e.Unread != "" {
		t.Fatalf("%q, unread %q", e.Counters, e.Unread)
	}
	if _, known := e.Since(); known {
		t.Error("the first reading has nothing before it")
	}
	for _, step := range []struct {
		first, memory, second, core uint64
		want                        float64
	}{
		{5_000_000, 500_000, 1_000_000, 4_000_000, 6.5},
		{5_000_000, 500_000, 1_000_000, 4_000_000, 0},
		{999_000_000, 500_000, 1_000_000, 4_000_000, 994},
		{2_000_000, 500_000, 1_000_000, 4_000_000, 3}, // the first began again behind 1,000 joules
	} {
		put(t, folder, "intel-rapl:0", "energy_uj", step.first)
		put(t, folder, "intel-rapl:0:1", "energy_uj", step.memory)
		put(t, folder, "intel-rapl:1", "energy_uj", step.second)
		put(t, folder, "intel-rapl:0:0", "energy_uj", step.core)
		if joules, known := e.Since(); !known || joules != step.want {
			t.Errorf("%+v: %v, %v", step, joules, known)
		}
	}
}

// A counter that fails once is not taken for one that stood still.
func TestACounterThatFailsBeginsAnew(t *testing.T) {
	folder := powercap(t)
	e := Of(folder, false)
	e.Since()
	put(t, folder, "intel-rapl:1", "energy_uj", "soon")
	if joules, known := e.Since(); known {
		t.Errorf("%v joules of a counter that says nothing", joules)
	}
	put(t, folder, "intel-rapl:1", "energy_uj", 7_000_000)
	if joules, known := e.Since(); known {
		t.Errorf("%v joules since a reading that failed", joules)
	}
	put(t, folder, "intel-rapl:1", "energy_uj", 8_000_000)
	if joules, known := e.Since(); !known || joules != 1 {
		t.Errorf("%v, %v", joules, known)
	}
}

func TestWhatCannotBeReadSaysWhy(t *testing.T) {
	empty := t.TempDir()
	odd := powercap(t)
	put(t, odd, "intel-rapl:0", "energy_uj", "many")
	for folder, want := range map[string]string{
		filepath.Join(empty, "none"): "none is not there, as in virtual machines and containers",
		empty:                        "has no zone of a processor",
		odd:                          `energy_uj: "many" is not a count of microjoules`,
	} {
		e := Of(folder, false)
		if len(e.Counters) > 0 || e.Since != nil || !strings.Contains(e.Unread, want) {
			t.Errorf("%s: %q, unread %q, want %q", folder, e.Counters, e.Unread, want)
		}
	}
}

func TestAFileForRootAloneSaysHowToLetOthersReadIt(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	folder := powercap(t)
	if err := os.Chmod(filepath.Join(folder, "intel-rapl:0", "energy_uj"), 0); err != nil {
		t.Fatal(err)
	}
	if e := Of(folder, false); !strings.Contains(e.Unread, "is for root alone; to let others read it until the machine starts again: sudo chmod a+r") {
		t.Errorf("unread %q", e.Unread)
	}
}

// Where NVIDIA's driver is, its GPUs count; elsewhere that is said, and the processors are counted all the same.
func TestGPUsAreCountedWhereTheDriverIs(t *testing.T) {
	e := Of(powercap(t), true)
	gpus := slices.DeleteFunc(slices.Clone(e.Counters), func(name string) bool { return !strings.HasPrefix(name, "NVML GPU ") })
	if len(gpus) == 0 {
		if len(e.Counters) != 3 || !strings.HasPrefix(e.Unread, "the GPUs' energy is not readable: ") {
			t.Errorf("%q, unread %q", e.Counters, e.Unread)
		}
		return
	}
	t.Logf("counted: %q", gpus)
	e.Since()
	if _, known := e.Since(); !known || e.Unread != "" {
		t.Errorf("the GPUs are counted, and not read: %q", e.Unread)
	}
}
