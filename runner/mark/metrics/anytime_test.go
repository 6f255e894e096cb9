package metrics

import (
	"math"
	"slices"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/results"
)

// asIfUntil is a made-up run as one until a half width, of a set twice as large.
func asIfUntil(h journal.Header, records []journal.Record) journal.Header {
	options, seen := 0, map[int]bool{}
	h.Selection.Population, h.Selection.UntilHalfWidth, h.Dataset.Options = map[string]int{}, 0.1, 10
	for _, r := range records {
		if !seen[r.QuestionID] {
			seen[r.QuestionID] = true
			h.Selection.Population[r.Subject] += 2
			options += 2 * max(r.Options, r.OptionsOriginal)
		}
	}
	h.Selection.PopulationOptions = options
	return h
}

// The interval is for the mean of what known tells, which therefore has to be the headline where nothing failed, and to leave it
// open where something did.
func TestTheMeanOfWhatIsKnownIsTheHeadline(t *testing.T) {
	for name, example := range journaltest.Examples() {
		h, records := example()
		for _, clean := range []bool{false, true} {
			if clean {
				failed := map[int]bool{}
				for _, r := range records {
					failed[r.QuestionID] = failed[r.QuestionID] || r.Failed()
				}
				records = slices.DeleteFunc(records, func(r journal.Record) bool { return failed[r.QuestionID] })
			}
			header := asIfUntil(h, records)
			run, err := results.Read(&header, journaltest.Stream(records), "")
			if err != nil {
				t.Fatal(err)
			}
			r, err := Of(run, Options{AtInterim: true})
			if err != nil {
				t.Fatal(err)
			}
			_, _, own, err := Options{}.of(run)
			if err != nil {
				t.Fatal(err)
			}
			scores, most := own.known(run.View(0))
			least, largest := 0.0, 0.0
			for _, x := range scores {
				least, largest = least+x.Least/float64(len(scores)), largest+x.Most/float64(len(scores))
				if x.Least < 0 || x.Most < x.Least || x.Most > most {
					t.Errorf("%s: a score of %+v, at most %g", name, x, most)
				}
			}
			value := r.Headline.Value.Or(math.NaN())
			if !(least-1e-9 <= value && value <= largest+1e-9) || clean && largest-least > 1e-9 || len(scores) != r.Questions {
				t.Errorf("%s, without failures %v: %d scores, from %g to %g on average, the headline is %g", name, clean, len(scores),
					least, largest, value)
			}
			if ci := r.Headline.CI; ci.Method != "betting sequence" || !ci.Contains(value) {
				t.Errorf("%s: %+v around %g", name, ci, value)
			}
		}
	}
}

func TestOnlyARunThatStopsByItselfHasASequence(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	for name, test := range map[string]struct {
		change func(h *journal.Header)
		stop   journal.Stop
		want   bool
	}{
		"stopped":          {func(*journal.Header) {}, journal.StopNarrow, true},
		"goes on":          {func(*journal.Header) {}, "", false},
		"all of the limit": {func(*journal.Header) {}, journal.StopAsked, true},
		"all of the set": {func(h *journal.Header) {
			h.Selection.Population = map[string]int{"law": 60}
		}, journal.StopAsked, false},
		"of a header without the counts": {func(h *journal.Header) { h.Selection.PopulationOptions = 0 }, journal.StopNarrow, false},
		"asks all":                       {func(h *journal.Header) { h.Selection.UntilHalfWidth = 0 }, "", false},
	} {
		header := asIfUntil(h, records)
		test.change(&header)
		run, err := results.Read(&header, journaltest.Stream(records), "")
		if err != nil {
			t.Fatal(err)
		}
		run.Interims = []journal.Interim{{Number: 1, Questions: 60, Items: 60, Stop: test.stop}}
		r, err := Of(run, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Headline.CI.Method == "betting sequence"; got != test.want || test.want && r.CI != r.Headline.CI {
			t.Errorf("%s: %+v, accuracy's %+v", name, r.Headline.CI, r.CI)
		}
	}
}
