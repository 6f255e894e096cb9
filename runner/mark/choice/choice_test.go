package choice

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/mark/stats"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

func TestWishesAreRead(t *testing.T) {
	for list, want := range map[string]string{
		"decode>=20t/s, loss<=2pp, memory<=8GB": "decode>=20t/s,loss<=2pp,memory<=8GB",
		" prefill >= 200 ,size<=5 GiB":          "prefill>=200,size<=5 GiB",
		"kld<=0.02":                             "kld<=0.02",
	} {
		var w Wishes
		assert.NilError(t, w.Set(list), list)
		assert.DeepEqual(t, w.Texts(), []string{want})
	}
	for list, says := range map[string]string{
		"":                        `"" is no bound: write prefill>=200t/s, decode>=20t/s`,
		"decode>20":               `"decode>20" is no bound`,
		"decode=20t/s":            `"decode=20t/s" is no bound`,
		"speed>=20":               "speed is none of the figures: write prefill>=200t/s",
		"decode<=20t/s":           "decode has a bound on the other side: write decode>=20t/s",
		"loss>=2pp":               "loss has a bound on the other side: write loss<=2pp",
		"memory<=plenty":          "plenty is no bound of memory: write memory<=8GB",
		"memory<=0":               "0 is no bound of memory",
		"loss<=2pp,loss<=3pp":     "loss has two bounds",
		"decode>=20t/s,,loss<=1%": `"" is no bound`,
		"kld<=NaN":                "NaN is no bound of kld",
		"loss<=200pp":             "200pp is no bound of loss: write loss<=2pp",
	} {
		var w Wishes
		errortest.For(t, list, w.Set(list), says)
	}
	var none Wishes
	assert.Check(t, none.Texts() == nil && none.Loss(0.01) == 0.01 && wishes(t, "loss<=2pp").Loss(0.01) == 0.02)
}

func wishes(t *testing.T, list string) (w Wishes) {
	t.Helper()
	assert.NilError(t, w.Set(list))
	return w
}

// between is a figure whose interval has these ends.
func between(low, x, high float64) stats.Estimate {
	ci := stats.Interval{Low: low, High: high, Confidence: 0.95, Method: "order statistics"}
	return stats.Estimate{Value: stats.Of(x), Interval: ci}
}

// sure is a figure with an interval of no width.
func sure(x float64) stats.Estimate { return between(x, x, x) }

func TestAWishIsFailedByHowMuch(t *testing.T) {
	w := wishes(t, "prefill>=100,decode>=20t/s,memory<=8GB,size<=5GiB,kld<=0.02,loss<=2pp")
	measured := Candidate{
		Info:  backends.ModelInfo{SizeBytes: 6 << 30},
		Alone: Alone{Measured: true, Prefill: sure(90), Decode: sure(12.5), Memory: 9e9, Context: 4096},
		KLD:   &divergence.Distance{MeanKLD: stats.Of(0.03), MeanKLDCI: between(0.025, 0, 0.035).Interval},
	}
	broken := func(w Wishes, c *Candidate) []string { _, broken, _ := w.Judge(c); return broken }
	assert.DeepEqual(t, broken(w, &measured), []string{
		"prefill 90.0 t/s, wanted >=100", "decode 12.5 t/s, wanted >=20t/s", "memory 8.4 GiB, wanted <=8GB",
		"size 6.0 GiB, wanted <=5GiB", "kld at least 0.030000 (0.025000 to 0.035000), wanted <=0.02",
	})
	good := Candidate{
		Info:  backends.ModelInfo{SizeBytes: 5 << 30},
		Alone: Alone{Measured: true, Prefill: sure(100), Decode: sure(20), Memory: 8e9},
		KLD:   &divergence.Distance{MeanKLD: stats.Of(0.02), MeanKLDCI: sure(0.02).Interval},
	}
	kept, fails, undecided := w.Judge(&good)
	assert.Check(t, len(kept) == 5 && len(fails)+len(undecided) == 0, "bounds that are just kept: %q, %q, %q", kept,
		fails, undecided)
	kept, fails, undecided = w.Judge(&Candidate{})
	assert.Check(t, len(kept)+len(fails)+len(undecided) == 0, "what is not measured yet: %q, %q, %q", kept, fails,
		undecided)
	assert.DeepEqual(t, broken(wishes(t, "decode>=20t/s,kld<=1"), &Candidate{
		Info: backends.ModelInfo{SizeBytes: 1}, Alone: Alone{Measured: true, Why: "no tokens"}, NoKLD: "a server",
	}), []string{"decode is not known: no tokens", "kld is not known: a server"})
}

