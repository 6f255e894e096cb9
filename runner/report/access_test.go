package report

import (
	"fmt"
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/chromiumtest"
)

func TestAReportOpensFromDiskAndCanBeReadByEverybody(t *testing.T) {
	for name, run := range journaltest.Examples() {
		for _, w := range []chromiumtest.Window{{}, {Width: 1000, Height: 800}, {Width: 390, Height: 844, Dark: true}, {Width: 360, Height: 740}} {
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
