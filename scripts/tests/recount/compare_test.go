package recount

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
)

// A plainPair is what two runs made of the same questions: shares of those right, and right in the first or the second alone.
type plainPair struct{ rightA, rightB, onlyA, onlyB, n float64 }

// pairOf counts the items that both runs have a score for.
func pairOf(a, b *plainRun) (p plainPair) {
	other := map[int]*plainItem{}
	for _, it := range scoredOf(b.items) {
		other[it.Question] = it
	}
	for _, it := range scoredOf(a.items) {
		twin := other[it.Question]
		if twin == nil {
			continue
		}
		p.n++
		p.rightA, p.rightB = p.rightA+it.right, p.rightB+twin.right
		p.onlyA, p.onlyB = p.onlyA+it.right*(1-twin.right), p.onlyB+twin.right*(1-it.right)
	}
	return plainPair{p.rightA / p.n, p.rightB / p.n, p.onlyA / p.n, p.onlyB / p.n, p.n}
}

// z is how many standard errors the difference is from null, less a fifth of a question; the likeliest shares under null are
// where the slope of their likelihood is 0.
func (p plainPair) z(null float64) float64 {
	least, most := max(0, -null), (1-null)/2
	for range 200 {
		a := (least + most) / 2
		if p.onlyA/a+p.onlyB/(a+null)-2*(1-p.onlyA-p.onlyB)/(1-2*a-null) > 0 {
			least = a
		} else {
			most = a
		}
	}
	far := math.Abs(p.onlyB - p.onlyA - null)
	return max(0, far-1/p.n/5) / math.Sqrt((2*least+null-null*null)/p.n)
}

// bound is how far a difference can go towards an end until it is that many standard errors away.
func bound(z func(null float64) float64, difference, end, reach float64) float64 {
	inside, outside := difference, end
	for range 100 {
		if middle := (inside + outside) / 2; z(middle) > reach {
			outside = middle
		} else {
			inside = middle
		}
	}
	return inside
}

// runsOf are random runs of the same questions.
func runsOf(t *testing.T, random *rand.Rand, count int) (paths []string) {
	t.Helper()
	type question struct {
		subject string
		known   bool
	}
	var questions []question
	for s := range 2 + random.IntN(13) {
		subject := fmt.Sprintf("subject %02d", s)
		for range 1 + random.IntN(30) {
			questions = append(questions, question{subject, random.IntN(3) > 0})
		}
	}
	for r := range count {
		h := journaltest.Header("mmlu_pro")
		h.RuleSet, h.Model.Quantization = "tiger-strict", fmt.Sprint("Q", r)
		var records []journal.Record
		var ids []string
		for q, question := range questions {
			answer := journaltest.Answer{Letter: map[bool]string{true: "B", false: "C"}[question.known != (random.IntN(12) < r)]}
			record := journaltest.Record(&h, q, question.subject, "", 6, "B", answer)
			records, ids = append(records, record), append(ids, record.ID)
		}
		h.Selection.Items, h.Selection.Questions, h.Selection.IDsSHA256 = len(records), len(records), journal.DigestIDs(ids)
		paths = append(paths, journaltest.Keep(t, filepath.Join(t.TempDir(), fmt.Sprint(r, ".jsonl")), h, records))
	}
	return paths
}

func plainRunOf(t *testing.T, path string) *plainRun {
	t.Helper()
	lines, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return readPlainly(lines)
}

func TestASecondPlainComputationOfComparisons(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 7))
	for i := range 24 {
		paths := runsOf(t, random, 2+i%3)
		c, err := pairs.Of(paths, pairs.Options{RuleSet: "tiger-strict"})
		if err != nil {
			t.Fatal(err)
		}
		var runs []*plainRun
		for _, path := range paths {
			r := plainRunOf(t, path)
			r.figures()
			runs = append(runs, r)
		}
		pairs := float64(len(runs) - 1)
		reach := math.Sqrt2 * math.Erfinv(1-0.05/pairs)
		for j := range c.Pairs {
			p := &c.Pairs[j]
			same := func(what string, got stats.Number, want float64) {
				t.Helper()
				if x, known := got.Get(); !known || math.Abs(x-want) > 1e-7*max(1, math.Abs(want)) {
					t.Errorf("comparison %d, pair %d: %s is %v, plainly %.12g", i, j, what, got, want)
				}
			}
			plain := pairOf(runs[0], runs[j+1])
			same("A", p.ValueA, plain.rightA)
			same("B", p.ValueB, plain.rightB)
			same("A, as its report", p.ValueA, runs[0].want["headline.value"])
			same("difference", p.Difference, plain.rightB-plain.rightA)
			same("p", p.PValue, math.Erfc(plain.z(0)/math.Sqrt2))
			same("low", stats.Of(p.CI.Low), bound(plain.z, plain.onlyB-plain.onlyA, -1, reach))
			same("high", stats.Of(p.CI.High), bound(plain.z, plain.onlyB-plain.onlyA, 1, reach))
			if flips, d := plain.onlyA+plain.onlyB, plain.onlyB-plain.onlyA; flips > 0 {
				same("error", p.SE, math.Sqrt((flips-d*d)/plain.n))
				same("detectable", p.SmallestDetectable, (reach+0.8416212335729143)*math.Sqrt(flips/plain.n))
			}
			if pairs > 1 {
				same("adjusted p", p.PAdjusted, min(1, pairs*math.Erfc(plain.z(0)/math.Sqrt2)))
			}
		}
	}
}
