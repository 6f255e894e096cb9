package pairs

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/headertest"
)

func TestIncomparableRunsAreRefusedByName(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*pairstest.Run)
		want   string
		final  bool
	}{
		"another dataset": {
			func(p *pairstest.Run) { p.Header.Dataset.SHA256 = strings.Repeat("cd", 32) }, "dataset.sha256 (abababab", false,
		},
		"another style": {func(p *pairstest.Run) { p.Header.Style = "lm-eval@1" }, "style (tiger@1 and lm-eval@1)", false},
		"other shots":   {func(p *pairstest.Run) { p.Header.Shots = 0 }, "shots (5 and 0)", false},
		"that style otherwise": {
			func(p *pairstest.Run) { p.Header.StyleFile = journal.SourceOf("x") }, "style_file.sha256 (none and ", false,
		},
		"other rules": {func(p *pairstest.Run) { p.Header.RuleSet = "evalscope" }, "rule_set (tiger and evalscope)",
			false},
		"other questions": {func(p *pairstest.Run) { p.Records = p.Records[:30] }, "ids (30 of 40 shared and 30 of 30)",
			false},
		"another task": {func(p *pairstest.Run) { p.Header.Task = "mmlu_pro_circular"; p.Header.Pattern = "circular" },
			"task (mmlu_pro and mmlu_pro_circular)", true},
		"one that reasons": {func(p *pairstest.Run) { *p = pairstest.Direct(*p, 2, 1) },
			"task (mmlu_pro and mmlu_pro_direct)", true},
		"other repeats": {func(p *pairstest.Run) { *p = p.Again(3, nil) }, "repeats (1 and 3)", false},
	} {
		a, b := pairstest.MCQ("Q8_0", 40, func(q int) bool { return q%2 == 0 }), pairstest.MCQ("Q4_K_M", 40, func(q int) bool { return q%3 == 0 })
		test.change(&b)
		paths := []string{a.Write(t, "a"), b.Write(t, "b")}
		_, err := Of(paths, Options{})
		errortest.For(t, name, err, test.want)
		refused, is := errors.AsType[*NotComparableError](err)
		assert.Check(t, is && refused.Final == test.final, "%s: %v", name, err)
		c, err := Of(paths, Options{Force: true})
		assert.Assert(t, (err != nil) == test.final, "%s, by force: %v", name, err)
		if !test.final {
			got := strings.Join(c.Pairs[0].Warnings, "\n")
			assert.Check(t, strings.Contains(got, "not the same evaluation") &&
				strings.Contains(got, test.want), "%s: warnings %q", name, got)
		}
	}
}

func TestOneRuleSetForAllSettlesOtherRules(t *testing.T) {
	a, b := pairstest.MCQ("Q8_0", 40, func(int) bool { return true }), pairstest.MCQ("Q4_K_M", 40, func(int) bool { return true })
	b.Header.RuleSet = "evalscope"
	c := compared(t, Options{RuleSet: "tiger-strict"}, a, b)
	assert.Check(t, c.Runs[1].RuleSet == "tiger-strict", "marked by %s", c.Runs[1].RuleSet)
}

// Where all layers are on GPUs no kernels of the CPU are named, but the number of slots is, as it is with ggml's kernels.
func TestWhatComputesDecidesWhetherKernelsAndSlotsAreNamed(t *testing.T) {
	const kernels, slots = "backend.kernels (proctor and ggml)", "backend.slots (16 and 32)"
	gpu := backends.EngineInfo{Kernels: "proctor", GPULayers: 33, Offloaded: true}
	some, none, ggml := gpu, gpu, gpu
	some.GPULayers, some.Offloaded = 9, false
	none.GPULayers, none.Offloaded = 0, false
	ggml.Kernels = "ggml"
	for name, test := range map[string]struct {
		a, b           backends.EngineInfo
		kernels, slots bool
	}{
		"all layers on a GPU":                {gpu, ggml, false, true},
		"some of them, and all of them":      {some, ggml, true, true},
		"some of them":                       {some, some, false, true},
		"on the CPU, with proctor's kernels": {none, none, false, false},
	} {
		a, b := pairstest.Two()
		a.Header.Backend, b.Header.Backend = test.a, test.b
		a.Header.Backend.Slots, b.Header.Backend.Slots = 16, 32
		got := strings.Join(compared(t, Options{}, a, b).Pairs[0].Warnings, "\n")
		assert.Check(t, strings.Contains(got, kernels) == test.kernels, "%s: warnings %q", name, got)
		assert.Check(t, strings.Contains(got, slots) == test.slots, "%s: warnings %q", name, got)
	}
}

