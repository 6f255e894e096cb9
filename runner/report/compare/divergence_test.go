package compare

import (
	"slices"
	"testing"

	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/report/html"
)

// figure is the drawing of a name; false where there is none.
func figure(c *pairs.Comparison, name string) (html.Plot, bool) {
	all := Figures(c)
	at := slices.IndexFunc(all, func(f html.File) bool { return f.Name == name+".svg" })
	if at < 0 {
		return html.Plot{}, false
	}
	return all[at].Drawing.(html.Plot), true
}

func TestADivergenceIsDrawnByTheLengthOfItsContext(t *testing.T) {
	a, b := pairstest.Two()
	third := pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })
	score := scored(t, "F16", "Q8_0", "Q4_K_M")
	if c := compared(t, pairs.Options{Score: score}, third, a, b); len(divergenceSection(c).Drawings) > 0 {
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
