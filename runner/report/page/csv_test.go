package page

import (
	"strings"
	"testing"

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
	[]map[string]any{{"of": "law", "n": 3, "more": 1}, {"of": "math", "n": 4}}, map[string]int{"z": 1}}

var byName = Named{"parts": "of"}

func TestWideHasALineAThing(t *testing.T) {
	var things [][]Cell
	for _, each := range []thing{one, {Name: "two, of \"three\"", Inner: map[string]any{"late": true}}} {
		cells, err := Wide(each, byName, []string{"n"}, []string{"score", "name"}, []string{"hidden"})
		if err != nil {
			t.Fatal(err)
		}
		things = append(things, cells)
	}
	var out strings.Builder
	if err := CSVWide(&out, things); err != nil {
		t.Fatal(err)
	}
	want := "score,name,inner.a.b,parts.law.n,parts.math.n,inner.late\n" +
		"-0.5,'=SUM(A1),1,3,4,\n0,\"two, of \"\"three\"\"\",,,,true\n"
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

func TestAMemberWithoutItsNameIsAnError(t *testing.T) {
	_, err := Wide(map[string]any{"parts": []any{map[string]int{"n": 1}}}, byName, nil, nil, nil)
	errortest.Says(t, err, "has no figure of")
}
