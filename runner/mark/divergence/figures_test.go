package divergence

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// softmax are the logarithms of made-up probabilities.
func softmax(random *rand.Rand, n int, peak float64) []float64 {
	all, mass := make([]float64, n), 0.0
	for i := range all {
		all[i] = peak * random.NormFloat64()
		mass += math.Exp(all[i])
	}
	for i := range all {
		all[i] -= math.Log(mass)
	}
	return all
}

// keptOf is what would be kept of a distribution.
func keptOf(p []float64, top int) *backends.Prediction {
	order := make([]int32, len(p))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(p[b], p[a]) })
	kept, rest := &backends.Prediction{}, 0.0
	for i, token := range order {
		if i < top {
			kept.Top = append(kept.Top, backends.Logprob{Token: token, Logprob: p[token]})
		} else {
			rest += math.Exp(p[token])
		}
	}
	kept.Rest = math.Log(rest)
	return kept
}

func TestTheLowerBoundIsTheDivergenceOfWhatWasKept(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := 65 + random.IntN(300)
		p, q := softmax(random, n, 1+4*random.Float64()), softmax(random, n, 1+4*random.Float64())
		kept, whole, some, restP, restQ := keptOf(p, 64), 0.0, 0.0, 0.0, 0.0
		for i := range p {
			term := math.Exp(p[i]) * (p[i] - q[i])
			whole += term
			if slices.ContainsFunc(kept.Top, func(l backends.Logprob) bool { return int(l.Token) == i }) {
				some += term
			} else {
				restP, restQ = restP+math.Exp(p[i]), restQ+math.Exp(q[i])
			}
		}
		some += restP * math.Log(restP/restQ)
		var logprobs, itself []float64
		for _, l := range kept.Top {
			logprobs, itself = append(logprobs, q[l.Token]), append(itself, p[l.Token])
		}
		got := bound(kept, logprobs)
		assert.Assert(t, math.Abs(got-some) <= 1e-9 && got <= whole+1e-12, "%d tokens: %g, want %g, of %g", n, got, some,
			whole)
		// What was kept is not exact: an error of its logarithms counts by its square.
		for i := range kept.Top {
			kept.Top[i].Logprob += 4e-6 * (random.Float64() - 0.5)
		}
		got = bound(kept, itself)
		assert.Assert(t, got <= 1e-10, "%d tokens: %g from itself", n, got)
	}
	// Where the model leaves nothing for the other tokens, the bound is large and no infinity.
	got := bound(&backends.Prediction{Top: []backends.Logprob{{Logprob: math.Log(0.5)}}, Rest: math.Log(0.5)},
		[]float64{0})
	assert.Check(t, got >= 10 && !math.IsInf(got, 0), "%g", got)
}

// made is an item of a question whose tokens have these divergences.
func made(subject string, question int, klds ...float64) *Reading {
	it := &Reading{Item: &results.Item{Record: journal.Record{ID: "x", Subject: subject, QuestionID: question}}}
	for i, k := range klds {
		it.Tokens = append(it.Tokens, Token{logprob: -1 - k, base: -1, kld: k, same: k < 1, entropy: float64(i)})
	}
	return it
}