func TestABoundWithinTheIntervalIsUndecided(t *testing.T) {
	for name, test := range map[string]struct {
		list  string
		speed stats.Estimate
		share float64 // of the CPUs, that others took
		kld   stats.Estimate
		want  string
	}{
		"kept": {"decode>=20t/s", between(20, 22, 25), 0, stats.Estimate{}, "kept decode 22.0 t/s " +
			"(20.0 t/s to 25.0 t/s), wanted >=20t/s"},
		"kept on a busy machine": {"decode>=20t/s", between(20, 22, 25), 0.5, stats.Estimate{}, "kept decode 22.0"},
		"within": {"decode>=20t/s", between(18, 21, 25), 0, stats.Estimate{}, "undecided decode 21.0 " +
			"t/s (18.0 t/s to 25.0 t/s), wanted >=20t/s: undecided on this machine now"},
		"below": {"decode>=20t/s", between(11, 12, 15), 0, stats.Estimate{},
			"broken decode 12.0 t/s (11.0 t/s to 15.0 t/s), wanted >=20t/s"},
		"below, as others compute": {"decode>=20t/s", between(11, 12, 15), 0.3, stats.Estimate{}, "undecided decode 12.0"},
		"far below, beside others": {"decode>=20t/s", between(1, 2, 3), 0.5, stats.Estimate{}, "broken decode 2.0"},
		"too few to tell": {"decode>=20t/s", stats.Estimate{Value: stats.Of(30)}, 0, stats.Estimate{},
			"undecided decode 30.0 t/s, wanted >=20t/s: undecided, too little was measured"},
		"a divergence below": {"kld<=0.02", stats.Estimate{}, 0, between(0.01, 0.015, 0.02),
			"kept kld at least 0.015000 (0.010000 to 0.020000), wanted <=0.02"},
		"a divergence within": {"kld<=0.02", stats.Estimate{}, 0, between(0.01, 0.015, 0.021),
			"undecided kld at least 0.015000 (0.010000 to 0.021000), wanted <=0.02: undecided"},
		"a divergence above": {"kld<=0.02", stats.Estimate{}, 0.9, between(0.021, 0.03, 0.04),
			"broken kld at least 0.030000"},
		"a divergence of one answer": {"kld<=0.02", stats.Estimate{}, 0, stats.Estimate{Value: stats.Of(0.03)},
			"undecided kld at least 0.030000, wanted <=0.02: undecided, too little"},
	} {
		c := Candidate{Alone: Alone{Measured: true, Decode: test.speed, Others: backends.Load{Share: test.share, CPUs: 2}},
			KLD: &divergence.Distance{MeanKLD: test.kld.Value, MeanKLDCI: test.kld.Interval}}
		kept, broken, undecided := wishes(t, test.list).Judge(&c)
		got := ""
		for state, all := range map[string][]string{"kept": kept, "broken": broken, "undecided": undecided} {
			for _, each := range all {
				got += state + " " + each
			}
		}
		assert.Check(t, strings.HasPrefix(got, test.want), "%s: %q, want %q", name, got, test.want)
	}
}

// A candidate of which a wish is undecided is no recommendation, though it was asked; a notice says so.
func TestWhatIsUndecidedIsNotRecommended(t *testing.T) {
	c := chosen(t, "decode>=5,loss<=2pp", nil, func(name string, it *Candidate) {
		if name == "Q4_K_M" {
			it.Decode = between(3, 6, 9)
		}
	})
	says := "Q4_K_M: decode 6.0 t/s (3.0 t/s to 9.0 t/s), wanted >=5: undecided on this machine now"
	assert.Check(t, c.Recommendation.Run == "Q8_0" && slices.Contains(c.Recommendation.Open, says), "%+v",
		c.Recommendation)
	assert.DeepEqual(t, c.Notices, []string{says})
}

// sizes are those of the types' files.
var sizes = map[string]int64{"F16": 200 << 20, "Q8_0": 110 << 20, "Q4_K_M": 60 << 20}

// chosen chooses among candidates of 2,000 questions, given by how many the others get wrong that the first gets right; -1: not asked.
func chosen(t *testing.T, list string, lost map[string]int, change func(name string, it *Candidate)) *Choice {
	t.Helper()
	var all []Candidate
	var runs, names []string
	for i, name := range []string{"F16", "Q8_0", "Q4_K_M"} {
		it := Candidate{Name: name, Ref: name + ".gguf", Info: backends.ModelInfo{SizeBytes: sizes[name], Quantization: name},
			Alone: Alone{Measured: true, Decode: sure(float64(4 + 4*i)), Memory: 2 * sizes[name], Context: 4096}}
		if change != nil {
			change(name, &it)
		}
		all = append(all, it)
		if lost[name] < 0 {
			continue
		}
		run := pairstest.MCQ(name, 2000, pairstest.Knows(1500, 0, lost[name]))
		run.Header.Model.SizeBytes = sizes[name]
		runs, names = append(runs, run.Write(t, journaltest.Letter(i))), append(names, name)
	}
	w := Wishes(nil)
	if list != "" {
		w = wishes(t, list)
	}
	margin := w.Loss(0.01)
	var compared *pairs.Comparison
	if len(runs) > 1 {
		var err error
		compared, err = pairs.Of(runs, pairs.Options{Names: names, Margin: margin})
		assert.NilError(t, err)
	}
	return Of(all, w, margin, compared)
}

