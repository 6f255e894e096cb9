package metrics

import (
	"reflect"
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/results"
)

func TestShotsAreCountedByTheirNumber(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	h.Shots, h.ShotsFit = 5, 2048
	want := map[int]int{}
	for i := range records {
		shown := 5
		if i%3 == 1 {
			shown = i % 5
			records[i].Shots = &shown
		}
		if !records[i].Failed() {
			want[shown]++
		}
	}
	run, err := results.Read(&h, journaltest.Stream(records), "")
	if err != nil {
		t.Fatal(err)
	}
	got := shotsOf(run, run.View(0))
	counts, correct, last := map[int]int{}, 0, 6
	for _, c := range got.Items {
		counts[c.Shots] += c.Items
		correct += c.Correct
		if c.Shots >= last {
			t.Errorf("%d shots stand behind %d", c.Shots, last)
		}
		last = c.Shots
	}
	tally := run.View(0).Tally()
	if got.Context != 2048 || correct != tally.Correct {
		t.Errorf("context %d, %d right of %d", got.Context, correct, tally.Correct)
	}
	if !reflect.DeepEqual(counts, want) || got.Fewer != tally.Scored()-counts[5] {
		t.Errorf("%v, %d fewer, want %v", counts, got.Fewer, want)
	}
	h.ShotsFit = 0
	if run, err = results.Read(&h, journaltest.Stream(records), ""); err != nil || shotsOf(run, run.View(0)) != nil {
		t.Errorf("a run that shows all items the same: %v", err)
	}
}
