package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/chromiumtest"
)

func TestATableLeadsToItsReportsInABrowser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	report := func(args ...string) {
		t.Helper()
		said, err := exec.Command("proctor", append([]string{"report"}, args...)...).CombinedOutput()
		assert.NilError(t, err, "%s", said)
	}
	for i, name := range []string{"mcq", "binary", "circular"} {
		h, records := journaltest.Examples()[name]()
		h.Model.Name = fmt.Sprintf("model_%d", i)
		folder := filepath.Join(dir, name)
		assert.NilError(t, os.Mkdir(folder, 0o755))
		journaltest.Keep(t, filepath.Join(folder, "journal.jsonl"), h, records)
	}
	report(filepath.Join(dir, "binary"), "-o", filepath.Join(dir, "binary", "report.html"))
	report(dir, "-o", filepath.Join(dir, "table.html"))
	for _, w := range []chromiumtest.Window{{}, {Width: 390, Height: 844, Dark: true}} {
		p := chromiumtest.Open(t, filepath.Join(dir, "table.html"), "", w)
		p.Wait(`document.querySelector("#scores tbody a")`)
		p.Readable(w)
		p.Keep(fmt.Sprintf("table-%d", w.Width))
		links := chromiumtest.Ask[[]string](p, `[...document.querySelectorAll("#scores a")].map(a => a.getAttribute("href"))`)
		assert.DeepEqual(t, links, []string{"binary/report.html"})
		of := chromiumtest.Open(t, filepath.Join(dir, links[0]), "", w)
		of.Wait(`document.querySelector("#items.ready")`)
	}
}
