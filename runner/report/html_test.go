package report

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/page/pagetest"
)

// keptPage is the HTML report of a run on disk.
func keptPage(t testing.TB, run string) string {
	t.Helper()
	s, err := metrics.Open(run, metrics.Options{})
	assert.NilError(t, err)
	var out bytes.Buffer
	assert.NilError(t, writeHTML(&out, s))
	return out.String()
}

// Every figure that people read in the whole text is in the HTML, in the same digits.
func TestTheFiguresOfAnHTMLReportAreThoseOfTheText(t *testing.T) {
	for name, run := range journaltest.Examples() {
		t.Run(name, func(t *testing.T) {
			h, records := run()
			path := journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
			s, err := metrics.Open(path, metrics.Options{})
			assert.NilError(t, err)
			body, _, _ := strings.Cut(keptPage(t, path), `<section id="items"`)
			pagetest.HasAll(t, body, fullPage(s), 80)
		})
	}
}

func TestTheListOfFailuresHasTheRemediesOfTheText(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	s, err := metrics.Open(journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records), metrics.Options{})
	assert.NilError(t, err)
	for _, row := range drawnOf(s).failureListing().Rows {
		name, remedy := row[0].Links[0].Text, row[4].Text
		for _, text := range s.About(metrics.AboutFailures) {
			if strings.HasPrefix(text, name) && !strings.HasSuffix(text, "; "+remedy) {
				t.Errorf("%s: %q, in text %q", name, remedy, text)
			}
		}
	}
}

func TestTheSameJournalGivesTheSameHTML(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	first := journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
	second := journaltest.Keep(t, filepath.Join(t.TempDir(), "elsewhere.jsonl"), h, journaltest.Shuffled(records))
	text := keptPage(t, first)
	again := keptPage(t, first)
	assert.Check(t, again == text, "twice the same journal differs")
	other := keptPage(t, second)
	assert.Check(t, other == text, "the same lines in another file and order differ")
}
