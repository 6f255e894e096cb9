package tune

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// searching is for a long run on an engine that is the faster, the nearer it is to 24 slots, microbatches of 1024 and six
// threads.
func searching(probes *int, speed float64) Search {
	s := Search{
		Work:     backends.Workload{Requests: 1e6, PromptTokens: 1000, UniqueTokens: 800e6, MaxTokens: 300},
		MaxSlots: 100,
		Fits:     func(engine.Settings) bool { return true },
		Others:   func() backends.Load { return backends.Load{} },
	}
	s.Settings.Slots, s.Settings.Batch, s.Settings.Microbatch, s.Settings.Context = 8, 512, 512, 2048
	s.Settings.Threads = 6
	s.Probe = func(_ context.Context, s engine.Settings, p Probe) (Pace, error) {
		*probes++
		far := func(n, best int) float64 { return float64(max(n, best)) / float64(min(n, best)) }
		pace := Pace{Prefill: speed * 1000 / far(s.Microbatch, 1024), Decode: 100 / far(s.Slots, 24) / far(s.Threads, 6)}
		if s.KVUnified {
			pace.Decode *= 2
		}
		return pace, nil
	}
	return s
}

func TestASearchFindsWhatIsFastest(t *testing.T) {
	for _, test := range []struct {
		name              string
		speed             float64 // of prefill
		change            func(*Search)
		slots, microbatch int
		unified           bool
		threads           int
	}{
		{"all is open", 1, func(*Search) {}, 24, 1024, false, 6},
		{"slots were asked for", 1, func(s *Search) { s.KeepSlots = true }, 8, 1024, false, 6},
		{"memory ends it", 1, func(s *Search) { s.Fits = func(s engine.Settings) bool { return s.Slots <= 16 } }, 16, 1024, false, 6},
		{"so do slots that do not fit", 1, func(s *Search) { s.MaxSlots = 16 }, 16, 1024, false, 6},
		{"fewer are better", 1, func(s *Search) { s.Settings.Slots = 96 }, 24, 1024, false, 6},
		{"a probe affords whole prompts", 1e6, func(*Search) {}, 24, 512, true, 6},
		{"the kind of cache is the model's", 1e6, func(s *Search) { s.KeepUnified = true }, 24, 512, false, 6},
		{"only some cores are fast", 1, func(s *Search) { s.Settings.Threads, s.FastCores = 16, 6 }, 24, 1024, false, 6},
		{"threads wait for memory", 1, func(s *Search) { s.Settings.Threads = 24 }, 24, 1024, false, 6},
		{"the fast cores are too few", 1, func(s *Search) { s.Settings.Threads, s.FastCores = 8, 2 }, 24, 1024, false, 8},
		{"threads were asked for", 1, func(s *Search) { s.KeepThreads, s.Settings.Threads = true, 16 }, 24, 1024, false, 16},
	} {
		t.Run(test.name, func(t *testing.T) {
			probes := 0
			s := searching(&probes, test.speed)
			test.change(&s)
			got, c, err := s.Run(t.Context())
			if err != nil || got.Slots != test.slots || got.Microbatch != test.microbatch || got.KVUnified != test.unified ||
				got.Batch < got.Microbatch || got.Threads != test.threads {
				t.Errorf("%+v, %v", got.EngineInfo, err)
			}
			assert.Check(t, c != nil && c.Engine.Slots == test.slots && strings.HasPrefix(c.String(), "calibrated in ") && probes >= 3,
				"after %d probes: %v", probes, c)
		})
	}
}

// A machine that is busy makes a probe last: the first question does not wait for it.
func TestASearchEndsWithItsTime(t *testing.T) {
	for most, calibrated := range map[int]bool{1: false, 3: true} { // probes that end in time
		probes := 0
		s := searching(&probes, 1)
		probe := s.Probe
		s.Probe = func(ctx context.Context, settings engine.Settings, p Probe) (Pace, error) {
			if probes == most {
				<-ctx.Done()
				return Pace{}, ctx.Err()
			}
			return probe(ctx, settings, p)
		}
		got, c, err := s.Run(t.Context())
		assert.NilError(t, err)
		assert.Check(t, (c != nil) == calibrated && (got.Slots == 16) == calibrated, "after %d probes: %v, %v", most, got.Slots, c)
	}
}

func TestAShortRunIsNotCalibrated(t *testing.T) {
	probes := 0
	s := searching(&probes, 1)
	s.Work.Requests, s.Work.UniqueTokens = 5, 1000
	got, c, err := s.Run(t.Context())
	assert.Check(t, err == nil && c == nil && probes == 1 && got.Slots == 8, "%d probes, %+v, %v, %v", probes, got, c, err)
}

func TestAProbeThatFailsEndsASearch(t *testing.T) {
	probes, broken := 0, errors.New("broken")
	s := searching(&probes, 1)
	probe := s.Probe
	s.Probe = func(ctx context.Context, settings engine.Settings, p Probe) (Pace, error) {
		if probes == 3 {
			return Pace{}, broken
		}
		return probe(ctx, settings, p)
	}
	_, c, err := s.Run(t.Context())
	assert.Check(t, errors.Is(err, broken) && c == nil, "%v, %v", c, err)
}

