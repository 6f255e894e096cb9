package llamacpp

import (
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestTheMachineIsRead(t *testing.T) {
	if n := PhysicalCores(); n < 1 || n > runtime.NumCPU() {
		t.Errorf("%d cores of %d CPUs", n, runtime.NumCPU())
	}
	if runtime.GOOS == "linux" {
		if n := availableMemory(); n < 1<<20 || n > 1<<50 {
			t.Errorf("%d bytes of memory", n)
		}
	}
}

func TestCPUListsAreRead(t *testing.T) {
	for _, test := range []struct {
		line string
		want []int
	}{
		{"Cpus_allowed_list:\t0-3,8,10-11\n", []int{0, 1, 2, 3, 8, 10, 11}},
		{"Name:\tx\nCpus_allowed_list:\t5\n", []int{5}},
		{"Cpus_allowed_list:\tnonsense\n", nil},
		{"Cpus_allowed_list:\t1-x\n", nil},
		{"Name:\tx\n", nil},
	} {
		if got := allowedCPUs(test.line); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %v, want %v", test.line, got, test.want)
		}
	}
}

func TestTwoCPUsOfACoreCountOnce(t *testing.T) {
	pairs := func(cpu int) (string, bool) { return fmt.Sprint("0/", cpu%4), cpu < 8 }
	for _, test := range []struct {
		cpus []int
		want int
	}{
		{[]int{0, 1, 2, 3, 4, 5, 6, 7}, 4},
		{[]int{1, 5}, 1},
		{[]int{1, 2}, 2},
		{[]int{1, 9}, 0},
		{nil, 0},
	} {
		if got := distinctCores(test.cpus, pairs); got != test.want {
			t.Errorf("%v: %d cores, want %d", test.cpus, got, test.want)
		}
	}
}

func TestMemoryFilesAreRead(t *testing.T) {
	if got := memAvailable([]byte("MemTotal:  100 kB\nMemAvailable:   42 kB\n")); got != 42<<10 {
		t.Errorf("MemAvailable: %d", got)
	}
	if got := memAvailable([]byte("MemTotal:  100 kB\n")); got != 0 {
		t.Errorf("without MemAvailable: %d", got)
	}
	if got := fileCache([]byte("anon 5\ninactive_file 77\nactive_file 3\n")); got != 77 {
		t.Errorf("inactive_file: %d", got)
	}
}

func TestFeaturesOfTheEngineAreRead(t *testing.T) {
	got := enabled("CPU : SSE3 = 1 | AVX2 = 1 | AVX512 = 0 | LLAMAFILE = 1 | ")
	if want := []string{"SSE3", "AVX2", "LLAMAFILE"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	c := DescribeCPU()
	if len(c.Compiled) == 0 || (c.Warning() != "") != (len(c.Unused) > 0) {
		t.Errorf("%+v", c)
	}
	t.Logf("%+v", c)
	if w := (CPU{Unused: []string{"AVX2"}}).Warning(); !strings.Contains(w, "AVX2") || !strings.Contains(w, "make") {
		t.Errorf("warning %q", w)
	}
}

func TestTheEnginesLinesReachEveryListener(t *testing.T) {
	type line struct {
		level slog.Level
		text  string
	}
	var one, two []line
	a := listen(func(level slog.Level, text string) { one = append(one, line{level, text}) })
	defer a.Close()
	b := listen(func(level slog.Level, text string) { two = append(two, line{level, text}) })
	say := func(level int, text string) { engineSays(level, text) }
	say(2, "an info\n")
	say(4, "an error ")
	say(5, "in pieces\n")
	say(2, "....")
	say(5, "....\n")
	b.Close()
	say(3, "a warning\n")
	want := []line{{slog.LevelInfo, "an info"}, {slog.LevelError, "an error in pieces"}, {slog.LevelWarn, "a warning"}}
	if !slices.Equal(one, want) || !slices.Equal(two, want[:2]) {
		t.Errorf("got %v and %v, want %v", one, two, want)
	}
	if got := a.reason("none"); got != "an error in pieces" || a.reason("none") != "none" {
		t.Errorf("reason %q", got)
	}
}

func TestTimesOfTheCPUsAreRead(t *testing.T) {
	got, ok := statTicks("cpu  10 20 30 400 50 6 7 8 9 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n")
	if want := (ticks{all: 531, idle: 450}); !ok || got != want {
		t.Errorf("%+v, %v; want %+v", got, ok, want)
	}
	for _, stat := range []string{"", "cpu0 1 2 3 4 5 6 7 8", "cpu  1 2 three 4 5 6 7 8"} {
		if _, ok := statTicks(stat); ok {
			t.Errorf("%q was read", stat)
		}
	}
}