func TestByForceWhatIsNotTheSameIsLeftOut(t *testing.T) {
	a, b := pairstest.Two()
	repeated := compared(t, Options{Force: true}, a.Again(3, nil), b).Pairs[0]
	assert.Check(t, repeated.Items == 400 && repeated.LeftOut == 800, "%d items, %d left out", repeated.Items,
		repeated.LeftOut)
	b.Header.Dataset.SHA256 = "another"
	b.Records[0].Gold = "D"
	p := compared(t, Options{Force: true}, a, b).Pairs[0]
	assert.Check(t, p.Items == 399 && strings.Contains(strings.Join(p.Warnings, "\n"), "1 item with other options or another gold letter"),
		"%d items, warnings %q", p.Items, p.Warnings)
}

func TestBadInputIsRefused(t *testing.T) {
	a, b := pairstest.Two()
	failed := pairstest.MCQ("Q4_K_M", 400, func(int) bool { return true })
	for i := range failed.Records {
		failed.Records[i].Finish, failed.Records[i].Cause, failed.Records[i].Error = backends.FinishError, backends.CauseTimeout, "too slow"
	}
	x, y, z := a.Write(t, "x"), b.Write(t, "y"), failed.Write(t, "z")
	for name, test := range map[string]struct {
		runs    []string
		options Options
		want    string
	}{
		"one run":              {[]string{x}, Options{}, "two runs or more"},
		"a run that isn't":     {[]string{x, x + ".not"}, Options{}, ".not"},
		"a margin below 0":     {[]string{x, y}, Options{Margin: -0.01}, "margin of -1pp "},
		"a margin in points":   {[]string{x, y}, Options{Margin: 1}, "margin of 100pp "},
		"a confidence of 95":   {[]string{x, y}, Options{Confidence: 95}, "confidence 95"},
		"a rule set unknown":   {[]string{x, y}, Options{RuleSet: "mine"}, `"mine"`},
		"nothing but failures": {[]string{x, z}, Options{}, "no answered item in common"},
	} {
		_, err := Of(test.runs, test.options)
		errortest.For(t, name, err, test.want)
	}
}

func TestTheModelsOfAScoreAreFoundByTheirFiles(t *testing.T) {
	a, b := pairstest.Two()
	for name, test := range map[string]struct {
		reference string
		models    []string
		a, b      float64 // 0 for the reference
	}{
		"both lie from a third":   {"F16", []string{"Q8_0", "Q4_K_M"}, 0.001, 0.01},
		"in another order":        {"F16", []string{"Q4_K_M", "Q6_K", "Q8_0"}, 0.1, 0.001},
		"A is the reference":      {"Q8_0", []string{"Q4_K_M"}, 0, 0.001},
		"B is the reference":      {"Q4_K_M", []string{"Q8_0"}, 0.001, 0},
		"A, and it was read, too": {"Q8_0", []string{"Q8_0", "Q4_K_M"}, 0, 0.01},
	} {
		c := compared(t, Options{Score: readScore(t, test.reference, test.models...)}, a, b).Pairs[0].Changed
		for side, each := range map[string]struct {
			got  *divergence.Distance
			want float64
		}{"A": {c.A, test.a}, "B": {c.B, test.b}} {
			if each.got == nil && each.want != 0 || each.got != nil && each.got.MeanKLD.Or(9) != each.want {
				t.Errorf("%s: %s lies %+v off, want %g", name, side, each.got, each.want)
			}
		}
	}
}

