package ask_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/mark/forecast"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
	"proctor/scripts/tests/errortest"
)

// clock is when the sessions here begin.
var clock = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// A session is what one is made of.
type session struct{ ask.Cell }

// with begins the session on a model.
func (s *session) with(ctx context.Context, model backends.Model) (*ask.Session, error) {
	s.Cell.Open = func(context.Context, backends.EngineInfo) (backends.Model, error) { return model, nil }
	return ask.New(ctx, &s.Cell)
}

// watch has each task's records seen by what begin returns.
func (s *session) watch(begin func(header *journal.Header, from progress.Counts) func(*journal.Record)) {
	var seen func(*journal.Record)
	s.Begin = func(_ string, header *journal.Header, from progress.Counts) { seen = begin(header, from) }
	s.Item = func(r *journal.Record) { seen(r) }
}

// An outcome is that of a task, with its report.
type outcome struct {
	ask.Outcome
	Report *metrics.Summary
}

// sessionOf asks tasks of the sample, limit questions each.
func sessionOf(t *testing.T, out string, limit int, tasks string) *session {
	t.Helper()
	set := sample(t)
	return sessionIn(t, out, ask.Cell{Set: set, Evals: evalsOf(t, tasks, set), Selection: dataset.Selection{Limit: limit},
		Spec: capped(64)})
}

// evalsOf are tasks as --tasks names them, with a worked example where the set has some.
func evalsOf(t *testing.T, tasks string, set *dataset.Set) (evals []prompts.Eval) {
	t.Helper()
	parsed, err := task.Parse(tasks, set.Subjects())
	assert.NilError(t, err)
	for _, each := range parsed {
		evals = append(evals, evalOf(t, each, min(1, len(set.Validation))))
	}
	return evals
}

// sessionIn is a session in a folder.
func sessionIn(t *testing.T, out string, cell ask.Cell) *session {
	cell.Options = ask.Options{
		Out: out, Version: "test", Host: func() backends.Host { return backends.Host{} }, Now: func() time.Time { return clock },
		Observer: ask.Observer{Warn: func(text string) { t.Errorf("warning %q", text) }},
	}
	return &session{cell}
}

// ran runs a session to its outcomes.
func ran(ctx context.Context, t *testing.T, s *session, model backends.Model) []outcome {
	t.Helper()
	running, err := s.with(ctx, model)
	assert.NilError(t, err)
	var outcomes []outcome
	err = running.Run(ctx, func(o ask.Outcome) error {
		r, err := metrics.Open(o.Folder, metrics.Options{})
		outcomes = append(outcomes, outcome{o, r})
		return errors.Join(err, report.Save(o.Folder, r))
	})
	assert.Check(t, err == nil || errors.Is(err, context.Cause(ctx)), "%v", err)
	return outcomes
}

// TestAnInterruptionIsSeenWhileReportsAreWritten: nothing was being asked, but something was left to be.
func TestAnInterruptionIsSeenWhileReportsAreWritten(t *testing.T) {
	for left, tasks := range map[bool]string{true: "mmlu_pro_math,mmlu_pro_law", false: "mmlu_pro_math"} {
		ctx, interrupt := context.WithCancelCause(t.Context())
		signal, written := errors.New("a signal"), 0
		s, err := sessionOf(t, t.TempDir(), 2, tasks).with(ctx, &scripted.Model{})
		assert.NilError(t, err)
		err = s.Run(ctx, func(o ask.Outcome) error {
			written++
			interrupt(signal)
			return o.Err
		})
		assert.Check(t, written == 1 && errors.Is(err, signal) == left && (err == nil) != left, "%s: %d tasks, %v", tasks, written, err)
	}
}

