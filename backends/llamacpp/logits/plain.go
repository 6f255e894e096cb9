package logits

import (
	"math"
	"slices"

	"proctor/backends"
)

// argmax is [Argmax] in Go.
func argmax(scores []float32) int32 {
	best, at := float32(math.Inf(-1)), None
	for i, score := range scores {
		if score <= best {
			continue
		}
		if score != score { // no number
			return None
		}
		best, at = score, int32(i)
	}
	if best > math.MaxFloat32 {
		return None
	}
	return at
}

// predictAll is [Predict] in Go.
func predictAll(places []Place, top int) []backends.Prediction {
	all := make([]backends.Prediction, len(places))
	for i, p := range places {
		all[i] = predict(p, min(top, len(p.Scores)))
	}
	return all
}

func predict(p Place, top int) backends.Prediction {
	q := distributionOf(p.Scores)
	prediction := backends.Prediction{
		Token: p.Token, Logprob: q.logprob(p.Scores[p.Token]), Entropy: q.entropy(), Rest: math.Inf(-1), AskLogprobs: q.logprobs(p.Scores, p.Ask),
	}
	rest := q.mass
	for _, token := range Likeliest(p.Scores, top) {
		prediction.Top = append(prediction.Top, backends.Logprob{Token: token, Logprob: q.logprob(p.Scores[token])})
		rest -= math.Exp(below(p.Scores[token], q.best))
	}
	if rest > 0 && top < len(p.Scores) {
		prediction.Rest = math.Log(rest) - math.Log(q.mass)
	}
	return prediction
}

// A distribution is, with x the distances from the best score, mass = sum exp(x) and moment = sum x·exp(x).
type distribution struct {
	best         float32
	mass, moment float64
}

func distributionOf(scores []float32) distribution {
	d := distribution{best: slices.Max(scores)}
	for _, score := range scores {
		x := below(score, d.best)
		e := math.Exp(x)
		d.mass += e
		d.moment += x * e
	}
	return d
}

// below is how far a score is below the best one; what is further below than exp can tell from 0 is no further.
func below(score, best float32) float64 { return float64(max(score, best-700)) - float64(best) }

func (d distribution) logprob(score float32) float64 { return below(score, d.best) - math.Log(d.mass) }

func (d distribution) logprobs(scores []float32, of []int32) []float64 {
	all := make([]float64, len(of))
	for i, token := range of {
		all[i] = d.logprob(scores[token])
	}
	return all
}

func (d distribution) entropy() float64 { return math.Log(d.mass) - d.moment/d.mass }

// Likeliest are the places of the largest scores, the largest first, of equals the first.
func Likeliest(scores []float32, n int) []int32 {
	if n == 0 {
		return nil
	}
	// keys that are sorted at a time, after which only larger scores than the n-th come into question
	room := max(2*n, 1024)
	keys, least := make([]uint64, 0, min(room, len(scores))), float32(math.Inf(-1))
	for place, score := range scores {
		if score <= least && len(keys) >= n {
			continue
		}
		if keys = append(keys, key(place, score)); len(keys) == room {
			slices.Sort(keys)
			keys = keys[:n]
			least = scores[uint32(keys[n-1])]
		}
	}
	slices.Sort(keys)
	top := make([]int32, min(n, len(keys)))
	for i := range top {
		top[i] = int32(keys[i])
	}
	return top
}

// key is a number by which places are sorted, the largest score first, of equals the first place, which its lower half
// is.
func key(place int, score float32) uint64 {
	bits := math.Float32bits(score + 0) // no -0
	if bits>>31 == 0 {
		bits = ^bits &^ (1 << 31)
	}
	return uint64(bits)<<32 | uint64(place)
}
