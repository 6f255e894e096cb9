package score

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
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
		assert.Assert(t, math.Abs(got-some) <= 1e-9 && got <= whole+1e-12, "%d tokens: %g, want %g, of %g", n, got, some, whole)
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
func made(subject string, question int, klds ...float64) *scoredItem {
	it := &scoredItem{Item: &results.Item{Record: journal.Record{ID: "x", Subject: subject, QuestionID: question}}}
	for i, k := range klds {
		it.tokens = append(it.tokens, token{logprob: -1 - k, base: -1, kld: k, same: k < 1, entropy: float64(i)})
	}
	return it
}

func TestFiguresAreThoseOfTheTokens(t *testing.T) {
	items := []*scoredItem{made("a", 1, 0.1, 0.3), made("a", 1, 0.2), made("a", 2, 0.4, 2, 0), made("b", 1, 1.5, 0.5)}
	items[0].gold = gold{true, true, -1, -1.5}
	items[2].gold = gold{true, false, -3, 0}
	f := figuresOf(items, true, 0.95)
	delta, squares := 0.0, 0.0
	for _, k := range []float64{0.1, 0.3, 0.2, 0.4, 2, 0, 1.5, 0.5} {
		d := math.Exp(-1-k) - math.Exp(-1)
		delta, squares = delta+d/8, squares+d*d/8
	}
	for name, figure := range map[string][2]float64{
		"mean": {f.MeanKLD.Or(-1), 5.0 / 8}, "median": {f.MedianKLD.Or(-1), 0.35}, "maximum": {f.MaxKLD.Or(-1), 2},
		"99 %": {f.P99KLD.Or(-1), 2 - 0.07*0.5}, "a question": {f.KLDQuestion.Or(-1), 5.0 / 3}, "same top": {f.SameTop.Or(-1), 0.75},
		"Δp": {f.MeanDeltaP.Or(-9), delta}, "RMS Δp": {f.RMSDeltaP.Or(-1), math.Sqrt(squares)},
		"PPL": {f.PPL.Or(-1), math.Exp(1 + 5.0/8)}, "PPL(base)": {f.PPLBase.Or(-1), math.E},
		"ratio":   {f.PPLRatio.Or(-1), math.Exp(5.0 / 8)},
		"parting": {f.ItemsParting.Or(-1), 0.5}, "first": {f.FirstParting.Or(-1), 1.5}, "entropy": {f.EntropyThere.Or(-1), 0.5},
		"gold": {f.GoldLogprob.Or(1), -2}, "gold's change": {f.GoldChange.Or(9), 0.5},
	} {
		assert.Check(t, math.Abs(figure[0]-figure[1]) <= 1e-12, "%s is %.15g, want %.15g", name, figure[0], figure[1])
	}
	assert.Check(t, f.Tokens == 8 && f.Items == 4 && f.Questions == 3 && f.GoldItems == 2,
		"%d tokens of %d items of %d questions, %d gold letters", f.Tokens, f.Items, f.Questions, f.GoldItems)
	alone := figuresOf(items, false, 0.95)
	assert.Check(t, !alone.MeanKLD.Defined() && alone.PPL.Defined() && !alone.PPLBase.Defined(), "without a reference: %+v", alone)
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
		var items []*scoredItem
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

// syllables is a model whose tokens are given texts.
type syllables []string

func (s syllables) Piece(token int32) string { return s[token] }
func (s syllables) TokenOf(piece string) (int32, bool) {
	i := slices.Index(s, piece)
	return int32(i), i >= 0
}
func (s syllables) VocabularySHA256() string                        { return "" }
func (s syllables) Close() error                                    { return nil }
func (s syllables) Info(context.Context) (i backends.Info, _ error) { return i, nil }
func (s syllables) Generate(context.Context, iter.Seq[backends.Request], func(backends.Completion) error) error {
	return nil
}

// Tokenize takes the longest syllable each time.
func (s syllables) Tokenize(text string) (tokens []int32, _ error) {
	for text != "" {
		best := -1
		for i, piece := range s {
			if piece != "" && strings.HasPrefix(text, piece) && (best < 0 || len(piece) > len(s[best])) {
				best = i
			}
		}
		tokens, text = append(tokens, int32(best)), text[len(s[best]):]
	}
	return tokens, nil
}

func TestTheGoldLetterTakesThePlaceOfTheAnswersInItsToken(t *testing.T) {
	model := syllables{"the answer is", " (", "B", ")", "C", " (B", " (C", " B", " C", ".", "", "(D)", " is", "the", " answer"}
	for name, test := range map[string]struct {
		text, gold string
		extra      []int32
		want       letter
	}{
		"a letter of its own":           {"the answer is.C", "B", nil, letter{2, 2}},
		"with a space":                  {"the answer is B.", "C", nil, letter{1, 8}},
		"with a bracket":                {"the answer is (B).", "C", []int32{10}, letter{1, 6}},
		"before a stop string's tokens": {"the answer is B.", "C", []int32{0, 9}, letter{1, 8}},
		"no token for the gold letter":  {"the answer is B.", "D", nil, letter{at: -1}},
		"tokens that are another text":  {"the answer is B.", "C", []int32{0, 0}, letter{at: -1}},
		"behind what ends a completion": {"the answer is", "C", nil, letter{at: -1}},
	} {
		tokens, err := model.Tokenize(test.text)
		assert.NilError(t, err)
		if name == "tokens that are another text" {
			tokens = nil
		}
		it := answered(test.text, test.gold)
		const prompt = "Which? "
		got := goldLetter(model, it, len(prompt), spelt(model, append(tokens, test.extra...), prompt, test.text, false))
		assert.Check(t, got == test.want, "%s: %+v, want %+v", name, got, test.want)
	}
}

// answered is an item whose answer is the last B or C of a completion.
func answered(text, gold string) *results.Item {
	it := &results.Item{Record: journal.Record{Gold: gold}, Marks: []grade.Mark{{}}}
	if at := strings.LastIndexAny(text, "BC"); at >= 0 {
		it.Marks[0] = grade.Mark{Letter: text[at : at+1], At: grade.Span{Start: max(0, at-1), End: at + 1}}
	}
	return it
}

// TestWhatMergesWithThePromptIsReadAsOneText has prompts and completions meet inside a token.
func TestWhatMergesWithThePromptIsReadAsOneText(t *testing.T) {
	model := syllables{"a", ".", "..", ".\n\n", "\n", "The answer is", " (", "B", "C", ")", " (B", "? (B", "? (C", "? ", "?", ".\n", "\n\n"}
	for name, test := range map[string]struct {
		prompt, text string
		tokens       []int32
		replaces     int
		letter       letter
	}{
		"nothing merges":              {"a.", "The answer is (B).", []int32{5, 10, 9, 1}, 0, letter{-1, 0}},
		"a full stop":                 {"a.", ".The answer isB", []int32{2, 5, 7}, 1, letter{2, 8}},
		"an empty line":               {"a.", "\n\nThe answer isB.", []int32{3, 5, 7, 1}, 1, letter{2, 8}},
		"the other half of it":        {"a.\n", "\nThe answer isB.", []int32{3, 5, 7, 1}, 1, letter{2, 8}},
		"several of the prompt's own": {"a\n.\n", "\nB", []int32{3, 7}, 1, letter{1, 8}},
		"the letter itself":           {"a?", " (B", []int32{11}, 1, letter{0, 12}},
		"more than a token of both":   {"a? ", "(B", []int32{11}, 1, letter{0, 12}},
	} {
		forced, err := continuation(model, test.prompt, test.text)
		assert.NilError(t, err)
		assert.Check(t, slices.Equal(forced.Tokens, test.tokens) && forced.Replaces == test.replaces,
			"%s: %+v, want %v in place of %d", name, forced, test.tokens, test.replaces)
		prompt, err := model.Tokenize(test.prompt)
		assert.NilError(t, err)
		whole, err := model.Tokenize(test.prompt + test.text)
		assert.NilError(t, err)
		read := slices.Concat(prompt[:len(prompt)-forced.Replaces], forced.Tokens)
		assert.Check(t, slices.Equal(read, whole), "%s: %v is read, the text is %v", name, read, whole)
		got := goldLetter(model, answered(test.text, "C"), len(test.prompt), spelt(model, forced.Tokens, test.prompt, test.text, true))
		assert.Check(t, got.at == test.letter.at && (got.at < 0 || got == test.letter), "%s: %+v, %+v", name, got, test.letter)
	}
}

// TestTheEndSaysWhereTokensStand has tokenizers that add a space behind a prompt, or leave white space out there.
func TestTheEndSaysWhereTokensStand(t *testing.T) {
	model := syllables{"", " The answer is", "The answer is", "B", "C", "."}
	for _, text := range []string{"The answer isB.", "  The answer isB."} {
		for _, first := range []int32{1, 2} {
			s := spelt(model, []int32{first, 3, 5}, "<assistant>", text, true)
			got := goldLetter(model, answered(text, "C"), len("<assistant>"), s)
			assert.Check(t, got == (letter{1, 4}), "%q behind token %d: %+v", text, first, got)
		}
	}
}

// TestTokensAreCountedWhereTheyStand has two completions of 100 tokens, behind 200 and 1,000, the second with another divergence from
// its 25th token on.
func TestTokensAreCountedWhereTheyStand(t *testing.T) {
	var items []*scoredItem
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
	few := &scoredItem{Item: items[1].Item, tokens: items[1].tokens[:5]}
	assert.Check(t, byContext(items[1:], false, 0.95) != nil &&
		byContext([]*scoredItem{few}, false, 0.95) == nil, "of one stretch is no table")
}

func TestAScoreSaysWhatOtherProgramsDid(t *testing.T) {
	for share, said := range map[float64]bool{0.02: false, 0.55: true} {
		var out strings.Builder
		model := &Model{Others: backends.Load{Share: share, CPUs: 2, FewestThreads: 1, MostThreads: 2}}
		assert.NilError(t, Formats[0].Write(&out, &Score{Models: []*Model{model}}))
		got := strings.Join(strings.Fields(out.String()), " ")
		assert.Check(t, strings.Contains(got, "other programs 1.1 of 2 cores while it read; computed on 1 to 2 threads") == said,
			"beside a load of %g: %s", share, got)
	}
}

// Kernels differ about as much as Q8_0 does from F16: a divergence of what another's kernels computed says so.
func TestADivergenceOfOtherKernelsNamesTheirOwn(t *testing.T) {
	for name, test := range map[string]struct {
		run, model string
		says       bool
	}{
		"others": {"ggml", "proctor", true}, "the same": {"proctor", "proctor", false},
		"not told": {"", "proctor", false},
	} {
		s := &Score{Task: "mmlu_pro", Reference: &backends.ModelInfo{Ref: "f16.gguf"}, by: backends.EngineInfo{Kernels: test.run},
			Models: []*Model{{Method: lowerBound, Engine: backends.EngineInfo{Kernels: test.model}}}}
		var out bytes.Buffer
		assert.NilError(t, s.page().Text(&out))
		const says = "computed with ggml's kernels and is read with proctor's: differences below about 0.002 nat"
		assert.Check(t, strings.Contains(out.String(), says) == test.says, "%s: %s", name, &out)
	}
}
