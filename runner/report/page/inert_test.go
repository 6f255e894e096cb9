package page

import (
	"encoding/csv"
	"strings"
	"testing"
)

func TestMarkdownHasNoTagsAndNoLinksOfOthers(t *testing.T) {
	evil := `<script>alert(1)</script> [x](javascript:alert(1)) ![p](http://a/b) <!-- --> p < 0.05`
	p := Page{Title: evil, Notices: []string{evil}, Footnotes: []string{"[x]: javascript:alert(1)"}}
	grid := &Grid{Head: []string{"a", "b"}}
	grid.Add(evil, "1")
	section := Section{Title: evil, Warnings: []string{evil}, Notes: []string{evil}, Table: grid}
	section.Facts.Add(evil, "1", evil)
	p.Add(section)
	var out strings.Builder
	if err := p.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	rest := strings.NewReplacer(`\<`, "", `\](`, "", `\]:`, "").Replace(out.String())
	for _, alive := range []string{"<script", "</script", "](", "]:", "<!--"} {
		if strings.Contains(rest, alive) {
			t.Errorf("%s is alive in\n%s", alive, out.String())
		}
	}
	if !strings.Contains(out.String(), "p < 0.05") {
		t.Error("less-than signs are not what they were")
	}
}

func TestCellsAreNoFormulas(t *testing.T) {
	cells := []string{"=1+1", "+1", "-0.5", "-cmd|x", "@SUM(A1)", "\tx", "", "a=b", "\x1b[2J", "\u202e", "1e-9", "+x"}
	var out strings.Builder
	to := NewCSV(&out)
	to.Write(cells)
	to.Flush()
	got, err := csv.NewReader(strings.NewReader(out.String())).Read()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"'=1+1", "+1", "-0.5", "'-cmd|x", "'@SUM(A1)", "'\tx", "", "a=b", `\u001b[2J`, `\u202e`, "1e-9", "'+x"} {
		if got[i] != want {
			t.Errorf("%q is %q, want %q", cells[i], got[i], want)
		}
	}
}