func TestAScoreOfOtherModelsIsRefused(t *testing.T) {
	a, b := pairstest.Two()
	nameless := b
	nameless.Header.Model.FileSHA256 = ""
	for name, test := range map[string]struct {
		score string
		b     pairstest.Run
		want  string
	}{
		"other models":        {pairstest.Score("F16", "Q8_0", "Q6_K"), b, "it is of other models: none of them"},
		"one alone":           {pairstest.Score("F16", "Q4_K_M"), b, `the file that \S*A.jsonl was run with \(Q8_0.gguf\)$`},
		"a run without a sum": {pairstest.Score("F16", "Q8_0", "Q4_K_M"), nameless, `the journal of \S*B.jsonl has no SHA-256`},
		"no score":            {`{"models": []}`, b, "not what score writes"},
		"no JSON":             {"mean_kld", b, "not what score writes"},
		"no reference":        {`{"models": [{"ppl": 3}]}`, b, "it has no divergences"},
	} {
		score, err := divergence.Read("score.json", strings.NewReader(test.score))
		if err == nil {
			_, err = Of([]string{a.Write(t, "A"), test.b.Write(t, "B")}, Options{Score: score})
		}
		assert.Check(t, err != nil && regexp.MustCompile(test.want).MatchString(err.Error()) && !strings.Contains(err.Error(), "\n"),
			"%s: %v, want %q", name, err, test.want)
	}
}

// readScore reads what pairstest.Score writes.
func readScore(t testing.TB, reference string, models ...string) *divergence.Score {
	t.Helper()
	score, err := divergence.Read("score.json", strings.NewReader(pairstest.Score(reference, models...)))
	assert.NilError(t, err)
	return score
}

// texts gives a made-up run the texts of its questions, as a run of ours keeps them: in the prompt.
func texts(p pairstest.Run) pairstest.Run {
	p.Records = slices.Clone(p.Records)
	for i := range p.Records {
		r := &p.Records[i]
		r.OptionTexts = []string{"red", "green", "blue", fmt.Sprintf("hue %d", r.QuestionID/2)}
		r.Prompt = fmt.Sprintf("Question:\nWhich is colour %d?\nOptions:\nA. red\nB. green\nC. blue\nD. hue %d\nAnswer:", r.QuestionID,
			r.QuestionID/2)
	}
	return p
}

// logged is the run as another harness's log has it: of a set of its own, whose questions it counts in its own order.
func logged(p pairstest.Run) pairstest.Run {
	p = texts(p)
	h := &p.Header
	h.Style, _, _ = strings.Cut(h.Style, "@")
	h.Dataset.Name, h.Dataset.SHA256, h.Dataset.Split = "imported-log", "another", "validation"
	slices.Reverse(p.Records)
	for i := range p.Records {
		r := &p.Records[i]
		r.Question, r.Prompt = fmt.Sprintf(" Which is colour %d?\n", r.QuestionID), "[{}]"
		r.ID, r.QuestionID, r.Subject = fmt.Sprintf("mmlu_pro/%d", i), i, "colours"
	}
	return p
}

func TestALogIsComparableWithARunOfItsQuestions(t *testing.T) {
	a := texts(pairstest.MCQ("Q8_0", 40, func(q int) bool { return q >= 10 }))
	b := logged(pairstest.MCQ("Q4_K_M", 40, func(q int) bool { return q < 30 }))
	c := compared(t, Options{}, a, b, b)
	for _, p := range c.Pairs {
		assert.Check(t, p.Items == 40 && p.RightToWrong == 10 && p.WrongToRight == 10 && p.LeftOut == 0 && len(p.Subjects) == 3,
			"%d items, %d lost, %d won, %d left out", p.Items, p.RightToWrong, p.WrongToRight, p.LeftOut)
		assert.Check(t, len(p.Warnings) != 0 && strings.Contains(p.Warnings[0], "questions were matched by their texts and options"),
			"warnings %q", p.Warnings)
	}
	other := logged(pairstest.MCQ("Q6_K", 40, func(q int) bool { return q < 30 }))
	other.Header.Dataset.SHA256 = "a third"
	slices.Reverse(other.Records) // its ids stay as they are
	if p := compared(t, Options{}, b, other).Pairs[0]; p.Items != 40 || p.Flips.Or(1) != 0 {
		t.Errorf("of two logs: %d items, flips %v", p.Items, p.Flips)
	}
}

