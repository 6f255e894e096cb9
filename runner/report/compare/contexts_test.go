package compare

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/report/html"
)

// behind is a run whose prompts stand behind so many tokens of other text, with a cache of a type; it knows the first questions.
func behind(tokens int, cache string, known int) pairstest.Run {
	r := pairstest.MCQ("Q8_0", 400, func(q int) bool { return q < known })
	r.Header.Filler, r.Header.Backend.KVType = tokens, cache
	r.Header.Preambles = map[string]string{"math": strings.Repeat("x ", tokens)}
	return r
}

// figure is the drawing of a name; false where there is none.
func figure(c *pairs.Comparison, name string) (html.Plot, bool) {
	all := Figures(c)
	at := slices.IndexFunc(all, func(f html.File) bool { return f.Name == name+".svg" })
	if at < 0 {
		return html.Plot{}, false
	}
	return all[at].Drawing.(html.Plot), true
}

// The runs are given in no order of their lengths, and one cache has one length alone.
func TestAScoreIsDrawnByTheLengthOfItsContext(t *testing.T) {
	c := compared(t, pairs.Options{Names: []string{"a filler 8192", "a", "a kv q4_0", "a filler 2048", "a kv q4_0 filler 8192", "a kv q8_0"}},
		behind(8192, "f16", 280), behind(0, "f16", 300), behind(0, "q4_0", 299), behind(2048, "f16", 290), behind(8192, "q4_0", 200),
		behind(0, "q8_0", 300))
	plot, drawn := figure(c, "score-by-context")
	if !drawn {
		t.Fatal("nothing is drawn")
	}
	want := map[string][]html.Point{"a": {{X: 0, Y: 0.75}, {X: 1, Y: 0.725}, {X: 3, Y: 0.7}}, "a kv q4_0": {{X: 0, Y: 0.7475}, {X: 3, Y: 0.5}}}
	if len(plot.Curves) != 3 || !plot.Curves[2].Dashed || plot.Curves[2].Points[0].Y != c.Runs[0].Headline.Baseline.Or(0) {
		t.Fatalf("%+v", plot.Curves)
	}
	for _, curve := range plot.Curves[:2] {
		if len(curve.Points) != len(want[curve.Name]) {
			t.Fatalf("%s: %+v", curve.Name, curve.Points)
		}
		for i, p := range curve.Points {
			if w := want[curve.Name][i]; p.X != w.X || p.Y != w.Y || !(p.Interval.Low < p.Y && p.Y < p.Interval.High) {
				t.Errorf("%s: %+v, want %+v with its interval", curve.Name, p, w)
			}
		}
	}
	if x := plot.X; x.Low != 0 || x.High != 3 || len(x.Ticks) != 3 || x.Ticks[2] != (html.Tick{At: 3, Label: "8,192"}) {
		t.Errorf("the axis is %+v", x)
	}
	var text, browser bytes.Buffer
	if err := fullPage(c).Text(&text); err != nil {
		t.Fatal(err)
	}
	var document html.Document
	document.Begin(html.Head{}, inBrowser(c))
	if err := document.Write(&browser); err != nil {
		t.Fatal(err)
	}
	section := text.String()[strings.Index(text.String(), "Score by length of context"):]
	at := 0
	for _, line := range []string{"a  ", "0 tokens", "75.00 %", "2,048 tokens", "72.50 %", "8,192 tokens", "70.00 %", "a kv q4_0", "50.00 %"} {
		next := strings.Index(section[at:], line)
		if next < 0 {
			t.Fatalf("%q is missing or out of order in\n%s", line, section)
		}
		at += next
	}
	if !strings.Contains(browser.String(), `id="score-by-context"`) || strings.Count(browser.String(), `stroke-dasharray="9 4"`) != 2 {
		t.Error("the page for a browser lacks the drawing, or the pattern of its second line and of that in the legend")
	}
}

func TestNothingIsDrawnByContextOfRunsThatDifferOtherwise(t *testing.T) {
	for name, runs := range map[string][2]pairstest.Run{
		"one length": {behind(2048, "f16", 300), behind(2048, "q4_0", 300)}, "no length": {behind(0, "f16", 300), behind(0, "q4_0", 300)},
		"cache, too": {behind(0, "f16", 300), behind(2048, "q4_0", 300)},
	} {
		c := compared(t, pairs.Options{}, runs[0], runs[1])
		if plot, drawn := figure(c, "score-by-context"); drawn || contextSection(c).Table != nil {
			t.Errorf("%s: %+v", name, plot)
		}
	}
}

func TestARunBehindMoreTextIsNotRecommended(t *testing.T) {
	whole := pairstest.MCQ("F16", 1000, pairstest.Knows(800, 0, 0))
	long := pairstest.MCQ("Q4_K_M", 1000, pairstest.Knows(800, 0, 0))
	long.Header.Filler = 2048
	short := pairstest.MCQ("Q8_0", 1000, pairstest.Knows(800, 0, 0))
	c := compared(t, pairs.Options{Recommend: true, Names: []string{"whole", "short", "long"}}, whole, short, long)
	if c.Recommendation.Run != "short" {
		t.Errorf("recommended: %s", c.Recommendation.Sentence)
	}
}

func TestADivergenceIsDrawnByTheLengthOfItsContext(t *testing.T) {
	a, b := pairstest.Two()
	third := pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })
	score := scored(t, "F16", "Q8_0", "Q4_K_M")
	if c := compared(t, pairs.Options{Score: score}, third, a, b); len(contextSection(c).Drawings)+len(divergenceSection(c).Drawings) > 0 {
		t.Error("a score without contexts is drawn by them")
	}
	for i := range score.Models {
		kld := score.Models[i].MeanKLD
		score.Models[i].ByContext = []pairs.Context{{From: 0, To: 255, Tokens: 9, MeanKLD: kld}, {From: 256, To: 511, Tokens: 8, MeanKLD: kld},
			{From: 1024, To: 2047, Tokens: 7, MeanKLD: kld}}
	}
	c := compared(t, pairs.Options{Score: score}, third, a, b)
	plot, drawn := figure(c, "divergence-by-context")
	if !drawn || len(plot.Curves) != 2 || plot.Curves[0].Name != "Q8_0" || plot.Curves[1].Name != "Q4_K_M" {
		t.Fatalf("%+v", plot.Curves)
	}
	for i, curve := range plot.Curves {
		if p := curve.Points; len(p) != 3 || p[0].X != 1 || p[1].X != 2 || p[2].X != 4 || p[2].Y != score.Models[i].MeanKLD.Or(0) {
			t.Errorf("%s: %+v", curve.Name, p)
		}
	}
	if s := divergenceSection(c); len(s.Table.Rows) != 6 || s.Table.Rows[2][1] != "1,024–2,047" {
		t.Errorf("%+v", s.Table)
	}
}
