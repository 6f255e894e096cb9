package pairs

import (
	"regexp"
	"strings"
	"testing"

	"proctor/runner/mark/pairs/pairstest"
)

func TestTheModelsOfAScoreAreFoundByTheirFiles(t *testing.T) {
	a, b := pairstest.Two()
	for name, test := range map[string]struct {
		reference string
		models    []string
		a, b      float64 // 0 for the reference
	}{
		"both lie from a third":   {"F16", []string{"Q8_0", "Q4_K_M"}, 0.001, 0.01},
		"in another order":        {"F16", []string{"Q4_K_M", "Q6_K", "Q8_0"}, 0.1, 0.001},
		"A is the reference":      {"Q8_0", []string{"Q4_K_M"}, 0, 0.001},
		"B is the reference":      {"Q4_K_M", []string{"Q8_0"}, 0.001, 0},
		"A, and it was read, too": {"Q8_0", []string{"Q8_0", "Q4_K_M"}, 0, 0.01},
	} {
		c := compared(t, Options{Score: readScore(t, test.reference, test.models...)}, a, b).Pairs[0].Changed
		for side, each := range map[string]struct {
			got  *Distance
			want float64
		}{"A": {c.A, test.a}, "B": {c.B, test.b}} {
			if each.got == nil && each.want != 0 || each.got != nil && each.got.MeanKLD.Or(9) != each.want {
				t.Errorf("%s: %s lies %+v off, want %g", name, side, each.got, each.want)
			}
		}
	}
}

func TestAScoreOfOtherModelsIsRefused(t *testing.T) {
	a, b := pairstest.Two()
	nameless := b
	nameless.Header.Model.FileSHA256 = ""
	for name, test := range map[string]struct {
		score string
		b     pairstest.Run
		want  string
	}{
		"other models":        {pairstest.Score("F16", "Q8_0", "Q6_K"), b, "it is of other models: none of them"},
		"one alone":           {pairstest.Score("F16", "Q4_K_M"), b, `the file that \S*A.jsonl was run with \(Q8_0.gguf\)$`},
		"a run without a sum": {pairstest.Score("F16", "Q8_0", "Q4_K_M"), nameless, `the journal of \S*B.jsonl has no SHA-256`},
		"no score":            {`{"models": []}`, b, "not what score writes"},
		"no JSON":             {"mean_kld", b, "not what score writes"},
		"no reference":        {`{"models": [{"ppl": 3}]}`, b, "it has no divergences"},
	} {
		score, err := ReadScore("score.json", strings.NewReader(test.score))
		if err == nil {
			_, err = Of([]string{a.Write(t, "A"), test.b.Write(t, "B")}, Options{Score: score})
		}
		if err == nil || !regexp.MustCompile(test.want).MatchString(err.Error()) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// readScore reads what pairstest.Score writes.
func readScore(t testing.TB, reference string, models ...string) *Score {
	t.Helper()
	score, err := ReadScore("score.json", strings.NewReader(pairstest.Score(reference, models...)))
	if err != nil {
		t.Fatal(err)
	}
	return score
}