func TestTheSmallestThatHoldsAllIsChosen(t *testing.T) {
	slow := func(than string) func(string, *Candidate) {
		return func(name string, it *Candidate) {
			if name == than {
				it.Decode = sure(1)
			}
		}
	}
	for name, test := range map[string]struct {
		list   string
		lost   map[string]int
		change func(string, *Candidate)
		run    string
		says   string
		open   string
	}{
		"nothing is wanted": {"", nil, nil, "Q4_K_M", "Q4_K_M: not worse than F16 by more than 1.0 pp", ""},
		"the smallest holds all": {"decode>=5,loss<=2pp", nil, nil, "Q4_K_M", "Q4_K_M: not worse than F16 by more than 2.0 pp",
			"F16: decode 4.0 t/s, wanted >=5"},
		"it loses too much": {"memory<=300MiB,loss<=2pp", map[string]int{"Q4_K_M": 200}, nil, "Q8_0", "Q8_0: ", "Q4_K_M: worse than F16 by 10.0 pp"},
		"it is too slow": {"decode>=2,loss<=2pp", map[string]int{"Q4_K_M": -1}, slow("Q4_K_M"), "Q8_0", "Q8_0: ",
			"Q4_K_M: decode 1.0 t/s, wanted >=2"},
		"only the reference holds": {"loss<=2pp", map[string]int{"Q4_K_M": 200, "Q8_0": 300}, nil, "F16", "F16: no run", "Q8_0: worse"},
		"none holds": {"memory<=250MiB,loss<=2pp", map[string]int{"Q4_K_M": 200, "Q8_0": 300}, nil, "", "no recommendation: none is shown",
			"F16: memory 400 MiB, wanted <=250MiB"},
		"nobody was asked": {"decode>=100", map[string]int{"F16": -1, "Q4_K_M": -1, "Q8_0": -1}, nil, "", "no recommendation: no candidate holds all",
			"Q8_0: decode 8.0 t/s, wanted >=100"},
		"the reference alone could": {"decode>=4", map[string]int{"F16": -1, "Q4_K_M": -1, "Q8_0": -1}, func(name string, it *Candidate) {
			if name != "F16" {
				it.Decode = sure(1)
			}
		}, "F16", "F16: no other candidate holds all that is wanted", "Q4_K_M: decode 1.0 t/s, wanted >=4"},
	} {
		c := chosen(t, test.list, test.lost, test.change)
		r := c.Recommendation
		assert.Check(t, r.Run == test.run && strings.HasPrefix(r.Sentence, test.says), "%s: %+v", name, r)
		assert.Check(t, test.open == "" || slices.ContainsFunc(r.Open, func(line string) bool { return strings.HasPrefix(line, test.open) }),
			"%s: %q", name, r.Open)
	}
}

func TestWhatIsLargerThanTheChosenIsNotNeeded(t *testing.T) {
	c := chosen(t, "loss<=2pp", map[string]int{"Q8_0": -1}, nil)
	assert.Check(t, c.Recommendation.Run == "Q4_K_M" && c.Candidates[1].Out == "Q4_K_M holds all that is wanted and is no larger", "%+v",
		c.Candidates[1])
	c = chosen(t, "loss<=2pp", map[string]int{"Q4_K_M": -1}, nil)
	assert.Check(t, c.Recommendation.Run == "Q8_0" && c.Candidates[2].Out == "", "a smaller one may be better yet: %+v", c.Candidates[2])
	c = chosen(t, "", map[string]int{"Q8_0": -1}, nil)
	assert.Check(t, c.Candidates[1].Out == "", "all are asked where nothing is wanted: %+v", c.Candidates[1])
}

// TestTwoFilesOfOneTypeAreToldApart has two uploaders' Q4_K_M.
func TestTwoFilesOfOneTypeAreToldApart(t *testing.T) {
	recipe := func(types ...backends.TensorType) func(string, *Candidate) {
		return func(name string, it *Candidate) {
			it.Info.Quantization, it.Info.BitsPerWeight = "Q4_K_M", 4.8
			it.Info.TensorTypes = []backends.TensorType{{Type: "Q4_K", Tensors: 168}}
			if name == "Q4_K_M" {
				it.Info.TensorTypes = append(it.Info.TensorTypes, types...)
			}
		}
	}
	c := chosen(t, "", nil, recipe(backends.TensorType{Type: "Q6_K", Tensors: 29}))
	assert.DeepEqual(t, c.Alike(), []string{
		"F16 and Q4_K_M are both called Q4_K_M: Q4_K 168; 4.80 bits a weight; Q4_K 168, Q6_K 29; 4.80 bits a weight",
		"Q8_0 and Q4_K_M are both called Q4_K_M: Q4_K 168; 4.80 bits a weight; Q4_K 168, Q6_K 29; 4.80 bits a weight",
	})
	assert.Check(t, len(chosen(t, "", nil, recipe()).Alike()) == 0)
	assert.Check(t, c.Recipes()[2] == "Q4_K_M: Q4_K 168, Q6_K 29; 4.80 bits a weight", "%q", c.Recipes())
}
