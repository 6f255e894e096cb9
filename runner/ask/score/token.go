package score

import (
	"math"

	"proctor/backends"
)

// A token is one place of a completion: what the model says of it, and the reference where there is one.
type token struct {
	logprob float64 // of the completion's token

	base    float64 // the same by the reference
	kld     float64 // D(reference ‖ model) in nat, or what is known of it
	same    bool    // both have the same likeliest token
	entropy float64 // of the reference, in nat
}

// tokenOf sets a prediction beside the reference's: beside its own where two models read, else beside what was kept.
func tokenOf(p backends.Prediction, kept *backends.Prediction) token {
	t := token{logprob: p.Logprob}
	switch {
	case p.Reference != nil:
		t.base, t.kld, t.entropy = p.Reference.Logprob, max(0, p.Reference.KLD), p.Reference.Entropy
		t.same = p.Reference.Top == p.Top[0].Token
	case kept != nil:
		t.base, t.kld, t.entropy = kept.Logprob, bound(kept, p.Asked), kept.Entropy
		t.same = kept.Top[0].Token == p.Top[0].Token
	}
	return t
}

// deltaP is how much likelier the completion's token is to the model than to the reference.
func (t token) deltaP() float64 { return math.Exp(t.logprob) - math.Exp(t.base) }

// least stands for a probability that rounding left nothing of.
const least = 1e-30

// bound is the divergence of the model from what was kept of the reference, where all tokens that were not kept count as one.
// asked begins with the model's logarithms of the kept ones. What was kept is exact to [logprobs.Precision], so its masses are
// scaled to 1: an error of theirs then counts by its square.
func bound(kept *backends.Prediction, asked []float64) float64 {
	rest := math.Exp(kept.Rest)
	mass := rest
	for _, likely := range kept.Top {
		mass += math.Exp(likely.Logprob)
	}
	sum, restOfModel := 0.0, 1.0
	for i, likely := range kept.Top {
		ln := likely.Logprob - math.Log(mass)
		sum += math.Exp(ln) * (ln - asked[i])
		restOfModel -= math.Exp(asked[i])
	}
	if rest > 0 {
		sum += rest / mass * (math.Log(rest/mass) - math.Log(max(restOfModel, least)))
	}
	return max(0, sum)
}
