package page

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

type thing struct {
	Name   string           `json:"name"`
	Score  float64          `json:"score"`
	Stops  []string         `json:"stops"`
	Inner  map[string]any   `json:"inner"`
	Parts  []map[string]any `json:"parts,omitempty"`
	Hidden map[string]int   `json:"hidden"`
}

var one = thing{"=SUM(A1)", -0.5, []string{"x"}, map[string]any{"a": map[string]any{"b": 1}, "none": nil},
	[]map[string]any{{"subject": "law", "n": 3}, {"subject": "math", "n": 4}}, map[string]int{"z": 1}}

func TestWideHasALineAThing(t *testing.T) {
	var wide Wide
	for _, each := range []thing{one, {Name: "two, of \"three\"", Inner: map[string]any{"late": true}}} {
		wide.Add(wide.Cells(each, []string{"score", "name"}, "hidden")...)
	}
	var out strings.Builder
	assert.NilError(t, wide.Write(&out))
	want := "score,name,inner.a.b,parts.law.n,parts.law.subject,parts.math.n,parts.math.subject,inner.late\n" +
		"-0.5,'=SUM(A1),1,3,law,4,math,\n0,\"two, of \"\"three\"\"\",,,,,,true\n"
	assert.Check(t, out.String() == want, "%s\nwant\n%s", out.String(), want)
}

func TestAFilesNameSaysItsFormat(t *testing.T) {
	formats := append(FormatsOf(func(p Page) Page { return p }), Format[Page]{Name: "csv", Ext: ".csv"})
	for _, test := range []struct{ name, path, want string }{
		{"", "", "text"}, {"", "q4", "text"}, {"", "q4.txt", "text"}, {"", "runs/q4.md", "markdown"}, {"", "q4.json", "json"},
		{"", "q4.csv", "csv"}, {"json", "q4.csv", "json"}, {"text", "q4.html", "text"},
		{"", "a.b/q4", "text"},
	} {
		if got, err := formats.Of(test.name, test.path); err != nil || got.Name != test.want {
			t.Errorf("--format %q -o %q: %s, %v; want %s", test.name, test.path, got.Name, err, test.want)
		}
	}
	for _, test := range []struct{ name, path, want string }{
		{"", "q4.html", "q4.html: there is no format for .html: let the file's name end in .txt, .md, .json, .csv, or give format"},
		{"html", "q4.html", `there is no format "html"`},
	} {
		_, err := formats.Of(test.name, test.path)
		errortest.For(t, test, err, test.want)
	}
}

func TestMarkdownHasNoTagsAndNoLinksOfOthers(t *testing.T) {
	evil := `<script>alert(1)</script> [x](javascript:alert(1)) ![p](http://a/b) <!-- --> p < 0.05`
	p := Page{Title: evil, Notices: []string{evil}, Footnotes: []string{"[x]: javascript:alert(1)"}}
	grid := &Grid{Head: []string{"a", "b"}}
	grid.Add(evil, "1")
	section := Section{Title: evil, Warnings: []string{evil}, Notes: []string{evil}, Table: grid}
	section.Facts.Add(evil, "1", evil)
	p.Add(section)
	var out strings.Builder
	assert.NilError(t, p.Markdown(&out))
	rest := strings.NewReplacer(`\<`, "", `\](`, "", `\]:`, "").Replace(out.String())
	for _, alive := range []string{"<script", "</script", "](", "]:", "<!--"} {
		assert.Check(t, !strings.Contains(rest, alive), "%s is alive in\n%s", alive, out.String())
	}
	assert.Check(t, strings.Contains(out.String(), "p < 0.05"), "less-than signs are not what they were")
}

func TestCellsAreNoFormulas(t *testing.T) {
	cells := []string{"=1+1", "+1", "-0.5", "-cmd|x", "@SUM(A1)", "\tx", "", "a=b", "\x1b[2J", "\u202e", "1e-9", "+x"}
	var out strings.Builder
	to := NewCSV(&out)
	to.Write(cells)
	to.Flush()
	got, err := csv.NewReader(strings.NewReader(out.String())).Read()
	assert.NilError(t, err)
	for i, want := range []string{"'=1+1", "+1", "-0.5", "'-cmd|x", "'@SUM(A1)", "'\tx", "", "a=b", `\u001b[2J`, `\u202e`, "1e-9", "'+x"} {
		assert.Check(t, got[i] == want, "%q is %q, want %q", cells[i], got[i], want)
	}
}

func TestATableIsNarrowedByItsLeastWantedColumns(t *testing.T) {
	for most, want := range map[int][]string{
		30: nil, 29: {"c"}, 24: {"c"}, 23: {"b", "c"}, 18: {"b", "c"}, 12: {"b", "c", "d"}, 2: {"b", "c", "d"},
	} {
		g := Grid{Head: []string{"a", "b", "c", "d"}}
		g.Add("aaaaaaaaaa", "bbbb", "cccc", "日本") // 12, 6, 6 and 6 wide
		if left := g.Narrow(most, "c", "b", "d"); !slices.Equal(left, want) || len(g.Head) != 4-len(want) || len(g.Rows[0]) != len(g.Head) {
			t.Errorf("at most %d: without %q, %q", most, left, g)
		}
		if g.Width() > most && most >= 12 {
			t.Errorf("at most %d: %d wide", most, g.Width())
		}
	}
}

// narrow is a terminal of 40 columns.
type narrow struct{ strings.Builder }

func (*narrow) Columns() int { return 40 }

// Lines are wrapped on terminals alone, and continued with an indent; a command to be copied is not wrapped.
func TestTextIsWrappedOnATerminal(t *testing.T) {
	p := Page{Title: "A title", Notices: []string{"a notice of more than forty columns in all"},
		More: "everything: proctor report " + strings.Repeat("x", 30)}
	p.Add(Section{Facts: Facts{{"accuracy", "13.69 %", "23 of 168; 95 % interval 9.19–19.71 %"}}, Notes: []string{"short"}})
	var terminal narrow
	assert.NilError(t, p.Text(&terminal))
	assert.Equal(t, terminal.String(), `A title
! a notice of more than forty columns
  in all

  accuracy  13.69 %  23 of 168; 95 %
                     interval 9.19–19.71
                     %
  short
  everything: proctor report xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
`)
	assert.Equal(t, Wrapped("next: bin/proctor report a/long/path", 20), "next: bin/proctor report a/long/path")
	assert.Equal(t, Wrapped("two lines:\n  one of them is too long", 20), "two lines:\n  one of them is\n    too long")
	var file strings.Builder
	assert.NilError(t, p.Text(&file))
	assert.Check(t, strings.Contains(file.String(), "\n! a notice of more than forty columns in all\n"), file.String())
}
