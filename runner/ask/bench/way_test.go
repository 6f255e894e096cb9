package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/runner/mark/stats"
	"proctor/scripts/tests/errortest"
)

// clock is moved by the models that are measured.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

// keeper is a model that has to be told to forget.
type keeper struct {
	*scripted.Model
	forgotten *int
}

func (k keeper) Forget(context.Context) error { *k.forgotten++; return nil }

// way opens a model that takes so long for each question in round after round; opened notes who was opened.
func (c *clock) way(name string, opened *[]string, took ...time.Duration) Way {
	round := 0
	return Way{Name: name, Opening: Opening{Ref: name, Open: func(context.Context) (backends.Model, error) {
		*opened = append(*opened, name)
		each := took[round%len(took)]
		round++
		return &scripted.Model{Slots: 2, Answer: func(backends.Request) string {
			c.Time = c.Add(each)
			return strings.Repeat("yes ", 10)
		}}, nil
	}}}
}

func testLoad() Load {
	m := MadeUp{Questions: 8, Shared: 40, Own: 10, Generate: 4}
	return Load{MadeUp: m, Repetitions: 1, Rounds: 1}
}

func (l Load) compared(rounds int) Load {
	l.Compared, l.Rounds = true, rounds
	return l
}

// printed returns the rows that measure prints, made whole.
func printed(t *testing.T, measure func(*Printer) error) (rows []map[string]any, err error) {
	t.Helper()
	var out bytes.Buffer
	to, failed := NewPrinter("json", &out, Table{Build: cpu})
	assert.NilError(t, failed)
	err = measure(to)
	if out.Len() > 0 {
		assert.NilError(t, json.Unmarshal(out.Bytes(), &rows), "%s", &out)
	}
	return rows, err
}

// demand compares some of a row's values.
func demand(t *testing.T, row map[string]any, want string) {
	t.Helper()
	for pair := range strings.FieldsSeq(want) {
		key, value, _ := strings.Cut(pair, "=")
		assert.Check(t, is.Equal(strings.ReplaceAll(fmt.Sprint(row[key]), " ", "_"), value), "%s in %v", key, row)
	}
}

func TestRoundsAreInterleavedAndRatiosAreTheirMedian(t *testing.T) {
	c := &clock{began}
	var opened []string
	first := c.way("a", &opened, 2*time.Second, 3*time.Second, 2*time.Second)
	second := c.way("b", &opened, time.Second, time.Second, 4*time.Second)
	b := &Bench{Now: c.now}
	rows, err := printed(t, func(to *Printer) error { return b.Evals(t.Context(), []Way{first, second}, testLoad().compared(3), to) })
	assert.Assert(t, err == nil && len(rows) == 2, "%v, %v", err, rows)
	assert.Check(t, is.Equal(strings.Join(opened, ""), "abbaab"), "the rounds go to and fro")
	demand(t, rows[0], "way=a rounds=3 ratio=1 ratios=[1_1_1]")
	demand(t, rows[1], "way=b rounds=3 ratio=2 ratios=[2_3_0.5] questions=8 slots=2 shared_tokens=40 own_tokens=10 max_tokens=4 "+
		"questions_per_minute=45 ended_early=0 output_tokens=32")
	assert.Check(t, is.Equal(Comparison{Ratio: stats.Of(2), Ratios: []float64{2, 3, 0.5}}.ratio(), "2.00× (0.50–3.00)"))
}

func TestTheRoundsAreTheUnitsOfTheRatiosInterval(t *testing.T) {
	seconds := [][2]float64{{1, 1}, {2, 1}, {4, 1}, {1, 2}, {8, 2}, {3, 2}} // the first way's of a round, and the other's
	var row, first []*session
	for _, took := range seconds {
		first, row = append(first, lasting(took[0])), append(row, lasting(took[1]))
	}
	c := comparison(row, first) // the ratios are 1, 2, 4, 0.5, 4 and 1.5
	assert.Check(t, c.Ratio.Or(0) == 1.75 && c.Low.Or(9) == 0.5 && c.High.Or(0) == 4, "six rounds: %+v", c)
	c = comparison(row[:1], first[:1])
	assert.Check(t, !c.Low.Defined() && c.Ratio.Defined(), "one round: %+v", c)
	six := Comparison{Ratio: stats.Of(1.01), Low: stats.Of(0.97), High: stats.Of(1.04), Ratios: []float64{1}}
	assert.Check(t, is.Equal(six.ratio(), "1.01× [0.97, 1.04]"))
}

