package compare

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"proctor/runner/journal"
)

// scoreOf is what score would write of models against a reference, all named by their quantisations.
func scoreOf(reference string, models ...string) string {
	var all []string
	for i, model := range models {
		x := 0.001 * math.Pow(10, float64(i))
		all = append(all, fmt.Sprintf(`{"model": {"ref": "%s.gguf", "file_sha256": %q}, "kld_method": "exact",
			"tokens": 20000, "questions": 400, "mean_kld": %g, "p99_kld": %g,
			"mean_kld_ci": {"low": %g, "high": %g, "confidence": 0.95, "method": "cluster t"},
			"same_top": %g, "same_top_ci": {"low": 0.9, "high": 1, "confidence": 0.95, "method": "cluster t"}, "by_item": []}`,
			model, model, x, 20*x, 0.8*x, 1.2*x, 1-2*x))
	}
	return fmt.Sprintf(`{"against": "runs/f16", "task": "mmlu_pro", "reference": {"ref": "%s.gguf", "file_sha256": %q}, "models": [%s]}`,
		reference, reference, strings.Join(all, ", "))
}

// readScore reads what scoreOf writes.
func readScore(t testing.TB, reference string, models ...string) *Score {
	t.Helper()
	score, err := ReadScore("score.json", strings.NewReader(scoreOf(reference, models...)))
	if err != nil {
		t.Fatal(err)
	}
	return score
}

func TestGoldenComparisonsWithAScore(t *testing.T) {
	a, b := two()
	third := mcqRun("F16", 400, func(q int) bool { return q < 310 })
	scores := readScore(t, "F16", "Q8_0", "Q4_K_M")
	for name, c := range map[string]*Comparison{
		"changed":       compared(t, Options{Score: scores}, a, b),
		"changed-three": compared(t, Options{Score: scores}, third, a, b),
	} {
		for _, format := range figures {
			var out bytes.Buffer
			if err := format.Write(&out, c); err != nil {
				t.Fatal(err)
			}
			golden.Assert(t, out.String(), name+format.Ext)
		}
	}
}

func TestTheModelsOfAScoreAreFoundByTheirFiles(t *testing.T) {
	a, b := two()
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
			got  *Distance
			want float64
		}{"A": {c.A, test.a}, "B": {c.B, test.b}} {
			if each.got == nil && each.want != 0 || each.got != nil && each.got.MeanKLD.Or(9) != each.want {
				t.Errorf("%s: %s lies %+v off, want %g", name, side, each.got, each.want)
			}
		}
	}
}

func TestAScoreOfOtherModelsIsRefused(t *testing.T) {
	a, b := two()
	nameless := b
	nameless.header.Model.FileSHA256 = ""
	for name, test := range map[string]struct {
		score string
		b     testRun
		want  string
	}{
		"other models":        {scoreOf("F16", "Q8_0", "Q6_K"), b, "it is of other models: none of them"},
		"one alone":           {scoreOf("F16", "Q4_K_M"), b, `the file that \S*A.jsonl was run with \(Q8_0.gguf\)$`},
		"a run without a sum": {scoreOf("F16", "Q8_0", "Q4_K_M"), nameless, `the journal of \S*B.jsonl has no SHA-256`},
		"no score":            {`{"models": []}`, b, "not what score writes"},
		"no JSON":             {"mean_kld", b, "not what score writes"},
		"no reference":        {`{"models": [{"ppl": 3}]}`, b, "it has no divergences"},
	} {
		score, err := ReadScore("score.json", strings.NewReader(test.score))
		if err == nil {
			_, err = Of([]string{a.write(t, "A"), test.b.write(t, "B")}, Options{Score: score})
		}
		if err == nil || !regexp.MustCompile(test.want).MatchString(err.Error()) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// The models with the largest divergences first, and the smallest: neither order is the runs'.
func TestRunsAreNotRankedByTheirDivergence(t *testing.T) {
	a, b := two()
	third := mcqRun("F16", 400, func(q int) bool { return q < 310 })
	for _, models := range [][]string{{"Q8_0", "Q4_K_M"}, {"Q4_K_M", "Q8_0"}} {
		c := compared(t, Options{Score: readScore(t, "F16", models...)}, third, b, a)
		var out bytes.Buffer
		if err := c.page().Text(&out); err != nil {
			t.Fatal(err)
		}
		table := out.String()[strings.Index(out.String(), "Changed, and worse"):]
		if strings.Index(table, "Q4_K_M ") > strings.Index(table, "Q8_0 ") || !strings.Contains(out.String(), "never ranked by them") {
			t.Errorf("%v:\n%s", models, out.String())
		}
	}
}

func TestWhatIsSoonerIsReckonedFromTheRuns(t *testing.T) {
	a, b := two()
	of := func(a, b testRun, o Options) *Sooner { return compared(t, o, a, b).Pairs[0].Advice.Sooner }
	prefill := func(r testRun) (seconds float64) {
		for _, record := range r.records {
			seconds += record.Timing.Prefill.Seconds()
		}
		return seconds
	}
	s := of(a, b, Options{})
	// 400 prompts of 200 tokens that are not reused, 400 completions of 50.
	near(t, "direct", s.Direct, prefill(a)+prefill(b))
	near(t, "score, beside A", s.Score, (prefill(a)+prefill(b))*250/200)
	if !strings.Contains(s.Command, "proctor score Q4_K_M.gguf --against ") || !strings.Contains(s.Command, "--exact Q8_0.gguf") {
		t.Error(s.Command)
	}
	kept := a
	kept.header.Logprobs = &journal.Logprobs{}
	if s := of(kept, b, Options{}); strings.Contains(s.Command, "--exact") || math.Abs(s.Score.Or(0)-prefill(b)*250/200) > 1e-9 {
		t.Errorf("with what A kept: %+v", s)
	}
	if s := of(a, b, Options{Score: readScore(t, "Q8_0", "Q4_K_M")}); s.Score.Defined() || !s.Direct.Defined() {
		t.Errorf("of a score that is known: %+v", s)
	}
	for name, change := range map[string]func(r *testRun){
		"a server":              func(r *testRun) { r.header.Backend.Name = "ollama" },
		"another harness's log": func(r *testRun) { r.header.Host.Cores = 0 },
		"a run that wrote nothing": func(r *testRun) {
			for i := range r.records {
				r.records[i].Usage.OutputTokens = 0
			}
		},
	} {
		_, other := two()
		change(&other)
		if s := of(a, other, Options{}); s != nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	_, stranger := two()
	stranger.header.Model.Name = "another"
	if s := of(a, stranger, Options{}); s.Score.Defined() || s.Command != "" || !s.Direct.Defined() {
		t.Errorf("another model: %+v", s)
	}
}
