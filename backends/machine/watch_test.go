package machine

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"gotest.tools/v3/assert"

	"proctor/backends"
)

// on returns a watch of a number of CPUs, whose samples are done. It is due at once.
func on(cpus int, done *sample) *Watch {
	return &Watch{cpus: cpus, sample: func() (sample, bool) { return *done, true }, last: sample{at: time.Now().Add(-time.Hour)}}
}

// advance has time pass in which others and this process keep CPUs busy.
func (s *sample) advance(seconds, cpus, others, own float64) {
	s.at = s.at.Add(time.Duration(seconds * float64(time.Second)))
	s.self += own * seconds
	s.all += seconds * cpus
	s.idle += seconds * (cpus - others - own)
}

func TestThreadsMakeRoomForOtherPrograms(t *testing.T) {
	var done sample
	w := on(8, &done)
	done = w.last
	for _, step := range []struct {
		others float64 // CPUs that others keep busy
		own    float64 // and the engine
		want   int
	}{{0, 4, 4}, {0.3, 4, 4}, {4.3, 3.7, 4}, {4.6, 3.4, 3}, {5.5, 2.5, 2}, {7.5, 0.5, 1}, {8, 0, 1}, {6, 1, 2}, {0, 1, 4}} {
		done.advance(2, 8, step.others, step.own)
		assert.Equal(t, w.Threads(4), step.want, "beside %g busy CPUs", step.others)
	}
}

// Times are those of the bubble's clock: nothing waits.
func TestOtherProgramsAreLookedAtOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		samples := 0
		w := &Watch{cpus: 2, window: firstWindow, last: sample{at: time.Now()}}
		w.sample = func() (sample, bool) { samples++; return sample{at: time.Now()}, true }
		for _, step := range []struct {
			after   time.Duration
			samples int
		}{{0, 1}, {0, 1}, {900 * time.Millisecond, 1}, {100 * time.Millisecond, 2}, {999 * time.Millisecond, 2}, {time.Hour, 3}} {
			time.Sleep(step.after)
			w.Threads(2)
			assert.Equal(t, samples, step.samples, time.Now().Format(time.TimeOnly))
		}
	})
}

func TestAllThreadsAreUsedWhereTheLoadIsUnknown(t *testing.T) {
	var w Watch
	var mark Mark
	for range 2 {
		assert.Check(t, w.Since(&mark).CPUs == 0 && w.Threads(3) == 3)
	}
}

func TestAWatchReportsTheLoadSinceAMark(t *testing.T) {
	done := sample{at: time.Now().Add(-time.Minute)}
	w := on(4, &done)
	w.last = done
	var mark Mark
	assert.Check(t, w.Since(&mark).CPUs == 0, "something is known of the time before the first mark")
	for _, step := range []struct {
		others, own float64
		most        []int // threads at most, of each batch
		want        backends.Load
	}{
		{0, 4, []int{4, 4}, backends.Load{CPUs: 4, FewestThreads: 4, MostThreads: 4}},
		{2, 2, []int{4, 1}, backends.Load{Share: 0.5, CPUs: 4, FewestThreads: 1, MostThreads: 2}},
		{1, 0, nil, backends.Load{Share: 0.25, CPUs: 4}},
		{4, 0, []int{4}, backends.Load{Share: 1, CPUs: 4, FewestThreads: 1, MostThreads: 1}},
		{0, 0, []int{2}, backends.Load{CPUs: 4, FewestThreads: 2, MostThreads: 2}},
	} {
		done.advance(3, 4, step.others, step.own)
		w.window = 0
		for _, most := range step.most {
			w.Threads(most)
		}
		got := w.Since(&mark)
		assert.Check(t, math.Abs(got.Share-step.want.Share) < 1e-9)
		got.Share = step.want.Share
		assert.Equal(t, got, step.want, "others on %g of 4 CPUs", step.others)
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
	assert.DeepEqual(t, own, []string{"cpu2", "cpu5"})
	assert.Equal(t, len(ofProcess(times, nil)), 8, "without a list")
	w := on(len(own), nil)
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
		next := sample{at: w.last.at.Add(seconds * time.Second), self: w.last.self + step.ours*seconds}
		var known bool
		next.all, next.idle, known = spent(times, own)
		assert.Assert(t, known)
		w.sample = func() (sample, bool) { return next, true }
		assert.Equal(t, w.Threads(2), step.want, "others use %g CPUs elsewhere and %g here, the engine %g", step.there, step.here, step.ours)
	}
	_, _, known := spent(times[:5], own)
	assert.Check(t, !known, "a CPU went offline, and its time is known")
}

// allInOne is the variable that has the test's second process, which may use one CPU only, count the time there.
const allInOne = "PROCTOR_TEST_ONE_CPU"

func TestAProcessOnOneCPUCountsThatAlone(t *testing.T) {
	if os.Getenv(allInOne) == "" {
		cpus := affinity()
		if _, err := exec.LookPath("taskset"); err != nil || len(cpus) < 2 {
			t.Skip("needs taskset and two CPUs")
		}
		one := exec.Command("taskset", "-c", fmt.Sprint(cpus[0]), os.Args[0], "-test.run=^"+t.Name()+"$")
		one.Env = append(os.Environ(), allInOne+"=1")
		out, err := one.CombinedOutput()
		assert.NilError(t, err, string(out))
		return
	}
	w := NewWatch()
	assert.Assert(t, w.cpus == 1 && !w.last.at.IsZero(), "watches %d CPUs from %s on", w.cpus, w.last.at)
	times, err := cpu.Times(true)
	assert.NilError(t, err)
	// Since the machine began, one CPU had no more than its share of the time of two or more.
	all, _, known := spent(times, ofProcess(times, nil))
	assert.Check(t, known && w.last.all > 0 && w.last.all < 0.75*all, "%g s of %g s are counted", w.last.all, all)
}

func TestTheMachineIsSampled(t *testing.T) {
	w := NewWatch()
	if w.last.at.IsZero() {
		t.Skip("this system does not tell")
	}
	for second := w.last; second.self <= w.last.self || second.all <= w.last.all; { // or the test runs out of time
		second, _ = w.sample()
	}
}