func TestModelsAloneAreMeasuredInTurn(t *testing.T) {
	var order string
	opening := func(name string, delay time.Duration, fail error) Opening {
		return Opening{Ref: name, Open: func(context.Context) (backends.Model, error) {
			order += name
			return &scripted.Model{Delay: delay, Context: 100, Fail: func(r backends.Request) *scripted.Error {
				if name == "d" {
					return &scripted.Error{Text: "no answer"}
				}
				return nil
			}}, fail
		}}
	}
	broken := errors.New("broken")
	b := &Bench{Now: time.Now}
	all, err := b.Alone(t.Context(), []Opening{opening("a", time.Millisecond, nil), opening("b", 2*time.Millisecond, nil),
		opening("c", 0, broken), opening("d", 0, nil)}, 4096)
	assert.Assert(t, err == nil && len(all) == 4, "%v", err)
	assert.Check(t, is.Equal(order, "abcddbaabd"), "one is open at a time; who can't be opened is tried once")
	a, second, unopened, mute := all[0], all[1], all[2], all[3]
	assert.Check(t, a.Prefill.Value.Or(0) == 75e3 && second.Prefill.Value.Or(0) == 37.5e3 && second.Context == 100, "%+v",
		all)
	ci := a.Prefill.Interval
	assert.Check(t, ci.Low == 75e3 && ci.High == 75e3 && ci.Method != "", "six requests give an interval: %+v", a)
	assert.Check(t, unopened.Err == broken && unopened.Why == "", "%+v", unopened)
	assert.Check(t, mute.Err == nil && strings.Contains(mute.Why, "no answer"), "%+v", mute)
	assert.Check(t, !mute.Prefill.Value.Defined() && mute.Measured, "%+v", mute)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(broken)
	_, err = b.Alone(ctx, []Opening{opening("a", 0, context.Canceled)}, 4096)
	assert.Check(t, is.ErrorIs(err, context.Canceled))
}

// lasting is a session whose rounds take a given number of seconds.
func lasting(seconds float64) *session {
	return &session{row: Eval{Questions: 8, Own: 1}, passes: []Pass{{Wall: time.Duration(seconds * float64(time.Second))}}}
}

func TestAPlainLoopAnswersEveryFourthQuestionFromAnEmptyCache(t *testing.T) {
	c := &clock{began}
	var opened []string
	way := c.way("plain", &opened, time.Second)
	together := way
	way.Plain = true
	b := &Bench{Now: c.now}
	rows, err := printed(t, func(to *Printer) error { return b.Evals(t.Context(), []Way{way, together}, testLoad(), to) })
	assert.Assert(t, err == nil && len(rows) == 2, "%v, %v", err, rows)
	demand(t, rows[0], "questions=2 reused_tokens=0 questions_per_minute=60 prompt_tokens=100")
	demand(t, rows[1], "questions=8 prompt_tokens=400")
	assert.Check(t, rows[1]["reused_tokens"].(float64) >= 7*39, "%v", rows[1])
}

func TestAModelThatKeepsPromptsForgetsThemBeforeEachRepetition(t *testing.T) {
	forgotten := 0
	var ids []string
	way := Way{Opening: Opening{Open: func(context.Context) (backends.Model, error) {
		return keeper{&scripted.Model{Answer: func(r backends.Request) string { ids = append(ids, r.ID); return "no" }},
			&forgotten}, nil
	}}}
	load := testLoad()
	load.Repetitions, load.WarmUp, load.Drawn = 3, true, true
	b := &Bench{Now: time.Now}
	rows, err := printed(t, func(to *Printer) error { return b.Evals(t.Context(), []Way{way}, load.compared(1), to) })
	assert.NilError(t, err)
	assert.Check(t, forgotten == 4 && ids[0] == "warm-up" && ids[3] == "warm-up" && len(ids) == 1+2+3*(1+8), "%d, %v", forgotten, ids)
	demand(t, rows[0], "ended_early=8 backends=scripted_1 build_commit=")
}

