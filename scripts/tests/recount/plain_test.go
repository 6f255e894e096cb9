package recount

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

func meanOf(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// varianceOf is the unbiased variance.
func varianceOf(xs []float64) float64 {
	squares, mean := 0.0, meanOf(xs)
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	return squares / float64(len(xs)-1)
}

const z95 = 1.959963984540054

// wilson is the interval of a share of a number of questions, which need not be whole.
func (r *plainRun) wilson(path string, p, n float64) {
	if n <= 0 || math.IsNaN(p) {
		return
	}
	t := trial{value: p, size: n}
	r.trials[path] = t
	if low, high := t.ends(z95); high-low <= 0.95 { // else it says nothing
		r.bounds(path, low, high, 0)
	}
}

func (r *plainRun) bounds(path string, low, high, floor float64) {
	r.want[path+".low"], r.want[path+".high"], r.want[path+".confidence"] = max(floor, low), min(1, high), 0.95
}

func (r *plainRun) put(path string, x float64) {
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		r.want[path] = x
	}
}

// A unit is a question's totals, in a subject.
type unit struct {
	subject string
	x       []float64
}

// linear estimates f of the units' totals: its slope is taken by small steps. macro takes the mean of the subjects' values instead.
func (r *plainRun) linear(value, se, ci string, units []unit, f func([]float64) float64, floor float64, macro bool) {
	if len(units) == 0 {
		return
	}
	at := map[string][]unit{}
	for _, u := range units {
		if !macro {
			u.subject = "" // questions of any subject are drawn alike
		}
		at[u.subject] = append(at[u.subject], u)
	}
	sum := func(units []unit, into []float64) []float64 {
		for _, u := range units {
			for i := range u.x {
				into[i] += u.x[i]
			}
		}
		return into
	}
	slope := func(t []float64, x []float64) float64 {
		z := 0.0
		for i := range t {
			up, down, h := slices.Clone(t), slices.Clone(t), 1e-5*max(1, math.Abs(t[i]))
			up[i], down[i] = up[i]+h, down[i]-h
			z += (f(up) - f(down)) / (2 * h) * x[i]
		}
		return z
	}
	all := make([]float64, len(units[0].x))
	result, defined := 0.0, 0.0
	for _, units := range at {
		sum(units, all)
		if own := f(sum(units, make([]float64, len(all)))); macro && !math.IsNaN(own) {
			result, defined = result+own, defined+1
		}
	}
	weight := 1.0
	if !macro {
		result = f(all)
	} else {
		weight = 1 / defined
		result /= defined
	}
	r.put(value, result)
	variance, freedom, n := 0.0, 0.0, 0.0
	counted, heavy := 0.0, 0.0 // the questions' weights, and the squares of those
	influences, every, around := map[string][]float64{}, []float64(nil), []float64(nil)
	for subject, units := range at {
		t := all
		if macro {
			if t = sum(units, make([]float64, len(all))); math.IsNaN(f(t)) {
				continue
			}
		}
		for _, u := range units {
			z := slope(t, u.x)
			influences[subject], every = append(influences[subject], z), append(every, z)
			around = append(around, slope(all, u.x))
		}
	}
	for _, z := range influences {
		k, spread := float64(len(z)), varianceOf(z)
		if len(z) == 1 {
			if spread = varianceOf(every); macro { // around the value of all
				spread = math.Pow(float64(len(units)), 2) * varianceOf(around)
			}
		}
		variance += weight * weight * k * spread
		freedom, n = freedom+k-1, n+k
		each := weight
		if macro {
			each /= k
		}
		counted, heavy = counted+each*k, heavy+each*each*k
	}
	if n < 2 || math.IsNaN(result) {
		return
	}
	if freedom == 0 { // the variance is that of all
		freedom = n - 1
	}
	student, standardError := distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(0.975), math.Sqrt(variance)
	if variance < 1e-15 {
		standardError = 0
	}
	r.put(se, standardError)
	if math.IsInf(floor, -1) {
		if standardError > 0 {
			r.bounds(ci, result-student*standardError, result+student*standardError, floor)
		}
		return
	}
	// As a share of the way from floor to 1, of as many independent questions, each 0 or 1, as have that error.
	place, size := (result-floor)/(1-floor), counted*counted/heavy
	if spread := place * (1 - place); standardError > 0 && spread > 0 {
		size = spread * math.Pow((1-floor)/standardError*z95/student, 2)
	}
	r.wilson(ci, place, size)
	if _, has := r.want[ci+".low"]; has && floor < 0 {
		r.bounds(ci, floor+r.want[ci+".low"]*(1-floor), floor+r.want[ci+".high"]*(1-floor), floor)
	}
	r.trials[ci] = trial{value: result, size: size, error: standardError}
}

func ratio(t []float64) float64 { return t[0] / t[1] }

// ratios are a total and another one of each question that has any of the items.
func ratios(items []*plainItem, what, of func(*plainItem) float64) (units []unit) {
	for _, question := range by(items, questionOf) {
		units = append(units, unit{question[0].Subject, []float64{total(question, what), total(question, of)}})
	}
	return units
}

// strata is the mean of the subjects' mean scores.
func (r *plainRun) strata(value, se, ci string, scores map[string][]float64) {
	all, w := []float64(nil), 1/float64(len(scores))
	for _, xs := range scores {
		all = append(all, xs...)
	}
	if len(all) == 0 {
		return
	}
	mean, square, variance, kish := 0.0, 0.0, 0.0, 0.0
	own, lacking := 0.0, 0.0 // two of a subject's questions have the variance of all
	for _, xs := range scores {
		n, spread := float64(len(xs)), varianceOf(xs)
		if len(xs) == 1 {
			spread = varianceOf(all) * (float64(len(all)) - 1) / float64(len(all))
		}
		for _, x := range xs {
			mean, square = mean+w*x/n, square+w*x*x/n
		}
		variance, kish = variance+w*w*spread/n, kish+w*w/n
		k := max(n, 2)
		own, lacking = own+w*w/n*(k-2)*spread/k, lacking+w*w/n*2/k
	}
	r.put(value, mean)
	r.put(se, math.Sqrt(variance))
	effective := 1 / kish
	if spread := square - mean*mean; spread > 1e-12 && mean > 1e-12 && mean < 1-1e-12 {
		effective = mean * (1 - mean) / max(variance, own+lacking*spread)
	}
	r.wilson(ci, mean, effective)
}

// poissonBinomial is log10 P(X ≥ k): the coefficients of Π(1 − p + p·s·x) with an s that brings the k-th within reach.
func poissonBinomial(k int, chances []float64) float64 {
	possible := slices.DeleteFunc(slices.Clone(chances), func(p float64) bool { return p == 0 })
	if k <= 0 || len(possible) == 0 {
		return 0
	}
	chances = possible
	n, mean := float64(len(chances)), meanOf(chances)
	s := max(1, float64(k)*(1-mean)/max(0.5, n-float64(k))/mean)
	coefficients, scale := make([]float64, len(chances)+1), 0.0
	coefficients[0] = 1
	for done, p := range chances {
		norm := 1 - p + p*s
		for j := done + 1; j > 0; j-- {
			coefficients[j] = (coefficients[j]*(1-p) + coefficients[j-1]*p*s) / norm
		}
		coefficients[0] *= (1 - p) / norm
		scale += math.Log10(norm)
	}
	sum := 0.0
	for j := len(chances); j >= k; j-- {
		sum += coefficients[j] * math.Pow(s, float64(k-j))
	}
	return math.Log10(sum) + scale - float64(k)*math.Log10(s)
}
