package machine

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
)

func TestThreadsMakeRoomForOtherPrograms(t *testing.T) {
	now := time.Now().Add(-time.Hour)
	var done sample
	c := &Contention{most: 4, now: 4, usage: usage{cpus: 8, sample: func() (sample, bool) { return done, true }, last: sample{at: now}}}
	for _, step := range []struct {
		others float64 // CPUs that others keep busy
		own    float64 // and the engine
		want   int
	}{
		{0, 4, 4}, {0.3, 4, 4}, {4.3, 3.7, 4}, {4.6, 3.4, 3}, {5.5, 2.5, 2}, {7.5, 0.5, 1}, {8, 0, 1}, {6, 1, 2}, {0, 1, 4},
	} {
		const seconds = 2
		done.at = c.last.at.Add(seconds * time.Second)
		done.self = c.last.self + step.own*seconds
		done.all = c.last.all + seconds*8
		done.idle = c.last.idle + seconds*(8-step.others-step.own)
		before := c.now
		got, changed := c.Threads()
		if got != step.want || changed != (got != before) {
			t.Errorf("beside %g busy CPUs: %d threads (changed: %v), want %d after %d", step.others, got, changed, step.want, before)
		}
	}
}

func TestOtherProgramsAreSampledOnceASecond(t *testing.T) {
	samples := 0
	c := &Contention{most: 2, now: 2, window: time.Hour, usage: usage{cpus: 2, last: sample{at: time.Now()}}}
	c.sample = func() (sample, bool) { samples++; return sample{}, false }
	for range 100 {
		c.Threads()
	}
	if samples != 0 {
		t.Errorf("%d samples within the window", samples)
	}
}

// A process on two CPUs of eight is in nobody's way on the other six, and nobody there in its.
func TestOnlyTheCPUsOfTheProcessCount(t *testing.T) {
	const seconds = 2
	times := make([]cpu.TimesStat, 8)
	for i := range times {
		times[i].CPU = fmt.Sprint("cpu", i)
	}
	own := ofProcess(times, []int{2, 5, 11})
	if want := []string{"cpu2", "cpu5"}; !slices.Equal(own, want) {
		t.Fatalf("counts %v, want %v", own, want)
	}
	if all := ofProcess(times, nil); len(all) != 8 {
		t.Errorf("without a list %v count", all)
	}
	c := &Contention{most: 2, now: 2, usage: usage{cpus: len(own), last: sample{at: time.Now().Add(-time.Hour)}}}
	for _, step := range []struct {
		there, here, ours float64 // CPUs that others keep busy elsewhere, and on ours; and the engine
		want              int
	}{{0, 0, 2, 2}, {6, 0, 2, 2}, {6, 0, 0.5, 2}, {0, 1, 1, 1}, {6, 1, 1, 1}, {3, 0.2, 1.8, 2}} {
		for i := range times {
			busy := step.there / 6
			if i == 2 || i == 5 {
				busy = (step.here + step.ours) / 2
			}
			times[i].User += busy * seconds
			times[i].Idle += (1 - busy) * seconds
		}
		next := sample{at: c.last.at.Add(seconds * time.Second), self: c.last.self + step.ours*seconds}
		var known bool
		if next.all, next.idle, known = spent(times, own); !known {
			t.Fatal("the CPUs are not known")
		}
		c.sample = func() (sample, bool) { return next, true }
		if got, _ := c.Threads(); got != step.want {
			t.Errorf("others use %g CPUs elsewhere and %g here, the engine %g: %d threads, want %d",
				step.there, step.here, step.ours, got, step.want)
		}
	}
	if _, _, known := spent(times[:5], own); known {
		t.Error("a CPU went offline, and its time is known")
	}
}

// allInOne tells the test's second process, which may use one CPU only, to count the time there.
const allInOne = "PROCTOR_TEST_ONE_CPU"

func TestAProcessOnOneCPUCountsThatAlone(t *testing.T) {
	if os.Getenv(allInOne) == "" {
		cpus := affinity()
		if _, err := exec.LookPath("taskset"); err != nil || len(cpus) < 2 {
			t.Skip("needs taskset and two CPUs")
		}
		one := exec.Command("taskset", "-c", fmt.Sprint(cpus[0]), os.Args[0], "-test.run=^"+t.Name()+"$")
		one.Env = append(os.Environ(), allInOne+"=1")
		if out, err := one.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	c := Watch(2)
	if c == nil || c.cpus != 1 {
		t.Fatalf("watches %+v", c)
	}
	time.Sleep(300 * time.Millisecond)
	after, known := c.sample()
	if cpus := (after.all - c.last.all) / after.at.Sub(c.last.at).Seconds(); !known || cpus < 0.4 || cpus > 1.6 {
		t.Errorf("%.2f CPUs' time is counted", cpus)
	}
}

func TestTheMachineIsSampled(t *testing.T) {
	c := Watch(2)
	if c == nil {
		t.Skip("this system does not tell")
	}
	second := c.last
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); second, _ = c.sample() { // busy machines give it little
		if second.self > c.last.self && second.all > c.last.all {
			return
		}
	}
	t.Errorf("%+v, then %+v", c.last, second)
}
