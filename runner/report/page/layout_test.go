package page

import (
	"slices"
	"testing"
)

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
