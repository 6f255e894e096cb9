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

// A plainPair is what two runs made of the same questions: shares of those right in the first or the second alone, sums of their
// subjects' variances, and the weight of the question that counts most.
type plainPair struct {
	rightA, rightB, onlyA, onlyB, up, down, heaviest float64
}

// n is how many questions that count alike would tell as much, where the difference may be that far off.
func (p plainPair) n(far float64) float64 {
	if far *= 1.5; p.up+far == 0 {
		return 1 / p.heaviest
	}
	return (p.up + far) / (p.down + p.heaviest*far)
}

// pairOf counts the items that both runs have a score for, subjects weighted by their size where sizes are given.
func pairOf(a, b *plainRun, sizes map[string]int) plainPair {
	other := map[int]*plainItem{}
	for _, it := range scoredOf(b.items) {
		other[it.Question] = it
	}
	type table struct{ a, b, onlyA, onlyB, n float64 }
	tables, whole := map[string]*table{}, 0.0
	for _, it := range scoredOf(a.items) {
		twin := other[it.Question]
		if twin == nil {
			continue
		}
		subject := it.Subject
		if sizes == nil {
			subject = ""
		}
		t := tables[subject]
		if t == nil {
			t = &table{}
			tables[subject] = t
			whole += float64(sizes[subject])
		}
		t.n++
		t.a, t.b = t.a+it.right, t.b+twin.right
		t.onlyA, t.onlyB = t.onlyA+it.right*(1-twin.right), t.onlyB+twin.right*(1-it.right)
	}
	var p plainPair
	for subject, t := range tables {
		w := 1 / t.n
		if sizes != nil {
			w = float64(sizes[subject]) / whole / t.n
		}
		p.rightA, p.rightB = p.rightA+w*t.a, p.rightB+w*t.b
		p.onlyA, p.onlyB = p.onlyA+w*t.onlyA, p.onlyB+w*t.onlyB
		flips, mean := t.onlyA+t.onlyB, (t.onlyB-t.onlyA)/t.n
		if t.n > 1 { // questions times the unbiased variance of −1, 0 and 1
			flips = t.n / (t.n - 1) * (t.onlyA*(1+mean)*(1+mean) + t.onlyB*(1-mean)*(1-mean) + (t.n-flips)*mean*mean)
		}
		p.up, p.down, p.heaviest = p.up+w*flips, p.down+w*w*flips, max(p.heaviest, w)
	}
	return p
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
	return max(0, far-p.heaviest/5) / math.Sqrt((2*least+null-null*null)/p.n(far))
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

// runsOf are random runs of the same questions, an uneven draw of a larger set where drawn says so.
func runsOf(t *testing.T, random *rand.Rand, count int, drawn bool) (paths []string, sizes map[string]int) {
	t.Helper()
	sizes = map[string]int{}
	type question struct {
		subject string
		known   bool
	}
	var questions []question
	for s := range 2 + random.IntN(13) {
		subject := fmt.Sprintf("subject %02d", s)
		n := 1 + random.IntN(30)
		for range n {
			questions = append(questions, question{subject, random.IntN(3) > 0})
		}
		sizes[subject] = n + 40*s*s
	}
	for r := range count {
		h := journaltest.Header("mmlu_pro")
		h.RuleSet, h.Model.Quantization = "tiger-strict", fmt.Sprint("Q", r)
		if drawn {
			h.Selection.Population = sizes
		}
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
	return paths, sizes
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
		drawn := i%2 == 0
		paths, sizes := runsOf(t, random, 2+i%3, drawn)
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
			weights := sizes
			if !drawn || c.Runs[0].Headline.Covers == "questions asked" {
				weights = nil
			}
			plain := pairOf(runs[0], runs[j+1], weights)
			same("A", p.ValueA, plain.rightA)
			same("B", p.ValueB, plain.rightB)
			same("A, as its report", p.ValueA, runs[0].want["headline.value"])
			same("difference", p.Difference, plain.rightB-plain.rightA)
			same("p", p.PValue, math.Erfc(plain.z(0)/math.Sqrt2))
			same("low", stats.Of(p.CI.Low), bound(plain.z, plain.onlyB-plain.onlyA, -1, reach))
			same("high", stats.Of(p.CI.High), bound(plain.z, plain.onlyB-plain.onlyA, 1, reach))
			if flips, d := plain.onlyA+plain.onlyB, plain.onlyB-plain.onlyA; flips > 0 {
				same("error", p.SE, math.Sqrt((flips-d*d)/plain.n(0)))
				same("detectable", p.SmallestDetectable, (reach+0.8416212335729143)*math.Sqrt(flips/plain.n(0)))
			}
			if weights != nil {
				same("effective", p.Effective, plain.n(0))
				sample := pairOf(runs[0], runs[j+1], nil)
				same("difference of the sample", p.Sample.Difference, sample.rightB-sample.rightA)
			}
			if pairs > 1 {
				same("adjusted p", p.PAdjusted, min(1, pairs*math.Erfc(plain.z(0)/math.Sqrt2)))
			}
		}
	}
}