// TestNothingIsChangedBeforeAllWasChecked has the second of two tasks refuse what the first one would take: a larger limit, or a larger cap.
func TestNothingIsChangedBeforeAllWasChecked(t *testing.T) {
	for name, more := range map[string]func(*command){
		"a limit": func(c *command) { c.selection.Limit = 5 },
		"a cap":   func(c *command) { c.again, c.settings.MaxTokens = true, 32 },
	} {
		out := filepath.Join(t.TempDir(), "run")
		cmd := command{tasks: "mmlu_pro_math,mmlu_pro_law", selection: dataset.Selection{Limit: 3}}
		cmd.runs(t, out)
		first, second := filepath.Join(out, "mmlu_pro_math", journal.FileName), filepath.Join(out, "mmlu_pro_law", journal.FileName)
		before, err := os.ReadFile(first)
		assert.NilError(t, err)
		other, err := os.ReadFile(second)
		assert.NilError(t, err)
		assert.NilError(t, os.WriteFile(second, bytes.Replace(other, []byte(`"shots":1`), []byte(`"shots":2`), 1), 0o644))
		cmd.resume = true
		more(&cmd)
		_, err = cmd.in(t, out)
		errortest.For(t, name, err, "shots (journal: 2, now: 1)")
		after, err := os.ReadFile(first)
		assert.Check(t, err == nil && bytes.Equal(before, after), "%s: the first task's journal was changed", name)
	}
}

func TestAnInterruptedSessionStopsAndResumes(t *testing.T) {
	const tasks = "mmlu_pro_math,mmlu_pro_physics,mmlu_pro_binary_math"
	out := t.TempDir()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	s := sessionOf(t, out, 8, tasks)
	answered := 0
	s.watch(func(*journal.Header, progress.Counts) func(*journal.Record) {
		return func(*journal.Record) {
			if answered++; answered == 11 { // in the second task
				interrupt()
			}
		}
	})
	outcomes := ran(ctx, t, s, &scripted.Model{})
	assert.Assert(t, len(outcomes) == 2 && outcomes[0].Err == nil && errors.Is(outcomes[1].Err, context.Canceled) &&
		outcomes[1].Report.Items == 3, "outcomes %+v", outcomes)
	_, err := os.Stat(filepath.Join(out, "mmlu_pro_binary_math"))
	assert.Check(t, errors.Is(err, fs.ErrNotExist), "the third task was begun: %v", err)

	on := sessionOf(t, out, 8, tasks)
	on.Resume = true
	on.Now = func() time.Time { return clock.Add(time.Hour) }
	on.Cell.Open = func(_ context.Context, earlier backends.EngineInfo) (backends.Model, error) {
		return nil, errors.New(earlier.Name)
	}
	_, err = ask.New(t.Context(), &on.Cell)
	assert.Check(t, is.Error(err, "scripted"))
	var done []int
	again := 0
	on.watch(func(_ *journal.Header, from progress.Counts) func(*journal.Record) {
		done = append(done, from.Done)
		return func(*journal.Record) { again++ }
	})
	outcomes = ran(t.Context(), t, on, &scripted.Model{})
	assert.Check(t, slices.Equal(done, []int{8, 3, 0}) && len(outcomes) == 3, "%v, %d", done, len(outcomes))
	total := 0
	for _, o := range outcomes {
		total += o.Report.Items
		assert.Check(t, o.Err == nil && o.Report.Completeness.Complete, "%s: %v, %+v", o.Report.Task, o.Err, o.Report.Completeness)
	}
	assert.Check(t, again == total-answered, "%d items were asked again, %d of %d were left", again, total-answered, total)
}

func TestABrokenModelKeepsWhatItAnsweredAndLaterTasksAreAsked(t *testing.T) {
	answered := 0
	broken := &scripted.Model{Fail: func(r backends.Request) *scripted.Error {
		if strings.HasPrefix(r.ID, "mmlu_pro/") {
			if answered++; answered > 5 {
				return &scripted.Error{Text: "out of memory", Break: true}
			}
		}
		return nil
	}}
	outcomes := ran(t.Context(), t, sessionOf(t, t.TempDir(), 8, "mmlu_pro_math,mmlu_pro_binary_math"), broken)
	assert.Assert(t, len(outcomes) == 2 && outcomes[1].Err == nil && outcomes[1].Report.Completeness.Complete, "%+v", outcomes)
	errortest.Says(t, outcomes[0].Err, "out of memory")
	assert.Check(t, is.Len(load(t, outcomes[0].Folder).Records, 5))
}

func TestAnErrorFromDoneEndsTheSession(t *testing.T) {
	s, err := sessionOf(t, t.TempDir(), 8, "mmlu_pro_math,mmlu_pro_physics").with(t.Context(), &scripted.Model{})
	assert.NilError(t, err)
	full := errors.New("disk full")
	calls := 0
	err = s.Run(t.Context(), func(ask.Outcome) error { calls++; return full })
	assert.Check(t, errors.Is(err, full) && calls == 1, "error %v after %d outcomes", err, calls)
}