func TestWhatWasMeasuredBeforeAFailureIsPrinted(t *testing.T) {
	c := &clock{began}
	var opened []string
	broken := errors.New("broken")
	calls := 0
	second := c.way("b", &opened, time.Second)
	whole := second.Open
	second.Open = func(ctx context.Context) (backends.Model, error) {
		if calls++; calls > 2 {
			return nil, broken
		}
		return whole(ctx)
	}
	b := &Bench{Now: c.now}
	ways := []Way{c.way("a", &opened, time.Second), second}
	rows, err := printed(t, func(to *Printer) error { return b.Evals(t.Context(), ways, testLoad().compared(5), to) })
	assert.Assert(t, errors.Is(err, broken) && len(rows) == 2, "%v, %v", err, rows)
	demand(t, rows[0], "rounds=3")
	demand(t, rows[1], "rounds=2 ratios=[1_1]")
	rows, err = printed(t, func(to *Printer) error { return b.Evals(t.Context(), ways[1:], testLoad().compared(1), to) })
	assert.Check(t, errors.Is(err, broken) && rows == nil, "%v, %v", err, rows)
	failing := Way{Opening: Opening{Open: func(context.Context) (backends.Model, error) {
		return &scripted.Model{Fail: func(backends.Request) *scripted.Error { return &scripted.Error{Text: "no answer"} }}, nil
	}}}
	_, err = printed(t, func(to *Printer) error { return b.Evals(t.Context(), []Way{failing}, testLoad(), to) })
	errortest.For(t, "a request that fails", err, "no answer")
}

// beside is an engine beside which others took a share of the CPUs before a test, and another one during it.
type beside struct {
	scripted.Model
	shares []float64
}

func (b *beside) Others() backends.Load {
	share := b.shares[0]
	b.shares = b.shares[1:]
	return backends.Load{Share: share, CPUs: 2, FewestThreads: 1, MostThreads: 2}
}

func (b *beside) Summary() backends.Summary                                    { return small }
func (b *beside) CheckTest(backends.EngineSettings, backends.EngineTest) error { return nil }
func (b *beside) RunTest(context.Context, backends.EngineSettings, backends.EngineTest, func(bool)) ([]time.Duration, error) {
	return milliseconds(500), nil
}

func TestRowsSayWhatOtherProgramsDidMeanwhile(t *testing.T) {
	bench := Bench{Build: cpu, Now: func() time.Time { return began }}
	tests := []backends.EngineTest{{Prompt: 512, Repetitions: 1}, {Generate: 128, Repetitions: 1}}
	for _, format := range Formats {
		models := []Opening{{"m", func(context.Context) (backends.Model, error) {
			return &beside{shares: []float64{0.9, 0.02, 0.9, 0.55}}, nil
		}}}
		var out strings.Builder
		p, err := NewPrinter(format, &out, Table{Build: cpu})
		assert.NilError(t, err)
		assert.NilError(t, bench.Tests(t.Context(), models, plain, tests, p))
		want, never := "\n\nbusy machine, row 2: other programs took 1.1 of 2 cores; computed on 1 to 2 threads\n\nbuild: ", "row 1"
		if format == "json" {
			want, never = `"other_programs": {
      "cpu_share": 0.55,
      "cpus": 2,
      "threads_least": 1,
      "threads_most": 2
    },`, "0.9"
		}
		got := out.String()
		assert.Check(t, strings.Contains(got, want) && !strings.Contains(got, never), "%s\nwant %q, and no %q", got, want, never)
	}
}

func TestSeveralRoundsHaveTheLoadOfTheBusiest(t *testing.T) {
	var sessions []*session
	for _, share := range []float64{0.2, 0.7, 0.1} {
		sessions = append(sessions, &session{row: Eval{Head: Head{Others: backends.Load{Share: share, CPUs: 2}}}})
	}
	assert.Check(t, is.Equal(evalOf(sessions).Others.Share, 0.7))
}
