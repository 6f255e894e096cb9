package divergence

import (
	"math"
	"slices"

	"proctor/backends"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A Distance is how far a model is from the reference, by what it predicts. Divergences are in nat a token.
type Distance struct {
	Tokens    int            `json:"tokens"`
	Questions int            `json:"questions"`
	MeanKLD   stats.Number   `json:"mean_kld,omitzero"`
	MeanKLDCI stats.Interval `json:"mean_kld_ci,omitzero"`
	P99KLD    stats.Number   `json:"p99_kld,omitzero"`
	SameTop   stats.Number   `json:"same_top,omitzero"` // share of the places where both have the same likeliest token
	SameTopCI stats.Interval `json:"same_top_ci,omitzero"`
}

// Figures are those of some of the tokens, under llama-perplexity's names. Divergences are in nat; probabilities, and their
// differences, are of the completions' own tokens, from 0 to 1.
type Figures struct {
	Distance
	Items       int            `json:"items"`
	MedianKLD   stats.Number   `json:"median_kld,omitzero"`
	MaxKLD      stats.Number   `json:"max_kld,omitzero"`
	KLDQuestion stats.Number   `json:"kld_per_question,omitzero"` // of all tokens of a question, on average
	KLDQuestCI  stats.Interval `json:"kld_per_question_ci,omitzero"`

	MeanDeltaP   stats.Number   `json:"mean_delta_p,omitzero"` // the model's less the reference's
	MeanDeltaPCI stats.Interval `json:"mean_delta_p_ci,omitzero"`
	RMSDeltaP    stats.Number   `json:"rms_delta_p,omitzero"`
	RMSDeltaPCI  stats.Interval `json:"rms_delta_p_ci,omitzero"`

	PPL        stats.Number   `json:"ppl,omitzero"` // perplexity of the completions
	PPLCI      stats.Interval `json:"ppl_ci,omitzero"`
	PPLBase    stats.Number   `json:"ppl_base,omitzero"` // by the reference
	PPLRatio   stats.Number   `json:"ppl_ratio,omitzero"`
	PPLRatioCI stats.Interval `json:"ppl_ratio_ci,omitzero"`

	// Where greedy completions would diverge: the share of items in which the likeliest tokens differ anywhere, and for those the
	// median position of the first such token, from 1, and the reference's mean entropy there, in nat.
	ItemsParting stats.Number `json:"items_parting,omitzero"` // share
	FirstParting stats.Number `json:"first_parting,omitzero"`
	EntropyThere stats.Number `json:"first_parting_entropy,omitzero"`

	// The mean logarithm of the gold letter's probability at the answer's place, over the items where it is known; for the change,
	// where the reference's is known, too.
	GoldItems    int            `json:"gold_items,omitempty"`
	GoldLogprob  stats.Number   `json:"gold_logprob,omitzero"`
	GoldChange   stats.Number   `json:"gold_logprob_change,omitzero"`
	GoldChangeCI stats.Interval `json:"gold_logprob_change_ci,omitzero"`
}

// The totals of a question's tokens that figures are made of.
const (
	tokens = iota
	questions
	kld
	same
	deltaP
	squaredDeltaP
	logprob
	base
	gain // logprob less base
	goldItems
	goldLogprob
	goldPairs
	goldGain
	columns
)

// A Reading is a completion with the log-probabilities that a model gives its tokens.
type Reading struct {
	*results.Item
	Tokens []Token
	// The logarithm of the gold letter's probability at the answer's place, and the reference's; undefined where unknown.
	Gold, GoldBase stats.Number
}

// A Token is one place of a completion, with the model's values, and the reference's where there is one.
type Token struct {
	logprob float64 // of the completion's token

	base    float64 // the same by the reference
	kld     float64 // lower bound of D(reference ‖ model), in nat
	same    bool    // both have the same likeliest token
	entropy float64 // of the reference, in nat
}

// TokenOf compares a prediction with the kept one of the reference; nil where there is none.
func TokenOf(p backends.Prediction, kept *backends.Prediction) Token {
	t := Token{logprob: p.Logprob}
	if kept != nil {
		t.base, t.kld, t.entropy = kept.Logprob, bound(kept, p.AskLogprobs), kept.Entropy
		t.same = kept.Top[0].Token == p.Top[0].Token
	}
	return t
}

// least replaces a probability that rounding made 0.
const least = 1e-30

// bound is a lower bound for the divergence of the model from the kept predictions of the reference, with all tokens
// that were not kept counted as one. modelLogprobs begins with the model's logarithms for the kept tokens. Kept values
// are exact to [logprobs.Precision], so their masses are scaled to 1: an error then counts by its square.
func bound(kept *backends.Prediction, modelLogprobs []float64) float64 {
	rest := math.Exp(kept.Rest)
	mass := rest
	for _, likely := range kept.Top {
		mass += math.Exp(likely.Logprob)
	}
	sum, restOfModel := 0.0, 1.0
	for i, likely := range kept.Top {
		ln := likely.Logprob - math.Log(mass)
		sum += math.Exp(ln) * (ln - modelLogprobs[i])
		restOfModel -= math.Exp(modelLogprobs[i])
	}
	if rest > 0 {
		sum += rest / mass * (math.Log(rest/mass) - math.Log(max(restOfModel, least)))
	}
	return max(0, sum)
}

// totalsOf adds up a question's tokens.
func totalsOf(items []*Reading) []float64 {
	x := make([]float64, columns)
	x[questions] = 1
	for _, it := range items {
		for _, t := range it.Tokens {
			change := math.Exp(t.logprob) - math.Exp(t.base)
			x[tokens]++
			x[kld] += t.kld
			x[deltaP] += change
			x[squaredDeltaP] += change * change
			x[logprob] += t.logprob
			x[base] += t.base
			x[gain] += t.logprob - t.base
			if t.same {
				x[same]++
			}
		}
		if gold, known := it.Gold.Get(); known {
			x[goldItems]++
			x[goldLogprob] += gold
			if base, known := it.GoldBase.Get(); known {
				x[goldPairs]++
				x[goldGain] += gold - base
			}
		}
	}
	return x
}

// ratio is f of the ratio of two totals; slope is f's derivative.
func ratio(of, by int, f, slope func(float64) float64) stats.Statistic {
	return func(x []float64) (float64, []float64) {
		r := x[of] / x[by]
		gradient := make([]float64, columns)
		gradient[of], gradient[by] = slope(r)/x[by], -slope(r)*r/x[by]
		return f(r), gradient
	}
}

func plain(of, by int) stats.Statistic {
	return ratio(of, by, func(r float64) float64 { return r }, func(float64) float64 { return 1 })
}

// exponential is exp(sign·r).
func exponential(of int, sign float64) stats.Statistic {
	f := func(r float64) float64 { return math.Exp(sign * r) }
	return ratio(of, tokens, f, func(r float64) float64 { return sign * f(r) })
}

func root(of int) stats.Statistic {
	return ratio(of, tokens, math.Sqrt, func(r float64) float64 { return 0.5 / math.Sqrt(r) })
}

// figuresOf computes the figures of some items, sorted by subject and question.
func figuresOf(items []*Reading, reference bool, confidence float64) Figures {
	var samples []stats.Sample
	f := Figures{Items: len(items)}
	for subject := range results.Groups(items, func(a, b *Reading) bool { return a.Subject == b.Subject }) {
		var sample stats.Sample
		for question := range results.Groups(subject, func(a, b *Reading) bool {
			return results.SameQuestion(a.Item,
				b.Item)
		}) {
			sample = append(sample, totalsOf(question))
			f.Questions++
		}
		samples = append(samples, sample)
	}
	estimate := func(s stats.Statistic, floor, ceiling float64) (stats.Number, stats.Interval) {
		e := stats.OfTotals(samples, s, floor, ceiling, confidence)
		return e.Value, e.Interval
	}
	infinite := math.Inf(1)
	f.PPL, f.PPLCI = estimate(exponential(logprob, -1), 1, infinite)
	f.GoldLogprob, _ = estimate(plain(goldLogprob, goldItems), -infinite, 0)
	for _, sample := range samples {
		for _, x := range sample {
			f.Tokens += int(x[tokens])
			f.GoldItems += int(x[goldItems])
		}
	}
	if !reference {
		return f
	}
	f.MeanKLD, f.MeanKLDCI = estimate(plain(kld, tokens), 0, infinite)
	f.KLDQuestion, f.KLDQuestCI = estimate(plain(kld, questions), 0, infinite)
	f.SameTop, f.SameTopCI = estimate(plain(same, tokens), 0, 1)
	f.MeanDeltaP, f.MeanDeltaPCI = estimate(plain(deltaP, tokens), -infinite, infinite)
	f.RMSDeltaP, f.RMSDeltaPCI = estimate(root(squaredDeltaP), 0, infinite)
	f.PPLBase, _ = estimate(exponential(base, -1), 1, infinite)
	f.PPLRatio, f.PPLRatioCI = estimate(exponential(gain, -1), 0, infinite)
	f.GoldChange, f.GoldChangeCI = estimate(plain(goldGain, goldPairs), -infinite, infinite)
	var klds, firsts, entropies []float64
	for _, it := range items {
		for _, t := range it.Tokens {
			klds = append(klds, t.kld)
		}
		if i := slices.IndexFunc(it.Tokens, func(t Token) bool { return !t.same }); i >= 0 {
			firsts = append(firsts, float64(i+1))
			entropies = append(entropies, it.Tokens[i].entropy)
		}
	}
	slices.Sort(klds)
	f.MedianKLD, f.P99KLD, f.MaxKLD = stats.Quantile(klds, 0.5), stats.Quantile(klds, 0.99), stats.Quantile(klds, 1)
	f.ItemsParting, f.FirstParting = stats.Ratio(len(firsts), len(items)), stats.Quantile(firsts, 0.5)
	f.EntropyThere, _ = stats.Spread(entropies)
	return f
}

// A Context has the figures of the tokens with From to To tokens before them: the prompt and the completion so far.
type Context struct {
	From int `json:"from"` // tokens
	To   int `json:"to"`
	Figures
}

// leastContext is the end of the first range of contexts; each later range is as long as all before it.
const leastContext = 256

// byContext groups the figures by the length of the context; none where it is unknown, or all tokens are in one group.
func byContext(items []*Reading, reference bool, confidence float64) []Context {
	behind := func(it *Reading, i int) int { return it.Usage.PromptTokens + i }
	longest := 0
	for _, it := range items {
		if it.Usage.PromptTokens == 0 {
			return nil
		}
		longest = max(longest, behind(it, len(it.Tokens)-1))
	}
	var all []Context
	for from, to := 0, leastContext; from <= longest; from, to = to, 2*to {
		var some []*Reading
		for _, it := range items {
			part := Reading{Item: it.Item}
			for i, t := range it.Tokens {
				if at := behind(it, i); at >= from && at < to {
					part.Tokens = append(part.Tokens, t)
				}
			}
			if len(part.Tokens) > 0 {
				some = append(some, &part)
			}
		}
		if len(some) > 0 {
			all = append(all, Context{from, to - 1, figuresOf(some, reference, confidence)})
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}