func TestFiguresAreThoseOfTheTokens(t *testing.T) {
	items := []*Reading{made("a", 1, 0.1, 0.3), made("a", 1, 0.2), made("a", 2, 0.4, 2, 0), made("b", 1, 1.5, 0.5)}
	items[0].Gold, items[0].GoldBase = stats.Of(-1), stats.Of(-1.5)
	items[2].Gold = stats.Of(-3)
	f := figuresOf(items, true, 0.95)
	delta, squares := 0.0, 0.0
	for _, k := range []float64{0.1, 0.3, 0.2, 0.4, 2, 0, 1.5, 0.5} {
		d := math.Exp(-1-k) - math.Exp(-1)
		delta, squares = delta+d/8, squares+d*d/8
	}
	for name, figure := range map[string][2]float64{
		"mean": {f.MeanKLD.Or(-1), 5.0 / 8}, "median": {f.MedianKLD.Or(-1), 0.35}, "maximum": {f.MaxKLD.Or(-1), 2},
		"99 %": {f.P99KLD.Or(-1), 2 - 0.07*0.5}, "a question": {f.KLDQuestion.Or(-1), 5.0 / 3},
		"same top": {f.SameTop.Or(-1), 0.75},
		"Δp":       {f.MeanDeltaP.Or(-9), delta}, "RMS Δp": {f.RMSDeltaP.Or(-1), math.Sqrt(squares)},
		"PPL": {f.PPL.Or(-1), math.Exp(1 + 5.0/8)}, "PPL(base)": {f.PPLBase.Or(-1), math.E},
		"ratio":   {f.PPLRatio.Or(-1), math.Exp(5.0 / 8)},
		"parting": {f.ItemsParting.Or(-1), 0.5}, "first": {f.FirstParting.Or(-1), 1.5}, "entropy": {f.EntropyThere.Or(-1),
			0.5},
		"gold": {f.GoldLogprob.Or(1), -2}, "gold's change": {f.GoldChange.Or(9), 0.5},
	} {
		assert.Check(t, math.Abs(figure[0]-figure[1]) <= 1e-12, "%s is %.15g, want %.15g", name, figure[0], figure[1])
	}
	assert.Check(t, f.Tokens == 8 && f.Items == 4 && f.Questions == 3 && f.GoldItems == 2,
		"%d tokens of %d items of %d questions, %d gold letters", f.Tokens, f.Items, f.Questions, f.GoldItems)
	alone := figuresOf(items, false, 0.95)
	assert.Check(t, !alone.MeanKLD.Defined() && alone.PPL.Defined() && !alone.PPLBase.Defined(),
		"without a reference: %+v", alone)
}

// Divergences of a question's tokens hang together and are skewed: a question has a level of its own, and a length.
func TestIntervalsByQuestionCoverTheMeanDivergence(t *testing.T) {
	const rounds, each = 500, 100
	random := rand.New(rand.NewPCG(7, 7))
	draw := func() []float64 {
		level, klds := math.Exp(-6+0.5*random.NormFloat64()), make([]float64, 5+random.IntN(40))
		for i := range klds {
			klds[i] = level * random.ExpFloat64()
		}
		return klds
	}
	truth := math.Exp(-6 + 0.125) // a token's mean, which a question's length says nothing of
	covered, byToken := 0, 0
	for range rounds {
		var items []*Reading
		var all []float64
		for q := range each {
			klds := draw()
			items, all = append(items, made("s", q, klds...)), append(all, klds...)
		}
		f := figuresOf(items, true, 0.95)
		if f.MeanKLDCI.Low <= truth && truth <= f.MeanKLDCI.High {
			covered++
		}
		mean, deviation := stats.Spread(all)
		if reach := 1.96 * deviation.Or(0) / math.Sqrt(float64(len(all))); math.Abs(mean.Or(0)-truth) <= reach {
			byToken++
		}
	}
	share, naive := float64(covered)/rounds, float64(byToken)/rounds
	assert.Check(t, share >= 0.93 && share <= 0.97 && naive <= 0.8, "by question %.3f, by token %.3f", share, naive)
}

// TestTokensAreCountedWhereTheyStand has two completions of 100 tokens, behind 200 and 1,000, the second with another
// divergence from its 25th token on.
func TestTokensAreCountedWhereTheyStand(t *testing.T) {
	var items []*Reading
	for q, prompt := range []int{200, 1000} {
		klds := slices.Repeat([]float64{0.25}, 100)
		for i := max(0, 1024-prompt); i < len(klds); i++ {
			klds[i] = 0.5
		}
		it := made("law", q, klds...)
		it.Usage.PromptTokens = prompt
		items = append(items, it)
	}
	type stretch struct {
		from, to, items, tokens int
		kld                     float64
	}
	want := []stretch{{0, 255, 1, 56, 0.25}, {256, 511, 1, 44, 0.25}, {512, 1023, 1, 24, 0.25}, {1024, 2047, 1, 76, 0.5}}
	got := byContext(items, true, 0.95)
	assert.Assert(t, len(got) == len(want), "%d stretches, want %d", len(got), len(want))
	for i, c := range got {
		assert.Check(t, is.Equal((stretch{c.From, c.To, c.Items, c.Tokens, c.MeanKLD.Or(-1)}), want[i]))
	}
	items[0].Usage.PromptTokens = 0
	assert.Check(t, byContext(items, true, 0.95) == nil, "where a prompt's tokens are not known, no context is")
	few := &Reading{Item: items[1].Item, Tokens: items[1].Tokens[:5]}
	assert.Check(t, byContext(items[1:], false, 0.95) != nil &&
		byContext([]*Reading{few}, false, 0.95) == nil, "of one stretch is no table")
}
