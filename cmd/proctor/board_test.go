package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/chromiumtest"
)

// keepRuns keeps made-up runs in a folder, as proctor does.
func keepRuns(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range names {
		h, records := journaltest.Examples()[name]()
		h.Model.Name = fmt.Sprintf("model_%d", i)
		folder := filepath.Join(dir, name)
		assert.NilError(t, os.Mkdir(folder, 0o755))
		journaltest.Keep(t, filepath.Join(folder, "journal.jsonl"), h, records)
	}
	return dir
}

func TestABoardIsFilteredAndSortedInABrowser(t *testing.T) {
	t.Parallel()
	dir := keepRuns(t, "mcq", "binary", "circular")
	said, err := exec.Command("proctor", "report", filepath.Join(dir, "binary"), "-o", filepath.Join(dir, "binary", "report.html")).CombinedOutput()
	assert.NilError(t, err, "%s", said)
	said, err = exec.Command("proctor", "runs", "--html", dir).CombinedOutput()
	assert.NilError(t, err, "%s", said)
	for _, w := range []chromiumtest.Window{{}, {Width: 390, Height: 844, Dark: true}} {
		p := chromiumtest.Open(t, filepath.Join(dir, "runs.html"), "", w)
		p.Wait(`document.querySelector("[role=status]")?.textContent === "3 of 3 runs"`)
		p.Readable(w)
		p.Keep(fmt.Sprintf("runs-%d", w.Width))
		names := func() string { return strings.ReplaceAll(p.Text("#all-runs tbody tr:not([hidden]) th"), "\n", " ") }
		sorted := func(column int) string {
			chromiumtest.Ask[bool](p, fmt.Sprintf(`(document.querySelectorAll("#all-runs thead th button")[%d].click(), true)`, column))
			return names()
		}
		upwards := sorted(0)
		backwards := sorted(0)
		assert.Check(t, backwards != upwards && len(backwards) == len(upwards), "by name %q, then %q", upwards, backwards)
		sorted(1)
		scores := strings.Fields(strings.ReplaceAll(p.Text("#all-runs tbody td:nth-child(3)"), "%", ""))
		assert.Check(t, len(scores) == 3 && scores[0] >= scores[1] && scores[1] >= scores[2], "by score: %q", scores)
		chromiumtest.Ask[bool](p, `(() => { const i = document.querySelector("#all-runs input"); i.value = "MODEL_1 binary";
			i.dispatchEvent(new Event("input")); return true; })()`)
		got := names()
		assert.Check(t, strings.HasSuffix(got, "binary") && !strings.Contains(got, " "), "with the words are %q", got)
		link := chromiumtest.Ask[string](p, `document.querySelector("#all-runs tbody tr:not([hidden]) a").getAttribute("href")`)
		report := chromiumtest.Open(t, filepath.Join(dir, link), "", w)
		report.Wait(`document.querySelector("#items.ready") && location.pathname.endsWith("/binary/report.html")`)
	}
}