// windowed has a context whatever is planned.
type windowed struct {
	*scripted.Model
	mayUnfit float64
}

func (w windowed) Plan(context.Context, backends.Workload) (backends.Allocation, error) {
	return backends.Allocation{Unfit: w.mayUnfit, Description: "a window"}, nil
}

// fallenBack computes with other kernels than it could.
type fallenBack struct{ *scripted.Model }

func (f fallenBack) Info(ctx context.Context) (backends.Info, error) {
	info, err := f.Model.Info(ctx)
	info.Engine.KernelsBecause = "it has no ggml_barrier"
	return info, err
}

func TestASessionWarnsBeforehandThatItsKernelsAreSlower(t *testing.T) {
	s, told := sessionOf(t, t.TempDir(), 14, "mmlu_pro"), ""
	s.OnPlan = func(line string) { told += line }
	_, err := s.with(t.Context(), fallenBack{&scripted.Model{}})
	assert.Check(t, err == nil && strings.HasSuffix(told, "because it has no ggml_barrier"), "told %q, %v", told, err)
}

func TestASessionRefusesAContextThatDoesNotFit(t *testing.T) {
	for name, test := range map[string]struct {
		context      int
		mayUnfit     float64
		warning, err string
	}{
		"every item fits":         {context: 1 << 20},
		"none does":               {context: 70, err: "14 of 14 prompts do not fit: a context of 70 tokens is too small: "},
		"some do not":             {context: 650, warning: " prompts do not fit: a context of 650 tokens is too small: "},
		"more than may do not":    {context: 650, mayUnfit: 0.01, err: "do not fit: a context of 650 tokens is too small: "},
		"no more than may do not": {context: 650, mayUnfit: 0.99, warning: "they become HARNESS_ERROR, CTX_TRUNCATED"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessionOf(t, t.TempDir(), 14, "mmlu_pro")
			warning, told := "", ""
			s.Warn = func(text string) { warning = text }
			s.OnPlan = func(line string) { told = line }
			_, err := s.with(t.Context(), windowed{&scripted.Model{Context: test.context}, test.mayUnfit})
			assert.Check(t, (err == nil) == (test.err == "") && (err == nil || strings.Contains(err.Error(), test.err)),
				"error %v, want one with %q", err, test.err)
			assert.Check(t, (warning == "") == (test.warning == "") && strings.Contains(warning, test.warning) &&
				told == "a window", "warning %q, want one with %q; told %q", warning, test.warning, told)
		})
	}
}

// TestProgressOfAResumedRunIsTheWholeRuns stops a run twice: what is told is what the report of so much of the run says, however unequal
// the parts of the subjects are. A retried failure and answers of earlier sessions count once.
func TestProgressOfAResumedRunIsTheWholeRuns(t *testing.T) {
	out := t.TempDir()
	for session, stopAfter := range []int{20, 20, 0} {
		ctx, interrupt := context.WithCancel(t.Context())
		s := sessionOf(t, out, 56, "mmlu_pro")
		s.Resume = session > 0
		var state *progress.State
		s.watch(func(header *journal.Header, from progress.Counts) func(*journal.Record) {
			state = progress.New(header, from, "", clock)
			return func(r *journal.Record) {
				state.Add(r)
				if stopAfter--; stopAfter == 0 {
					interrupt()
				}
			}
		})
		model := &scripted.Model{
			Answer: func(r backends.Request) string {
				return []string{"the answer is (A).", "I can't tell.", "the answer is (B)."}[len(r.Prompt)%3]
			},
			Fail: failsWhere(func(r backends.Request) bool { return session == 0 && strings.HasSuffix(r.ID, "1") }, "too slow"),
		}
		want := ran(ctx, t, s, model)[0].Report
		interrupt()
		u := state.Counts
		assert.Check(t, u.Done == []int{20, 20 + 17, 56}[session] && u.Scored == want.Scored() && u.Correct == want.Correct &&
			want.Correct > 0, "%d: %+v, %+v", session, u, want.Headline)
	}
}

// A seer is a scripted model that knows its speed, and must not be asked.
type seer struct {
	scripted.Model
	context int
	decode  float64 // tokens a second; 0 where it does not know
	slots   int
}

