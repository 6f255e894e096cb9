package llamacpp

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/errortest"
)

func TestFlashAttentionIsLeftToTheEngine(t *testing.T) {
	m := open(t, Options{Kernels: KernelsGGML})
	s := plainBench()
	if taken, err := m.AutoFlash(s); err != nil || !taken {
		t.Errorf("on a CPU: %v, %v; llama.cpp takes it there", taken, err)
	}
	s.ValueType = "q8_0" // needs it
	if taken, err := m.AutoFlash(s); err != nil || !taken {
		t.Errorf("with quantised values: %v, %v", taken, err)
	}
	s.KeyType = "q9"
	_, err := m.AutoFlash(s)
	errortest.For(t, "a type that there is not", err, `"q9"`)
	m.Close()
	if _, err := m.AutoFlash(plainBench()); err != backends.ErrClosed {
		t.Errorf("a closed model: %v", err)
	}
}

func TestAModelIsMappedOrRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists what is mapped in /proc/self/maps")
	}
	path, err := writeTiny("mapped.gguf", func(*llamatest.Model) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, unmapped := range []bool{false, true} {
		m := open(t, Options{Path: path, Kernels: KernelsGGML, Unmapped: unmapped})
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		if found := strings.Contains(string(maps), path); found == unmapped {
			t.Errorf("unmapped %v: the file is among what is mapped: %v", unmapped, found)
		}
		m.Close()
	}
}
