package stats

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// BootstrapReplicates is how many resamples a comparison draws.
const BootstrapReplicates = 10_000

// Bootstrap draws replicates resamples of n units with replacement and returns statistic of each, in order. statistic
// gets the drawn units' numbers (0 … n−1, n of them) in a slice that it must not keep, and is called from several
// goroutines at once. Each replicate has a generator of its own, seeded with (seed, replicate), so the result does not
// depend on how many cores there are. Source: Efron 1979, Ann. Statist. 7:1; units are whole questions, so that the items of
// a question stay together.
//
// Note: a unit is drawn by multiply-and-shift from 32 random bits, whose bias, n/2³² at most, is far below the noise of
// any number of replicates that one would wait for.
func Bootstrap(n, replicates int, seed uint64, statistic func(units []int32) float64) []float64 {
	if n <= 0 || replicates <= 0 {
		return nil
	}
	results := make([]float64, replicates)
	workers := min(runtime.GOMAXPROCS(0), replicates)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			units := make([]int32, n)
			for replicate := worker; replicate < replicates; replicate += workers {
				draw(units, rand.NewPCG(seed, uint64(replicate)))
				results[replicate] = statistic(units)
			}
		})
	}
	group.Wait()
	return results
}

// draw fills units with random numbers below len(units), two from each 64 bits.
func draw(units []int32, source *rand.PCG) {
	n := uint64(len(units))
	for i := 0; i < len(units); i += 2 {
		bits := source.Uint64()
		units[i] = int32((bits >> 32) * n >> 32)
		if i+1 < len(units) {
			units[i+1] = int32((bits & 0xffffffff) * n >> 32)
		}
	}
}

// ReplicatesP is the two-sided bootstrap p-value of "the true value is 0": twice the smaller of the shares of replicates
// at or below 0 and at or above 0, counting one more of each so that it is never 0, at most 1. It goes with the
// percentile interval: p < α about when the 1−α interval leaves out 0. Source: Efron and Tibshirani 1993, §15.4; Davison
// and Hinkley 1997, eq. 4.11 for the one more. Undefined without replicates that are finite.
func ReplicatesP(replicates []float64) Number {
	atMost, atLeast, finite := 1, 1, 1
	for _, x := range replicates {
		if !Of(x).Defined() {
			continue
		}
		finite++
		if x <= 0 {
			atMost++
		}
		if x >= 0 {
			atLeast++
		}
	}
	if finite == 1 {
		return Undefined
	}
	return Of(min(1, 2*float64(min(atMost, atLeast))/float64(finite)))
}

// Percentiles is the bootstrap's percentile interval around value: the (1−c)/2 and (1+c)/2 quantiles of the replicates, with
// their standard deviation as SE. Replicates that are not finite (a statistic undefined on a resample) are left out, and
// said when there are any. Source: Efron and Tibshirani 1993, ch. 13.
func Percentiles(value float64, replicates []float64, confidence float64) Estimate {
	finite := slices.DeleteFunc(slices.Clone(replicates), func(x float64) bool { return !Of(x).Defined() })
	estimate := Estimate{Value: Of(value)}
	if len(finite) < 2 {
		return estimate
	}
	if len(finite) < len(replicates) {
		estimate.Warnings = []string{"some resamples had no value and are left out"}
	}
	slices.Sort(finite)
	_, variance := moments(finite)
	estimate.SE = Of(math.Sqrt(variance))
	tail := (1 - confidence) / 2
	estimate.Interval = between(quantileSorted(finite, tail), quantileSorted(finite, 1-tail), math.Inf(-1), math.Inf(1), confidence,
		"bootstrap")
	return estimate
}
