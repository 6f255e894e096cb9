package ask_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"proctor/runner/journal/importlog"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/items"
	"proctor/scripts/tests/sharedtest"
)

func TestAListHasAsManyItemsAsTheReportCounts(t *testing.T) {
	for name, made := range journaltest.Examples() {
		t.Run(name, func(t *testing.T) {
			h, records := made()
			run := journaltest.Keep(t, t.TempDir(), h, journaltest.Shuffled(records))
			other := "anchored"
			if name == "direct" {
				other = "direct"
			}
			agree(t, run, func(string) bool { return true }, "", other)
		})
	}
}

func TestAPublishedLogIsListedAsItIsCounted(t *testing.T) {
	path, there := sharedtest.Find("data/outputs/model_outputs_Phi-3-mini-4k-instruct_5shots.zip")
	if !there {
		t.Skip("needs the published logs of ../shared")
	}
	log, err := importlog.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(t.TempDir(), "run")
	if err := log.Keep(run); err != nil {
		t.Fatal(err)
	}
	few := func(filter string) bool { return filter == "tag=NO_ANSWER" || filter == "right=yes,subject=law" } // it is large
	warnings := strings.Join(agree(t, run, few, "").About(metrics.AboutFailures), "\n")
	if !strings.HasPrefix(warnings, "no answer found (NO_ANSWER) on 912 items (7.58 %), such as mmlu_pro/") {
		t.Errorf("warnings: %s", warnings)
	}
}

// agree lists the items of some filters that the report has a figure for, and returns the report.
func agree(t *testing.T, run string, some func(filter string) bool, ruleSets ...string) (first *metrics.Summary) {
	t.Helper()
	for _, set := range ruleSets {
		r, err := metrics.Open(run, metrics.Options{RuleSet: set})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int{
			"right=yes": r.Correct, "right=no": r.Items - r.Correct, "letter!=none": r.Answered, "rule!=none": r.Answered,
			"tag=none": r.Correct, "tag=ADAPTER_ERROR|HARNESS_ERROR": r.Errors, "tag!=none,cause=none": r.Items - r.Correct,
		}
		for tag, n := range r.FailureCounts {
			want["tag="+tag] = n
		}
		for cause, n := range r.Causes {
			want["cause="+cause] = n
			want["tag!=none,cause=none"] -= n
		}
		for _, subject := range r.Subjects {
			want["subject="+subject.Subject] = subject.Items
			want["right=yes,subject="+subject.Subject] = subject.Correct
			want["letter!=none,subject="+subject.Subject] = subject.Answered
			want["tag=ADAPTER_ERROR|HARNESS_ERROR,subject="+subject.Subject] = subject.Errors
		}
		for _, l := range r.Letters.Counts {
			want["letter="+l.Letter] = l.Picked
			want["tag!=ADAPTER_ERROR,tag!=HARNESS_ERROR,gold="+l.Letter] = l.Gold
		}
		maps.DeleteFunc(want, func(filter string, _ int) bool { return !some(filter) })
		for filter, n := range want {
			var f items.Filter
			if err := f.Set(filter); err != nil {
				t.Fatal(err)
			}
			list, err := items.Open([]string{run}, items.Options{RuleSet: set, Where: f})
			if err != nil {
				if n == 0 && strings.Contains(err.Error(), "there is no") {
					continue
				}
				t.Fatal(err)
			}
			rows := 0
			for _, err := range list.Rows() {
				if err != nil {
					t.Fatal(err)
				}
				rows++
			}
			if rows != n || list.Len() != n {
				t.Errorf("rules %q, %s: %d rows of %d items, the report counts %d", set, filter, rows, list.Len(), n)
			}
			if err := list.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if first == nil {
			first = r
		}
	}
	return first
}
