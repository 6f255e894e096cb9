package html

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"regexp"
	"strings"
	"testing"

	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

func written(t *testing.T, d Document) string {
	t.Helper()
	var out bytes.Buffer
	if err := d.Write(&out); err != nil {
		t.Fatal(err)
	}
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
	if policy != want {
		t.Errorf("the policy is %s, want %s", policy, want)
	}
	if strings.Contains(text, "import ") || strings.Contains(text, "export ") {
		t.Error("modules that are joined still import each other")
	}
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
		Head{Title: hostile, Verdict: hostile, Decides: []string{hostile}, Notices: []string{hostile}, Links: link}.Block(),
		Part(section, section, folded),
		Listing{Head: []string{hostile}, Rows: [][]Cell{{{Text: hostile}, {Links: link}}}}.Block(),
		Strips{Caption: hostile, Head: []string{hostile}, Axis: axis,
			Rows: []Strip{{Name: hostile, Link: link[0].Href, Cells: []string{hostile}}}}.Block(),
		plot.Block(),
	}
	text := written(t, Document{Title: hostile, Body: blocks})
	for _, live := range []string{"<script", "<img", "onerror=alert(2)>", "\x1b", "\u202e", "\x00"} {
		if strings.Contains(text, live) {
			t.Errorf("%q is alive in the document", live)
		}
	}
	if shown := strings.Count(text, "&lt;script&gt;alert(1)"); shown < 25 {
		t.Errorf("the text is shown %d times only", shown)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, Document{Title: "a", Data: []Data{data}})
	packed := regexp.MustCompile(`<script type="` + DataType + `" id="texts-0">([A-Za-z0-9+/=]*)</script>`).FindStringSubmatch(text)
	if packed == nil {
		t.Fatal("the document has no data of that id")
	}
	deflated, err := base64.StdEncoding.DecodeString(packed[1])
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(flate.NewReader(bytes.NewReader(deflated)))
	if err != nil || !strings.Contains(string(content), `</script><script>alert(1)`) {
		t.Errorf("unpacked it is %q, %v", content, err)
	}
	if _, err := DataOf("x", func() {}); err == nil {
		t.Error("what has no JSON is data")
	}
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
		if !strings.Contains(strip, want) {
			t.Errorf("the strip lacks %s: %s", want, strip)
		}
	}
	if undefined := string(Strips{Axis: axis, Rows: []Strip{{Name: "law"}}}.Block()); strings.Contains(undefined, "<circle cx=\"0") {
		t.Error("what is undefined is drawn")
	}
	plot := string(Plot{X: Axis{High: 2}, Y: Axis{High: 1}, Curves: []Curve{{Points: []Point{{0, 0, interval}, {2, 0.5, interval}}}},
		Bars: []Column{{1, 2, 0.5}}}.Block())
	for _, want := range []string{`d="M0 150L1000 75"`, `d="M0 105L1000 105L1000 135L0 135Z"`,
		`<rect x="50%" y="75" width="50%" height="75"`} {
		if !strings.Contains(plot, want) {
			t.Errorf("the plot lacks %s: %s", want, plot)
		}
	}
	steps := string(Plot{X: Axis{High: 2}, Y: Axis{High: 1}, Curves: []Curve{{Steps: true, Points: []Point{{Y: 1}, {X: 1}}}}}.Block())
	if !strings.Contains(steps, `d="M0 0H500V150"`) {
		t.Errorf("steps are none: %s", steps)
	}
}

func TestHeadingsExplainTheirTerms(t *testing.T) {
	section := page.Section{Title: "a", Table: &page.Grid{Head: []string{"subject", "p (Holm)"}}}
	section.Facts.Add("TPR", "61.0 %", "95 % Wilson")
	text := string(Part(section)) +
		string(Strips{Head: []string{"subject", "p (Holm)"}, Axis: Shares(1)}.Block())
	for _, want := range []string{`<abbr title="Holm: `, `<abbr title="TPR: `, `<td title="Wilson: `} {
		if !strings.Contains(text, want) {
			t.Errorf("the document lacks %s: %s", want, text)
		}
	}
	if n := strings.Count(text, "<abbr"); n != 3 {
		t.Errorf("%d headings have a tooltip, want 3: subject needs none", n)
	}
}
