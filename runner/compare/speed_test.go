package compare

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"proctor/runner/stats"
)

// inFlight gives a testRun's records times as a backend has them that works on so many at a time, each for as long as given.
func (p *testRun) inFlight(slots int, each time.Duration) {
	p.header.Backend.Slots = slots
	for i := range p.records {
		r := &p.records[i]
		r.Began, r.Timing.Total = p.header.Created.Add(time.Duration(i/slots)*each), each
	}
}

func gaugeOf(t *testing.T, p *Pair, name string) Speed {
	t.Helper()
	for _, s := range p.Speed {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no %s in %+v", name, p.Speed)
	return Speed{}
}

func TestTheTimeOfAnItemIsItsPartOfTheWallTime(t *testing.T) {
	know := func(q int) bool { return q%3 > 0 }
	one, many := mcqRun("Q8_0", 48, know), mcqRun("Q4_K_M", 48, know)
	one.inFlight(1, 300*time.Millisecond)
	many.inFlight(24, 2400*time.Millisecond) // each is slower, all together are three times as fast
	pair := &compared(t, Options{}, one, many).Pairs[0]
	times := gaugeOf(t, pair, perItem)
	if times.MedianA != stats.Of(0.3) || times.MedianB != stats.Of(0.1) || !strings.Contains(pair.Verdict, "3.0× faster") {
		t.Errorf("%+v; %s", times, pair.Verdict)
	}
	many.records[5].Began = time.Time{} // the wall time is not known
	times = gaugeOf(t, &compared(t, Options{}, one, many).Pairs[0], perItem)
	if engine := one.records[0].Timing; times.MedianA.Or(0) > 2*(engine.Prefill+engine.Decode).Seconds() {
		t.Errorf("%+v", times)
	}
}

func TestRunsWithOneSlotAndWithManySayHowManyLettersDiffer(t *testing.T) {
	know := func(int) bool { return true }
	one, many := mcqRun("Q8_0", 50, know), mcqRun("Q8_0", 50, func(q int) bool { return q%25 != 7 })
	one.inFlight(1, time.Second)
	many.inFlight(24, 10*time.Second)
	c := compared(t, Options{}, one, many)
	var out bytes.Buffer
	if err := c.page().Text(&out); err != nil {
		t.Fatal(err)
	}
	if c.Pairs[0].AnswerChanged != stats.Of(0.04) || !strings.Contains(out.String(), "answers changed  4.00 %") {
		t.Errorf("%v of the letters differ", c.Pairs[0].AnswerChanged)
	}
	if !strings.Contains(out.String(), "backend.slots (1 and several)") {
		t.Error("that the slots differ is not said")
	}
}

func TestTheRunsSpeedsStandBesideEachOther(t *testing.T) {
	know := func(q int) bool { return q%3 > 0 }
	whole, early := mcqRun("Q8_0", 40, know), mcqRun("Q8_0", 40, know)
	whole.inFlight(4, 2*time.Second)
	early.inFlight(4, time.Second)
	early.header.Sampling.StopAtAnswer = "tiger"
	for i := range early.records {
		early.records[i].AtAnswer, early.records[i].Usage.OutputTokens = i%4 > 0, 30
	}
	c := compared(t, Options{}, whole, early)
	grid := c.totalSection().Table
	figures := map[string][]string{}
	for _, row := range grid.Rows {
		figures[row[0]] = row[1:]
	}
	for name, want := range map[string]string{
		"questions/min": "120.0 240.0", "wall time": "20.0 s 10.0 s", "output_tokens": "2,000 1,200", "ended at answer": "n/a 75.00 %",
	} {
		if got := strings.Join(figures[name], " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, row := range grid.Rows {
		if strings.Join(row[1:], "") == "n/an/a" {
			t.Errorf("%s is known of no run", row[0])
		}
	}
}
