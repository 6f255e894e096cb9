package budget

import (
	"cmp"
	"math"
	"slices"
)

// An observed length of a completion; for one that has not ended, a lower bound.
type observed struct {
	tokens int
	ended  bool
}

// A curve gives the share of completions that are longer than a number of tokens, estimated from ended and unfinished ones by Kaplan
// and Meier (Nonparametric estimation from incomplete observations, 1958). The mean of the ended ones alone would be too small, since
// the longest end last.
type curve struct {
	steps []step // by length
	last  int    // the longest that was observed
	most  int    // no completion is longer
	ended int    // completions that have
}

// A step is a length at which completions ended.
type step struct {
	at       int
	share    float64 // of the completions that are longer
	variance float64 // its term in Greenwood's formula
}

// survival is the curve of completions that are never longer than most.
func survival(all []observed, most int) curve {
	slices.SortFunc(all, func(a, b observed) int { return cmp.Compare(a.tokens, b.tokens) })
	c, share := curve{last: all[len(all)-1].tokens, most: most}, 1.0
	for i := 0; i < len(all); {
		at, ended, left := all[i].tokens, 0, len(all)-i
		for ; i < len(all) && all[i].tokens == at; i++ {
			if all[i].ended {
				ended++
			}
		}
		if ended > 0 {
			share *= 1 - float64(ended)/float64(left)
			c.steps = append(c.steps, step{at, share, float64(ended) / float64(left) / float64(max(1, left-ended))})
			c.ended += ended
		}
	}
	return c
}

// few is the number of ended completions below which their spread is not used.
const few = 5

// beyond estimates how many more tokens a completion gets that has the given number. Low assumes that none gets longer than the longest
// that was observed, High that all that are left get to the cap; both allow for the sampling error.
func (c curve) beyond(tokens int) Length {
	const quantile = 1.645 // 90 % are within
	least, spread := c.mean(tokens, min(c.most, max(c.last, tokens+1)))
	highest, more := c.mean(tokens, c.most)
	low, high := least-quantile*spread, highest+quantile*more
	if c.ended < few {
		low, high = min(low, least/2), max(high, 2*highest)
	}
	round := func(x float64) int { return int(max(1, min(float64(c.most-tokens), math.Round(x)))) }
	return Length{Tokens: round((least + highest) / 2), Low: round(low), High: round(high)}
}

// mean is the mean number of tokens between two lengths of completions that are longer than the first, and its standard error.
func (c curve) mean(from, to int) (mean, spread float64) {
	type piece struct {
		step
		area float64 // under the curve between the step and the end
	}
	share, at, start := 1.0, from, 1.0
	var pieces []piece
	for _, s := range c.steps {
		switch {
		case s.at <= from:
			share, start = s.share, s.share
		case s.at < to:
			pieces = append(pieces, piece{step: s})
		}
	}
	for i := range pieces {
		mean += share * float64(pieces[i].at-at)
		share, at = pieces[i].share, pieces[i].at
		pieces[i].area = mean
	}
	mean += share * float64(max(0, to-at))
	if start == 0 { // no completion got this far: assume that the cap ends them
		return float64(max(0, to-from)), 0
	}
	for _, p := range pieces {
		left := mean - p.area
		spread += left * left * p.variance
	}
	return mean / start, math.Sqrt(spread) / start
}
