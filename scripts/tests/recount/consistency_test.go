package recount

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"proctor/runner/mark/pairs"
)

// TestASecondPlainComputationOfConsistency has runs of the same questions, of which some items have no answer and some failed, and
// counts the questions that all of them answer alike straight from the journals' lines.
func TestASecondPlainComputationOfConsistency(t *testing.T) {
	random := rand.New(rand.NewPCG(42, 8))
	for i := range 24 {
		paths, _ := runsOf(t, random, 2+i%4, false)
		letters := make([]map[int]string, len(paths))
		for k, path := range paths {
			damage(t, random, path)
			r := plainRunOf(t, path)
			letters[k] = map[int]string{}
			r.figures()
			for _, it := range scoredOf(r.items) {
				letters[k][it.Question] = it.letter
			}
		}
		questions, same, agree := 0.0, 0.0, 0.0
		for question := range letters[0] {
			alike, of, all, whole := 0.0, 0.0, true, true
			for k := range letters {
				_, there := letters[k][question]
				whole = whole && there
				for j := range k {
					x, y := letters[j][question], letters[k][question]
					of++
					if x == y && x != "" {
						alike++
					} else {
						all = false
					}
				}
			}
			if whole {
				questions, agree = questions+1, agree+alike/of
				if all {
					same++
				}
			}
		}
		c, err := pairs.Of(paths, pairs.Options{RuleSet: "tiger-strict", Force: true})
		if err != nil {
			t.Fatal(err)
		}
		got := c.Consistency
		if float64(got.Questions) != questions || float64(got.Same) != same || math.Abs(got.Rate.Or(-1)-same/questions) > 1e-12 ||
			math.Abs(got.Agreement.Or(-1)-agree/questions) > 1e-9 {
			t.Errorf("comparison %d of %d runs: %+v, plainly %v of %v alike, agreement %.12g", i, len(paths), got, same, questions, agree/questions)
		}
	}
}

// damage takes the answers of some of a journal's items away, and has others fail.
func damage(t *testing.T, random *rand.Rand, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for i := 1; i < len(lines); i++ {
		switch random.IntN(15) {
		case 0:
			lines[i] = strings.Replace(lines[i], "answer is (", "answer may be (", 1)
		case 1:
			lines[i] = strings.Replace(lines[i], `"finish":"stop","cause":"","error":""`, fmt.Sprintf(`"finish":"error","cause":"ENGINE","error":%q`, "e"), 1)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
