package html

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
	"proctor/scripts/tests/chromiumtest"
)

// drawnIn is a document of drawings as a browser shows it.
func drawnIn(t *testing.T, w chromiumtest.Window, drawings ...Drawing) *chromiumtest.Page {
	t.Helper()
	var d Document
	d.Begin(Head{Kind: "test", Title: "drawings", Links: []Link{{"#x_y", "an_underscore"}}}, []page.Section{{Title: "x y", Drawings: drawings}})
	var text strings.Builder
	if err := d.Write(&text); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "drawings.html")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return chromiumtest.Open(t, file, "", w)
}

// A crowd of scatters: whatever the figures are, no label meets another one or leaves the window.
func TestNoLabelsMeetWhateverIsDrawn(t *testing.T) {
	var all []Drawing
	for _, apart := range []float64{0, 0.001, 0.01, 0.03} {
		s := Scatter{Caption: "scatter", X: Counts(12000, Plain), Y: Around(0.4, 0.8, func(x float64) string { return Plain(100*x) + " %" }),
			XLabel: "questions/min", YLabel: "accuracy", Frontier: true,
			Levels: []Held{{stats.Of(0.6), "no change"}, {stats.Of(0.59), "margin, -1.0 pp"}}}
		for i := range 8 {
			y := 0.7 - apart*float64(i)
			s.Marks = append(s.Marks, Mark{Name: fmt.Sprintf("model-with-a-name-Q%d_K_M", i), X: 6000 + 100000*apart/4*float64(i%5), Y: y,
				YInterval: stats.Interval{Low: y - 0.05, High: y + 0.05}, Size: 1 / float64(i+1), Full: i%2 == 0, Shaded: true})
		}
		all = append(all, s)
	}
	for _, w := range []chromiumtest.Window{{Width: 1280, Height: 3200}, {Width: 390, Height: 3200, Dark: true}} {
		p := drawnIn(t, w, all...)
		p.Keep(fmt.Sprintf("drawings-%d", w.Width))
		p.Readable(w)
		p.Silent()
	}
}
