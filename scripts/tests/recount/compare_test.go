package recount

import (
	"math"
	"os"
	"testing"

	"gotest.tools/v3/assert"
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
	for range 100 {
		a := (least + most) / 2
		if p.onlyA/a+p.onlyB/(a+null)-2*(1-p.onlyA-p.onlyB)/(1-2*a-null) > 0 {
			least = a
		} else {
			most = a
		}
	}
	beyond := math.Abs(p.onlyB-p.onlyA-null) - 1/p.n/5
	if beyond <= 0 {
		return 0
	}
	return beyond / math.Sqrt((2*least+null-null*null)/p.n)
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

func plainRunOf(t *testing.T, path string) *plainRun {
	t.Helper()
	lines, err := os.ReadFile(path)
	assert.NilError(t, err)
	return readPlainly(lines)
}