func TestOnlyTheSameQuestionsAreMatched(t *testing.T) {
	all := func(int) bool { return true }
	for name, test := range map[string]struct {
		change func(b *pairstest.Run)
		items  int
		want   string
	}{
		"more questions":               {func(b *pairstest.Run) { *b = logged(pairstest.MCQ("Q4_K_M", 44, all)) }, 40, "40 of 40 shared and 40 of 44"},
		"another text":                 {func(b *pairstest.Run) { b.Records[3].Question = "Which is it?" }, 39, "39 of 40 shared and 39 of 40"},
		"another option":               {func(b *pairstest.Run) { b.Records[3].OptionTexts[3] = "grey" }, 39, "39 of 40 shared and 39 of 40"},
		"another order of the options": {func(b *pairstest.Run) { slices.Reverse(b.Records[3].OptionTexts) }, 39, "39 of 40"},
		"no texts, so that ids decide": {func(b *pairstest.Run) {
			*b = pairstest.MCQ("Q4_K_M", 40, all)
			b.Header.Dataset.SHA256 = "another"
		}, 40, "dataset.sha256 (abababab"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := texts(pairstest.MCQ("Q8_0", 40, all)), logged(pairstest.MCQ("Q4_K_M", 40, all))
			test.change(&b)
			paths := []string{a.Write(t, "a"), b.Write(t, "b")}
			_, err := Of(paths, Options{})
			assert.ErrorContains(t, err, test.want)
			c, err := Of(paths, Options{Force: true})
			assert.NilError(t, err)
			p := c.Pairs[0]
			assert.Check(t, p.Items == test.items && p.Flips.Or(1) == 0, "%d items, flips %v, warnings %q", p.Items, p.Flips, p.Warnings)
		})
	}
}

// Twins are questions that a set has twice, and items that a run asked several times.
func TestTwinsAreMatchedOneByOne(t *testing.T) {
	knows := func(int) bool { return true }
	twins := func(p pairstest.Run) pairstest.Run {
		for i := range p.Records {
			p.Records[i].Question, p.Records[i].OptionTexts, p.Records[i].Gold = "Which?", []string{"1", "2", "3", "4"}, "A"
			p.Records[i].Text = "the answer is (A)"
		}
		return p
	}
	a := twins(texts(pairstest.MCQ("Q8_0", 6, knows)))
	if p := compared(t, Options{}, a, twins(logged(pairstest.MCQ("Q4_K_M", 6, knows)))).Pairs[0]; p.Items != 6 || p.LeftOut != 0 {
		t.Errorf("%d items, %d left out", p.Items, p.LeftOut)
	}
	a, b := texts(pairstest.MCQ("Q8_0", 6, knows).Again(3, nil)), texts(pairstest.MCQ("Q4_K_M", 6, knows).Again(3, nil))
	b.Header.Dataset.SHA256 = "another"
	if p := compared(t, Options{}, a, b).Pairs[0]; p.Items != 18 || p.Questions != 6 {
		t.Errorf("%d items of %d questions", p.Items, p.Questions)
	}
}

// Runs whose settings differ, or whose servers guessed ahead, or not, or say that they are of other builds, are
// compared with a note; the same, or none, without.
func TestSettingsThatOnlyMayMatterAreSaid(t *testing.T) {
	for name, row := range map[string]struct {
		change  func(a, b *pairstest.Run)
		servers func(a, b *journal.Record)
		want    []string
	}{
		"nothing told": {},
		"settings": {change: func(a, b *pairstest.Run) {
			b.Header.Backend.Slots, b.Header.Sampling.Temperature = 1, 0.7
			a.Header.Backend.Kernels, b.Header.Backend.Kernels = "proctor", "ggml"
		}, want: []string{"backend.slots (several and 1)", "sampling.temperature (0 and 0.7)",
			"backend.kernels (proctor and ggml)"}},
		"one server tells": {servers: func(a, b *journal.Record) { a.SystemFingerprint = "b1" }},
		"both drafted":     {servers: func(a, b *journal.Record) { a.Usage.DraftedTokens, b.Usage.DraftedTokens = 4, 2 }},
		"one drafted": {servers: func(a, b *journal.Record) { b.Usage.DraftedTokens = 2 },
			want: []string{"the servers answered otherwise", "differ, too: speculative decoding (off and on)"}},
		"both differ": {servers: func(a, b *journal.Record) {
			a.Usage.DraftedTokens, a.SystemFingerprint, b.SystemFingerprint = 1, "b1", "b2"
		}, want: []string{"the servers answered otherwise",
			"differ, too: speculative decoding (on and off), system_fingerprint (b1 and b2)"}},
		"one takes no temperature": {servers: func(_, b *journal.Record) { b.NotTaken = []string{"temperature"} },
			want: []string{"the servers answered otherwise",
				"differ, too: the sampling that they take (all and no temperature)"}},
	} {
		a, b := pairstest.Two()
		if row.change != nil {
			row.change(&a, &b)
		}
		for i := range a.Records {
			if row.servers != nil {
				row.servers(&a.Records[i], &b.Records[i])
			}
		}
		got := strings.Join(compared(t, Options{}, a, b).Pairs[0].Warnings, "\n")
		for _, want := range row.want {
			assert.Check(t, strings.Contains(got, want), "%s: warnings %q lack %q", name, got, want)
		}
		assert.Check(t, strings.Contains(got, "the servers answered otherwise") == (row.servers != nil && row.want != nil),
			"%s: %s", name, got)
	}
}