func (s *seer) Forecast(_ context.Context, w backends.Workload) (backends.Forecast, error) {
	if s.context < w.PromptTokens {
		return backends.Forecast{}, errors.New("a context that is too small")
	}
	return backends.Forecast{
		Allocation: backends.Allocation{Context: s.context, Weights: 2 << 30, Slots: s.slots, Description: "as it was foreseen"},
		Duration:   time.Duration(s.decode), Prefill: 1e9, Decode: s.decode, Source: "the stars",
	}, nil
}

func (s *seer) Plan(context.Context, backends.Workload) (backends.Allocation, error) {
	return backends.Allocation{}, errors.New("planned")
}

// A neighbour is a seer beside other programs, which take a share of the CPUs.
type neighbour struct {
	seer
	share float64
}

func (n *neighbour) Others() backends.Load { return backends.Load{Share: n.share, CPUs: 4} }

func TestASessionSaysWhatItIsGoingToTakeBeforeTheModelPlans(t *testing.T) {
	for name, test := range map[string]struct {
		model backends.Model
		tasks string
		want  []string
	}{
		"a known speed": {&seer{context: 1 << 20, decode: 2}, "mcq", []string{"2 questions; about 27 to 77 s (the stars)"}},
		"beside other programs": {&neighbour{seer{context: 1 << 20, decode: 2}, 0.5}, "mcq",
			[]string{"; about 13 s to 3 min (the stars); other programs take 2.0 of 4 cores"}},
		"beside hardly any":    {&neighbour{seer{context: 1 << 20, decode: 2}, 0.05}, "mcq", []string{"; about 25 to 81 s (the stars)"}},
		"in few of many slots": {&seer{context: 1 << 20, decode: 2, slots: 8}, "mcq", []string{"; about 27 s to 6 min (the stars)"}},
		"several tasks":        {&seer{context: 1 << 20, decode: 2}, "mcq_math,binary", []string{"4 questions, ", "; about 4 to 15 min (the stars)"}},
		"not timed here":       {&seer{context: 1 << 20}, "mcq", []string{"2 questions; duration unknown: the stars"}},
		"one that can't tell": {&scripted.Model{}, "mcq", []string{"2 questions; duration unknown: this backend gives " +
			"no estimate before the first answers"}},
	} {
		t.Run(name, func(t *testing.T) {
			session, said := sessionOf(t, filepath.Join(t.TempDir(), "run"), 2, test.tasks), ""
			session.OnEstimate = func(f *forecast.Run) { said = report.Expected(f) }
			_, err := session.with(t.Context(), test.model)
			assert.Assert(t, err == nil || err.Error() == "planned", "%v", err)
			for _, want := range test.want {
				assert.Check(t, strings.Contains(said, want), "said %q, want %q in it", said, want)
			}
		})
	}
}

// crowded is a model beside which others begin to work.
type crowded struct {
	*scripted.Model
	calls int
}

func (c *crowded) Others() backends.Load {
	c.calls++
	return backends.Load{Share: []float64{0.9, 0, 0.5, 0.75}[min(c.calls-1, 3)], CPUs: 2, FewestThreads: c.calls, MostThreads: 9}
}

func (c *crowded) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	return c.Model.Generate(ctx, requests, func(completion backends.Completion) error {
		time.Sleep(350 * time.Millisecond)
		return done(completion)
	})
}

func TestTheJournalRecordsTheLoadOfOthersAndItsChanges(t *testing.T) {
	synctest.Test(t, othersAndTheirChanges)
}

func othersAndTheirChanges(t *testing.T) {
	plan := planWith(t, sample(t), task.All[0], dataset.Selection{Limit: 8}, spec.Spec{})
	run := asksAll(t, plan, &crowded{Model: &scripted.Model{}}, nil)
	var shares []float64
	for _, r := range load(t, run).Records {
		if r.Others != nil {
			shares = append(shares, r.Others.Share)
			assert.Check(t, is.Equal(r.Others.Over, 3*350*time.Millisecond))
		}
	}
	assert.Check(t, is.DeepEqual(shares, []float64{0, 0.5}), "what was before the run began, 0.9, is not in it")
	s, err := metrics.Open(run, metrics.Options{})
	assert.NilError(t, err)
	o, warnings := s.Speed.Others, s.About(metrics.AboutSpeed)
	assert.Check(t, o != nil && o.Least.Or(9) == 0 && o.Most.Or(9) >= 0.5 && o.Busy() && len(warnings) > 0, "%+v, %q", o, warnings)
	asksAll(t, plan, &scripted.Model{}, nil) // a model that does not compute here
}
