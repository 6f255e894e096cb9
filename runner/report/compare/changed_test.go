package compare

import (
	"bytes"
	"strings"
	"testing"

	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
)

// scored reads what pairstest.Score writes.
func scored(t testing.TB, reference string, models ...string) *pairs.Score {
	t.Helper()
	score, err := pairs.ReadScore("score.json", strings.NewReader(pairstest.Score(reference, models...)))
	if err != nil {
		t.Fatal(err)
	}
	return score
}

func TestGoldenComparisonsWithAScore(t *testing.T) {
	a, b := pairstest.Two()
	third := pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })
	scores := scored(t, "F16", "Q8_0", "Q4_K_M")
	for name, c := range map[string]*pairs.Comparison{
		"changed":       compared(t, pairs.Options{Score: scores}, a, b),
		"changed-three": compared(t, pairs.Options{Score: scores}, third, a, b),
	} {
		assertGoldens(t, c, name)
	}
}

// The models with the largest divergences first, and the smallest: neither order is the runs'.
func TestRunsAreNotRankedByTheirDivergence(t *testing.T) {
	a, b := pairstest.Two()
	third := pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })
	for _, models := range [][]string{{"Q8_0", "Q4_K_M"}, {"Q4_K_M", "Q8_0"}} {
		c := compared(t, pairs.Options{Score: scored(t, "F16", models...)}, third, b, a)
		var out bytes.Buffer
		if err := fullPage(c).Text(&out); err != nil {
			t.Fatal(err)
		}
		table := out.String()[strings.Index(out.String(), "Amount and direction of change"):]
		if strings.Index(table, "Q4_K_M ") > strings.Index(table, "Q8_0 ") || !strings.Contains(out.String(), "not ranked by them") {
			t.Errorf("%v:\n%s", models, out.String())
		}
	}
}
