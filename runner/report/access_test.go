package report

import (
	"fmt"
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/chromiumtest"
	"proctor/scripts/tests/sharedtest"
)

// windows are a phone, a workstation, and what lies between.
var windows = []chromiumtest.Window{{Width: 390, Height: 844, Dark: true}, {}, {Width: 1000, Height: 800}, {Width: 360, Height: 740}}

func TestAReportOpensFromDiskAndCanBeReadByEverybody(t *testing.T) {
	for name, run := range journaltest.Examples() {
		for _, w := range sharedtest.Few(2, windows) {
			t.Run(fmt.Sprintf("%s in %d pixels", name, w.Width), func(t *testing.T) {
				h, records := run()
				p, _ := opened(t, h, records, "item="+records[4].ID, w)
				p.Wait(`document.querySelector(".item h3")`)
				p.Readable(w)
				p.Selected(len(records))
				p.Keep(fmt.Sprintf("%s-%d", name, w.Width))
				p.Silent()
			})
		}
	}
}
