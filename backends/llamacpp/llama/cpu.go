package llama

import (
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"proctor/backends/llamacpp/kernels"
)

// accelerations are the instruction sets that make the engine much faster where it was compiled with
// them, by the engine's name for them.
var accelerations = []struct {
	name string
	cpu  []cpuid.FeatureID
}{
	{"AVX", []cpuid.FeatureID{cpuid.AVX}},
	{"AVX2", []cpuid.FeatureID{cpuid.AVX2}},
	{"F16C", []cpuid.FeatureID{cpuid.F16C}},
	{"FMA", []cpuid.FeatureID{cpuid.FMA3}},
	{"AVX512", []cpuid.FeatureID{cpuid.AVX512F, cpuid.AVX512CD, cpuid.AVX512VL, cpuid.AVX512DQ, cpuid.AVX512BW}},
	{"AVX512_VNNI", []cpuid.FeatureID{cpuid.AVX512VNNI}},
	{"DOTPROD", []cpuid.FeatureID{cpuid.ASIMDDP}},
	{"MATMUL_INT8", []cpuid.FeatureID{cpuid.I8MM}},
}

// CPU compares what the engine was compiled with and what this machine's CPU has.
type CPU struct {
	Compiled []string // features of the engine, as it says itself
	Unused   []string // instruction sets that the CPU has and the engine was not compiled with
}

// DescribeCPU compares what the library was compiled with and what this CPU has.
func (l *Library) DescribeCPU() CPU { return cpuOf(l.LlamaPrintSystemInfo(), l.folder == "") }

// cpuOf reads the features of the engine from what it says itself, such as "CPU : AVX2 = 1 | …". fixed says that it is compiled for
// one kind of CPU: others have a variant for each.
func cpuOf(info string, fixed bool) CPU {
	c := CPU{Compiled: enabled(info)}
	if !fixed {
		return c
	}
	for _, a := range accelerations {
		if strings.HasPrefix(a.name, "AVX512") && kernels.Available() {
			continue // it is used by what takes the time, whatever the rest was compiled for
		}
		if cpuid.CPU.Supports(a.cpu...) && !slices.Contains(c.Compiled, a.name) {
			c.Unused = append(c.Unused, a.name)
		}
	}
	return c
}

// Warning returns a line for people where the engine leaves much of the CPU unused, else "".
func (c CPU) Warning() string {
	if len(c.Unused) == 0 {
		return ""
	}
	slower := "slower"
	if slices.Contains(c.Unused, "AVX2") {
		slower = "20 times slower"
	}
	return "this CPU has " + strings.Join(c.Unused, ", ") + ", but llama.cpp was compiled without: " +
		"it may be " + slower + " than it could be; build with make, which sets the compiler's flags"
}

// enabledFeature matches what a line such as "CPU : SSE3 = 1 | AVX2 = 1 | BMI2 = 0 | " says is there.
var enabledFeature = regexp.MustCompile(`(\w+) = 1\b`)

func enabled(info string) (names []string) {
	for _, found := range enabledFeature.FindAllStringSubmatch(info, -1) {
		names = append(names, found[1])
	}
	return names
}
