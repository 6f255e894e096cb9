package html

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
	"proctor/scripts/tests/chromiumtest"
)

func written(t *testing.T, d Document) string {
	t.Helper()
	var out bytes.Buffer
	assert.NilError(t, d.Write(&out))
	return out.String()
}

func TestThePolicyAllowsTheDocumentsOwnStyleAndScriptAlone(t *testing.T) {
	module := "import { b } from \"./b.js\";\nexport const a = 1;\n"
	text := written(t, Document{Title: "a", Modules: []string{module}, Styles: []string{"p{}"}})
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)[1]
	hash := func(pattern string) string {
		sum := sha256.Sum256([]byte(regexp.MustCompile(`(?s)` + pattern).FindStringSubmatch(text)[1]))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; style-src " + hash(`<style>(.*)</style>`) + "; script-src " + hash(`<script type="module">(.*)</script>`) +
		"; base-uri 'none'; form-action 'none'"
	assert.Check(t, policy == want, "the policy is %s, want %s", policy, want)
	assert.Check(t, !strings.Contains(text, "import ") && !strings.Contains(text, "export "),
		"modules that are joined still import each other")
	if bare := written(t, Document{Title: "a"}); !strings.Contains(bare, "script-src 'none'") || strings.Contains(bare, "<script") {
		t.Error("a document without modules allows a script")
	}
}

const hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \x1b[31m \u202e \x00 \"' style=x"

func TestTextsOfOthersAreText(t *testing.T) {
	section := page.Section{Title: hostile, Warnings: []string{hostile}, Notes: []string{hostile}, Text: &page.Text{Text: hostile},
		Table: &page.Grid{Head: []string{hostile}, Rows: [][]string{{hostile, hostile}}}}
	section.Facts.Add(hostile, hostile, hostile)
	folded := section
	folded.Fold = hostile
	axis := Shares(1)
	axis.Ticks = append(axis.Ticks, Tick{0, hostile})
	link := []Link{{"#" + hostile, hostile}}
	plot := Plot{Caption: hostile, X: axis, Y: axis, XLabel: hostile,
		Curves: []Curve{{Name: hostile, Points: []Point{{0, 1, stats.Interval{}}}}}}
	blocks := []Block{
		render("head", Head{Title: hostile, Verdict: hostile, Decides: []string{hostile}, Notices: []string{hostile}, Links: link}),
		Part(section, section, folded),
		Listing{Head: []string{hostile}, Rows: [][]Cell{{{Text: hostile}, {Links: link}}}}.Block(),
		Strips{Caption: hostile, Head: []string{hostile}, Axis: axis,
			Rows: []Strip{{Name: hostile, Link: link[0].Href, Cells: []string{hostile}}}}.Block(),
		plot.Block(),
	}
	text := written(t, Document{Title: hostile, Body: blocks})
	for _, live := range []string{"<script", "<img", "onerror=alert(2)>", "\x1b", "\u202e", "\x00"} {
		assert.Check(t, !strings.Contains(text, live), "%q is alive in the document", live)
	}
	shown := strings.Count(text, "&lt;script&gt;alert(1)")
	assert.Check(t, shown >= 25, "the text is shown %d times only", shown)
}

func TestCurvesOfOnePlotAreToldApart(t *testing.T) {
	var p Plot
	for range mostCurves {
		p.Curves = append(p.Curves, Curve{Name: "guessing", Dashed: true}, Curve{Name: "a"})
	}
	seen := map[string]bool{}
	for i, sign := range p.Signs() {
		switch dashes := sign.Pattern(); {
		case i%2 == 0 && dashes != "":
			t.Errorf("guessing has the pattern %q of a curve", dashes)
		case i%2 == 1 && seen[dashes], i == 1 && dashes != "":
			t.Errorf("curve %d has the pattern %q", i, dashes)
		case i%2 == 1:
			seen[dashes] = true
		}
	}
}

func TestDataIsDeflatedJSON(t *testing.T) {
	data, err := DataOf("texts-0", map[string]string{"a": hostile})
	assert.NilError(t, err)
	text := written(t, Document{Title: "a", Data: []Data{data}})
	packed := regexp.MustCompile(`<script type="` + DataType + `" id="texts-0">([A-Za-z0-9+/=]*)</script>`).FindStringSubmatch(text)
	assert.Assert(t, packed != nil, "the document has no data of that id")
	deflated, err := base64.StdEncoding.DecodeString(packed[1])
	assert.NilError(t, err)
	content, err := io.ReadAll(flate.NewReader(bytes.NewReader(deflated)))
	assert.Check(t, err == nil && strings.Contains(string(content), `</script><script>alert(1)`), "unpacked it is %q, %v", content, err)
	_, err = DataOf("x", func() {})
	assert.Check(t, err != nil, "what has no JSON is data")
}

func TestAxesHoldWhatIsDrawn(t *testing.T) {
	for _, row := range []struct {
		axis  Axis
		high  float64
		ticks string
	}{
		{Shares(), 0.2, "0 %, 10 %, 20 %"},
		{Shares(0.31), 0.4, "0 %, 10 %, 20 %, 30 %, 40 %"}, {Shares(0.4), 0.4, "0 %, 10 %, 20 %, 30 %, 40 %"},
		{Shares(0.97, 0.1), 1, "0 %, 20 %, 40 %, 60 %, 80 %, 100 %"}, {Counts(0, Plain), 1, "0, 0.2, 0.4, 0.6, 0.8, 1"},
		{Counts(16, Plain), 20, "0, 5, 10, 15, 20"}, {Counts(1234, Plain), 1250, "0, 250, 500, 750, 1,000, 1,250"},
		{Counts(40000, Plain), 40000, "0, 10,000, 20,000, 30,000, 40,000"}, {Counts(0.00004, Plain), 0.00004, "0, 0.00001, 0.00002, 0.00003, 0.00004"},
		{Counts(0.037, Plain), 0.04, "0, 0.01, 0.02, 0.03, 0.04"},
	} {
		var labels []string
		for _, tick := range row.axis.Ticks {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, ", "); got != row.ticks || row.axis.High < row.high-1e-9 || row.axis.High > row.high+1e-9 {
			t.Errorf("up to %g: %s, want %g: %s", row.axis.High, got, row.high, row.ticks)
		}
	}
}

func TestDrawingsHaveTheirPlaces(t *testing.T) {
	interval := stats.Interval{Low: 0.1, High: 0.3, Confidence: 0.95, Method: "wilson"}
	axis := Axis{High: 0.5}
	row := Strip{Name: "law", Value: stats.Of(0.2), Interval: interval, Baseline: stats.Of(0.05)}
	strip := string(Strips{Axis: axis, Rows: []Strip{row}}.Block())
	for _, want := range []string{`cx="40%"`, `<rect x="20%" y="9" width="40%"`, `<line x1="10%" x2="10%" y1="2"`} {
		assert.Check(t, strings.Contains(strip, want), "the strip lacks %s: %s", want, strip)
	}
	undefined := string(Strips{Axis: axis, Rows: []Strip{{Name: "law"}}}.Block())
	assert.Check(t, !strings.Contains(undefined, "<circle cx=\"0"), "what is undefined is drawn")
	plot := string(Plot{X: Axis{High: 2}, Y: Axis{High: 1},
		Curves: []Curve{{Points: []Point{{0, 0, interval}, {2, 0.5, interval}}}}}.Block())
	for _, want := range []string{`d="M0 150L1000 75"`, `d="M0 105L1000 105L1000 135L0 135Z"`} {
		assert.Check(t, strings.Contains(plot, want), "the plot lacks %s: %s", want, plot)
	}
	steps := string(Plot{X: Axis{High: 2}, Y: Axis{High: 1}, Curves: []Curve{{Steps: true, Points: []Point{{Y: 1}, {X: 1}}}}}.Block())
	assert.Check(t, strings.Contains(steps, `d="M0 0H500V150"`), "steps are none: %s", steps)
}

func TestHeadingsExplainTheirTerms(t *testing.T) {
	section := page.Section{Title: "a", Table: &page.Grid{Head: []string{"subject", "p (Holm)"}}}
	section.Facts.Add("TPR", "61.0 %", "95 % Wilson")
	text := string(Part(section)) +
		string(Strips{Head: []string{"subject", "p (Holm)"}, Axis: Shares(1)}.Block())
	for _, want := range []string{`<abbr title="Holm: `, `<abbr title="TPR: `, `<td title="Wilson: `} {
		assert.Check(t, strings.Contains(text, want), "the document lacks %s: %s", want, text)
	}
	assert.Check(t, is.Equal(strings.Count(text, "<abbr"), 3))
}

// drawnIn shows a document of drawings in a browser.
func drawnIn(t *testing.T, w chromiumtest.Window, drawings ...Drawing) *chromiumtest.Page {
	t.Helper()
	var d Document
	d.Begin(Head{Kind: "test", Title: "drawings", Links: []Link{{"#x_y", "an_underscore"}}}, []page.Section{{Title: "x y", Drawings: drawings}})
	var text strings.Builder
	assert.NilError(t, d.Write(&text))
	file := filepath.Join(t.TempDir(), "drawings.html")
	assert.NilError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	return chromiumtest.Open(t, file, "", w)
}

// Whatever the figures of a crowded scatter are, no label meets another one or leaves the window.
func TestNoLabelsMeetWhateverIsDrawn(t *testing.T) {
	var all []Drawing
	for _, apart := range []float64{0, 0.001, 0.01, 0.03} {
		s := Scatter{Caption: "scatter", X: Counts(12000, Plain), Y: Around(0.4, 0.8, func(x float64) string { return Plain(100*x) + " %" }),
			XLabel: "questions/min", YLabel: "accuracy", Frontier: true,
			Levels: []Level{{stats.Of(0.6), "no change"}, {stats.Of(0.59), "margin, -1.0 pp"}}}
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

func TestLabelsStandApartWithinATelephonesArea(t *testing.T) {
	const area, letter = 318, 7.3
	s := Scatter{X: Axis{High: 1}, Y: Axis{High: 1}, Levels: []Level{{Value: stats.Of(0.7)}, {Value: stats.Of(0.69)}}}
	for i := range 12 {
		s.Marks = append(s.Marks, Mark{Name: "a/model-with-a-long-name", X: float64(i%5) / 4, Y: 0.7 + 0.001*float64(i), Size: 1})
	}
	all := s.labels()
	for i, l := range all {
		near, wide := s.Marks[i].X*area+l.beside, letter*float64(len([]rune(l.text)))
		far := near + math.Copysign(wide, l.beside)
		assert.Check(t, min(near, far) >= 0 && max(near, far) <= area, "label %d reaches from %g to %g", i, near, far)
		for _, other := range all[:i] {
			assert.Check(t, math.Abs(l.down-other.down) >= 2*halfLabel, "labels at %g and %g", l.down, other.down)
		}
	}
}

func TestEachTermHasALineOfItsOwn(t *testing.T) {
	for i, term := range Terms {
		if wide := utf8.RuneCountInString(term.Means); wide == 0 || wide > 80 {
			t.Errorf("%s: %d characters, want 1 to 80, so that name and meaning fit into 100 columns", term.Name, wide)
		}
		for _, other := range Terms[:i] {
			assert.Check(t, !strings.EqualFold(other.Name, term.Name), "%s is there twice", term.Name)
		}
	}
}

func TestTextsNameTerms(t *testing.T) {
	for text, want := range map[string]string{
		"p (Holm)": "Holm", "Balanced accuracy": "balanced accuracy", "tango score, continuity": "Tango", "TPR": "TPR", "slots": "slot",
		"Wilson, effective size": "Wilson effective size", "Holmes": "", "powerful": "", "accuracy": "", "": "",
	} {
		var names []string
		for line := range strings.Lines(explained(text)) {
			name, _, _ := strings.Cut(line, ":")
			names = append(names, name)
		}
		got := strings.Join(names, " ")
		assert.Check(t, got == want, "%q names %q, want %q", text, got, want)
	}
}