// TestNoFieldIsForgottenWhenRunsAreCompared changes each field of a header: what decides prompts and completions is
// refused or named.
func TestNoFieldIsForgottenWhenRunsAreCompared(t *testing.T) {
	const model, ids = "models are what is compared", "the items themselves are compared"
	unsaid := map[string]string{
		"model.file_sha256": model, "model.architecture": model, "model.parameters": model, "model.quantization": model,
		"model.chat_template_sha256": model, "model.adapters.scale": model, "model.adapters.file_sha256": model,
		"selection.ids_sha256": ids, "selection.chosen": ids, "selection.until_decided.fingerprint": ids,
		"selection.until_decided.margin": ids, "selection.until_decided.alpha": ids,
		"preambles": "style, shots and template are compared",
	}
	engine := map[string]bool{"backend.features": true} // of some architectures and kernels
	base := func() journal.Header {
		h := pairstest.MCQ("Q8_0", 1, func(int) bool { return true }).Header
		h.Model.FileSHA256, h.Backend.Kernels, h.Sampling.Temperature = "ab", "ggml", 0.5
		return h
	}
	for field, all := range headertest.Changes(base) {
		decides, said, asked := false, false, false
		for _, c := range all {
			x, y := &c.From, &c.To
			decides = decides || x.Digest() != y.Digest()
			said = said || len(Settings(x, y))+len(others(x, y)) > 0
			asked = asked || len(Asked(x, y)) > 0
		}
		_, why := unsaid[field]
		delete(unsaid, field)
		assert.Check(t, said == (decides && !why || engine[field]), "%s: said %v, decides %v, left out %v", field, said,
			decides, why)
		computes := strings.HasPrefix(field, "backend.")
		marks := field == "rule_set" || field == "rule_file.sha256"
		assert.Check(t, asked == (said && !computes || marks), "%s: asked otherwise %v", field, asked)
	}
	assert.Check(t, len(unsaid) == 0, "there are no such fields: %v", unsaid)
}

func TestWhatAModelDecidesIsNoOtherWayOfAsking(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*journal.Header)
		want   string
	}{
		"a cap":                     {func(h *journal.Header) { h.Sampling.MaxTokens++ }, "sampling.max_tokens"},
		"rules":                     {func(h *journal.Header) { h.RuleSet = "evalscope" }, "rule_set"},
		"stop strings":              {func(h *journal.Header) { h.Sampling.Stop = []string{"x"} }, "sampling.stop"},
		"a seed that draws nothing": {func(h *journal.Header) { h.Sampling.Seed++ }, ""},
		"a template's stop strings": {
			func(h *journal.Header) { h.Model.ChatTemplateSHA256, h.Sampling.Stop = "x", []string{"x"} }, "",
		},
		"a temperature": {func(h *journal.Header) { h.Sampling.Temperature = 1 }, "sampling.temperature"},
		"each one's own temperature": {
			func(h *journal.Header) { h.Sampling.Temperature, h.Sampling.From["temperature"] = 1, "m" }, "",
		},
		"a type of the cache": {func(h *journal.Header) { h.Backend.KVType = "q8_0" }, ""},
		"another model":       {func(h *journal.Header) { h.Model.FileSHA256 = "x" }, ""},
	} {
		x, y := pairstest.MCQ("Q8_0", 0, nil).Header, pairstest.MCQ("Q8_0", 0, nil).Header
		x.Sampling.From, y.Sampling.From = map[string]string{"temperature": "m"}, map[string]string{}
		test.change(&y)
		var fields []string
		for _, d := range Asked(&x, &y) {
			fields = append(fields, d.Field)
		}
		assert.Equal(t, strings.Join(fields, ","), test.want, name)
	}
}