func TestACalibrationBesideOtherProgramsIsNotKept(t *testing.T) {
	for share, kept := range map[float64]bool{0.1: true, 0.55: false} {
		probes := 0
		s := searching(&probes, 1)
		s.Others = func() backends.Load { return backends.Load{Share: share, CPUs: 2, FewestThreads: 1, MostThreads: 2} }
		s.Keep = OpenStore(t.TempDir(), "digest", s.Settings)
		_, c, err := s.Run(t.Context())
		assert.Assert(t, err == nil && c != nil, "%v, %v", c, err)
		const says = " (other programs took 1.1 of 2 cores; computed on 1 to 2 threads; not kept for later runs)"
		if _, stored := s.Stored(); (stored != nil) != kept || strings.HasSuffix(c.String(), says) == kept {
			t.Errorf("beside a load of %g: kept as %v, and says %q", share, stored, c)
		}
	}
}

func TestACalibrationThatChangedWhatIsKeptIsNotTaken(t *testing.T) {
	for name, keep := range map[string]func(*Search){
		"the kind of cache": func(s *Search) { s.KeepUnified = true },
		"flash attention":   func(s *Search) { s.KeepFlash, s.Settings.FlashAttention = true, true },
		"slots":             func(s *Search) { s.KeepSlots = true },
		"threads":           func(s *Search) { s.KeepThreads, s.Settings.Threads = true, 5 },
	} {
		probes := 0
		s := searching(&probes, 1e6)
		s.Keep = OpenStore(t.TempDir(), "digest", s.Settings)
		found, _, err := s.Run(t.Context())
		assert.Assert(t, err == nil && found.KVUnified && found.Slots != s.Settings.Slots, "%+v, %v", found.EngineInfo, err)
		if got, stored := s.Stored(); stored == nil || !got.KVUnified {
			t.Errorf("nothing was kept: %+v", got.EngineInfo)
		}
		keep(&s)
		if got, stored := s.Stored(); stored != nil || got.KVUnified || got.Slots != s.Settings.Slots || got.Threads != s.Settings.Threads {
			t.Errorf("%s: a run that keeps it takes %+v", name, got.EngineInfo)
		}
	}
}

func TestSettingsAreChangedOnlyForAGain(t *testing.T) {
	slow, fast := Pace{Prefill: 100, Decode: 10}, Pace{Prefill: 100, Decode: 20}
	w := backends.Workload{Requests: 10, PromptTokens: 500, UniqueTokens: 2000, MaxTokens: 1000}
	if got, want := slow.seconds(w), 200.0/100+backends.AssumedOutput/10.0; got != want {
		t.Errorf("%g s a request, want %g", got, want)
	}
	w.UniqueTokens = 0
	got, want := fast.seconds(w), 100.0/100+backends.AssumedOutput/20.0
	assert.Check(t, got == want, "%g s a request, want %g", got, want)
}

// notes is an engine that computes nothing, and a vocabulary: it notes what it is told of its sequences.
type notes struct {
	copies        [][2]int32
	group, length []int32
}

func (n *notes) Evaluate(engine.Batch) error       { return nil }
func (n *notes) Copy(from, to int32)               { n.copies = append(n.copies, [2]int32{from, to}) }
func (n *notes) Share(group, length []int32)       { n.group, n.length = group, length }
func (n *notes) CancelWith(context.Context) func() { return func() {} }
func (n *notes) Tokens() int32                     { return 9 }
func (n *notes) BOS() (int32, bool)                { return 1, true }

func TestSequencesThatBeginAlikeAreSharedAsInARun(t *testing.T) {
	var got notes
	NewFeed(&got, &got).CopyToAll(70, 3)
	if !slices.Equal(got.copies, [][2]int32{{0, 1}, {0, 2}}) || !slices.Equal(got.group, []int32{0, 0, 0}) ||
		!slices.Equal(got.length, []int32{70, 0, 0}) {
		t.Errorf("%+v", got)
	}
}

func TestACalibrationIsKeptForWhatItDependsOn(t *testing.T) {
	folder := t.TempDir()
	base := engine.Settings{}
	base.Threads, base.Slots, base.Context, base.KVType, base.Kernels = 2, 16, 2048, "f16", "proctor"
	paths := map[Store]string{OpenStore(folder, "abc", base): "the base", OpenStore(folder, "abd", base): "another file"}
	for name, change := range map[string]func(*engine.Settings){
		"threads":    func(s *engine.Settings) { s.Threads = 3 },
		"slots":      func(s *engine.Settings) { s.Slots = 3 },
		"context":    func(s *engine.Settings) { s.Context = 4096 },
		"cache":      func(s *engine.Settings) { s.KVType = "q8_0" },
		"GPU layers": func(s *engine.Settings) { s.GPULayers = 9 },
		"kernels":    func(s *engine.Settings) { s.Kernels = "ggml" },
		"level":      func(s *engine.Settings) { s.KernelLevel = "none such" },
	} {
		s := base
		change(&s)
		store := OpenStore(folder, "abc", s)
		other, found := paths[store]
		assert.Check(t, !found, "%s: kept in the same place as %s", name, other)
		paths[store] = name
		assert.Check(t, filepath.Dir(store.path) == folder, "%s: kept in %s", name, store.path)
	}
	c := Calibration{Pace: Pace{Prefill: 5}}
	c.Engine.Slots, c.Engine.Microbatch, c.Engine.Threads = 8, 256, 2
	store := OpenStore(folder, "abc", base)
	assert.NilError(t, store.keep(c))
	if got, found := store.find(); !found || !got.stored || got.Engine.Slots != 8 || got.Pace != c.Pace {
		t.Errorf("%+v, %v", got, found)
	}
	if _, found := (Store{}).find(); found || (Store{}).keep(c) != nil || OpenStore("", "abc", base) != (Store{}) {
		t.Error("without a folder something is kept")
	}
}
