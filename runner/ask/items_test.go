package ask_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/items"
)

func TestAListHasAsManyItemsAsTheReportCounts(t *testing.T) {
	for name, made := range journaltest.Examples() {
		t.Run(name, func(t *testing.T) {
			h, records := made()
			run := journaltest.Keep(t, t.TempDir(), h, journaltest.Shuffled(records))
			agree(t, run, "")
			agree(t, run, map[bool]string{true: "direct", false: "anchored"}[name == "direct"])
		})
	}
}

// agree lists the items of every filter that the report has a figure for.
func agree(t *testing.T, run, set string) {
	t.Helper()
	r, err := metrics.Open(run, metrics.Options{RuleSet: set})
	assert.NilError(t, err)
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
	for filter, n := range want {
		rows, promised := listed(t, run, set, filter)
		assert.Check(t, rows == n && promised == n, "rules %q, %s: %d rows of %d, the report counts %d", set, filter, rows, promised, n)
	}
}

// listed counts the rows of a list, and says how many it promised.
func listed(t *testing.T, run, set, filter string) (rows, promised int) {
	t.Helper()
	var f items.Filter
	assert.NilError(t, f.Set(filter))
	list, err := items.Open([]string{run}, items.Options{RuleSet: set, Where: f})
	if err != nil && strings.Contains(err.Error(), "there is no") {
		return 0, 0
	}
	assert.NilError(t, err)
	defer list.Close()
	for _, err := range list.Rows() {
		assert.NilError(t, err)
		rows++
	}
	return rows, list.Len()
}
