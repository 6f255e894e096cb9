package energy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// made is a management library of two GPUs, each of which takes 1.5 joules between two readings.
const made = `
#include <stdio.h>
static unsigned long long millijoules[3];
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device) { *device = (void *)(long)(i + 1); return 0; }
int nvmlDeviceGetName(void *device, char *name, unsigned length) { snprintf(name, length, "Made %ld", (long)device); return 0; }
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *energy) {
	*energy = millijoules[(long)device] += 1500;
	return FAILS;
}
`

// library compiles the library; fails has its devices count nothing.
func library(t *testing.T, fails string) string {
	t.Helper()
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("needs gcc")
	}
	folder := t.TempDir()
	source, path := filepath.Join(folder, "made.c"), filepath.Join(folder, "made.so")
	if err := os.WriteFile(source, []byte(made), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-DFAILS="+fails, "-o", path, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

func TestGPUsAreReadByTheManagementLibrary(t *testing.T) {
	all, why := nvidia(library(t, "0"))
	if len(all) != 2 || why != "" || all[0].name != "NVML GPU 0 Made 1" || all[1].name != "NVML GPU 1 Made 2" {
		t.Fatalf("%v, unread %q", all, why)
	}
	m := meter{counters: all}
	m.since()
	if joules, known := m.since(); !known || joules != 3 {
		t.Errorf("%v joules, %v", joules, known)
	}
	if all, why := nvidia(library(t, "3")); len(all) > 0 || !strings.HasSuffix(why, "NVML GPU 0 Made 1 counts none, as GPUs older than Volta") {
		t.Errorf("GPUs that count nothing: %v, unread %q", all, why)
	}
	if all, why := nvidia(filepath.Join(t.TempDir(), "none.so")); len(all) > 0 || !strings.Contains(why, "none.so is not there, which NVIDIA's driver") {
		t.Errorf("no library: %v, unread %q", all, why)
	}
}
