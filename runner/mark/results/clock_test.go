package results

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
)

func TestPartsOfTheWallTimeAddUpToIt(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		items := make([]*Item, 1+random.IntN(40))
		var wall [200]bool
		for i := range items {
			began := random.Int64N(150)
			items[i] = &Item{}
			items[i].Began, items[i].Timing.Total = time.Unix(0, began), time.Duration(1+random.Int64N(49))
			for at := began; at < began+int64(items[i].Timing.Total); at++ {
				wall[at] = true
			}
		}
		c := timesOf(items, nil)
		want := 0
		for _, busy := range wall {
			if busy {
				want++
			}
		}
		sum := 0.0
		for _, it := range items {
			sum += float64(c.share(it))
		}
		// each part is a whole number
		assert.Assert(t, int(c.Wall) == want && math.Abs(sum-float64(want)) <= float64(len(items)),
			"wall %d, parts %g; want %d", c.Wall, sum, want)
	}
}

func TestTheTimeOfInterruptedAnswersHasPassed(t *testing.T) {
	item := func(id string, began, took int64) *Item {
		it := &Item{}
		it.ID, it.Began, it.Timing.Total = id, time.Unix(began, 0), time.Duration(took)*time.Second
		return it
	}
	partial := func(id string, began, took int64) journal.Partial {
		p := journal.Partial{ID: id, Began: time.Unix(began, 0)}
		p.Total = time.Duration(took) * time.Second
		return p
	}
	items := []*Item{item("a", 0, 10), item("b", 500, 20)}
	// a's was told while it was asked, b's is of the session that was interrupted, c has no answer yet.
	in := lines{partials: func() []journal.Partial {
		return []journal.Partial{partial("a", 0, 5), partial("b", 10, 50), partial("c", 5, 65)}
	}}
	times := timesOf(items, in.unfinished(items))
	assert.Check(t, times.Wall == 90*time.Second && times.Busy == 145*time.Second,
		"wall %s, busy %s, want 90 s and 145 s", times.Wall, times.Busy)
}
