package page

import (
	"strings"
	"testing"
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
	if err := wide.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := "score,name,inner.a.b,parts.law.n,parts.law.subject,parts.math.n,parts.math.subject,inner.late\n" +
		"-0.5,'=SUM(A1),1,3,law,4,math,\n0,\"two, of \"\"three\"\"\",,,,,,true\n"
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}
