package timing

import (
	"math"
	"testing"
	"time"

	"proctor/runner/journal"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

func TestJoulesAreMeanPowerBySeconds(t *testing.T) {
	cost := Cost{Seconds: stats.Of(4), Right: stats.Of(10), SecondsCI: stats.Interval{Low: 3, High: 6, Confidence: 0.95}}
	source := &journal.EnergySource{Counters: []string{"RAPL package-0"}}
	e := energyOf(source, &results.Times{Energy: []journal.Energy{{Joules: 30, Over: time.Second}, {Joules: 90, Over: 5 * time.Second}}}, cost)
	for what, c := range map[string][2]float64{
		"joules": {e.Joules.Or(-1), 120}, "seconds": {e.Seconds.Or(-1), 6}, "watts": {e.Watts.Or(-1), 20},
		"a question": {e.Question.Or(-1), 80}, "a right answer": {e.Right.Or(-1), 200}, "low": {e.QuestionCI.Low, 60}, "high": {e.QuestionCI.High, 120},
	} {
		if math.Abs(c[0]-c[1]) > 1e-12 {
			t.Errorf("%s: %v, want %v", what, c[0], c[1])
		}
	}
	if energyOf(nil, nil, cost) != nil {
		t.Error("a journal that tells nothing has energy")
	}
	unread := energyOf(&journal.EnergySource{Unread: "why"}, nil, cost)
	if unread.Unread != "why" || unread.Question.Defined() || unread.Watts.Defined() {
		t.Errorf("%+v", unread)
	}
}
