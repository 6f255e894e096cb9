package adaptive

import "math"

// A belief is what the model of flips is taken for before any question is known: logistic, level + slope·doubt, and apart where the
// reference is wrong. Each of the three is normal, with a mean and a standard deviation.
type belief struct{ mean, spread [3]float64 }

// believed holds of most pairs: few answers flip, and doubt tells of them.
var believed = belief{[...]float64{-4, 1.5, 0}, [...]float64{1.5, 1, 1}}

// pull is how many questions of a stratum the model's share counts for beside those that are known: it is right about the order of
// strata, and not about each.
const pull = 10

// expect is the share of each stratum's questions that is expected to flip: the model with the highest posterior density, by
// Newton's steps, drawn towards what each stratum itself shows.
func expect(strata []Stratum, learnt []learnt, by belief) []float64 {
	at, shares := by.mean, make([]float64, len(strata))
	for range 12 {
		var slope [3]float64
		var curve [3][3]float64
		for j := range at {
			precision := 1 / by.spread[j] / by.spread[j]
			slope[j], curve[j][j] = (by.mean[j]-at[j])*precision, precision
		}
		for h := range strata {
			x, p := features(&strata[h]), modelled(&strata[h], at)
			for j := range at {
				slope[j] += x[j] * (learnt[h].flips - learnt[h].known*p)
				for k := range at {
					curve[j][k] += x[j] * x[k] * learnt[h].known * p * (1 - p)
				}
			}
		}
		step := solve(curve, slope)
		for j := range at {
			at[j] += max(-1, min(1, step[j]))
		}
	}
	for h := range strata {
		p := (learnt[h].flips + pull*modelled(&strata[h], at)) / (learnt[h].known + pull)
		shares[h] = max(0.0005, min(0.9, p))
	}
	return shares
}

func features(s *Stratum) [3]float64 {
	if s.Right {
		return [...]float64{1, s.Doubt, 0}
	}
	return [...]float64{1, s.Doubt, 1}
}

// modelled is a stratum's share by the model alone.
func modelled(s *Stratum, at [3]float64) float64 {
	x := features(s)
	return 1 / (1 + math.Exp(-at[0]*x[0]-at[1]*x[1]-at[2]*x[2]))
}

// solve solves a·x = b for a positive definite a, by elimination.
func solve(a [3][3]float64, b [3]float64) (x [3]float64) {
	for i := range b {
		for j := i + 1; j < len(b); j++ {
			f := a[j][i] / a[i][i]
			for k := i; k < len(b); k++ {
				a[j][k] -= f * a[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	for i := len(b) - 1; i >= 0; i-- {
		x[i] = b[i]
		for k := i + 1; k < len(b); k++ {
			x[i] -= a[i][k] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x
}
