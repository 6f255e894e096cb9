package compare

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/backends"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page/pagetest"
)

// speedOf is a speed that was measured to a tenth.
func speedOf(x float64) stats.Estimate {
	ci := stats.Interval{Low: 0.9 * x, High: 1.1 * x, Confidence: 0.95, Method: "order statistics"}
	return stats.Estimate{Value: stats.Of(x), Interval: ci}
}

// chosen is a choice among five files: three were run, one misses a wish, and one is not needed.
func chosen(t testing.TB) *choice.Choice {
	t.Helper()
	var wishes choice.Wishes
	assert.NilError(t, wishes.Set("decode>=5t/s,loss<=2pp"))
	var all []choice.Candidate
	var runs, names []string
	for i, name := range []string{"F16", "Q8_0", "a/Q4_K_M", "b/Q4_K_M", "Q6_K"} {
		kind := name[strings.LastIndex(name, "/")+1:]
		size := []int64{200, 110, 60, 58, 90}[i] << 20
		types := []backends.TensorType{{Type: kind[:3], Tensors: 168 + i}, {Type: "F32", Tensors: 61}}
		it := choice.Candidate{
			Name: name, Ref: name + ".gguf",
			Alone: choice.Alone{Measured: true, Prefill: speedOf(50), Decode: speedOf(6), Memory: 2 * size, Context: 4096},
			Info:  backends.ModelInfo{SizeBytes: size, Quantization: kind, BitsPerWeight: float64(size>>20) / 12.5, TensorTypes: types},
		}
		it.KLD = &divergence.Distance{Tokens: 900, Questions: 100, MeanKLD: stats.Of(0.001 * float64(i)),
			MeanKLDCI: stats.Interval{Low: 0.0009 * float64(i), High: 0.0011 * float64(i), Confidence: 0.95}}
		if name == "b/Q4_K_M" {
			it.Decode, it.KLD = speedOf(4.2), nil
		}
		if all = append(all, it); i > 2 {
			continue
		}
		run := timed(pairstest.MCQ(name, 1000, pairstest.Knows(800, 0, i)))[0]
		run.Header.Model = it.Info
		runs, names = append(runs, run.Write(t, journaltest.Letter(i))), append(names, name)
	}
	compared, err := pairs.Of(runs, pairs.Options{Names: names, Margin: wishes.Loss(0)})
	assert.NilError(t, err)
	c := choice.Of(all, wishes, wishes.Loss(0), compared)
	c.Notices, c.Saved = []string{"Q2_K is not compared: no room"}, "sweeps/m"
	return c
}

func TestGoldenChoices(t *testing.T) {
	c := chosen(t)
	for i := range c.Comparison.Runs { // goldens must not name temporary folders
		c.Comparison.Runs[i].Path = filepath.Base(c.Comparison.Runs[i].Path)
	}
	for _, format := range ChoiceFormats {
		var out bytes.Buffer
		if format.Name != "html" { // it reads the journals again
			assert.NilError(t, format.Write(&out, c))
			golden.Assert(t, out.String(), "choice"+format.Ext)
		}
	}
	var screen pagetest.Screen
	assert.NilError(t, ChoiceFormats[0].Write(&screen, c))
	pagetest.FitsFirstScreen(t, &screen, 0)
	var full bytes.Buffer
	assert.NilError(t, FullChoice[0].Write(&full, c))
	golden.Assert(t, full.String(), "choice.full.txt")
}

// TestAChoiceInABrowserDrawsLossAgainstSizeAndSpeed checks that the page has everything that the text has, too.
func TestAChoiceInABrowserDrawsLossAgainstSizeAndSpeed(t *testing.T) {
	c := chosen(t)
	var out, text bytes.Buffer
	assert.NilError(t, writeChoice(&out, c))
	document := out.String()
	for _, want := range []string{
		"against the size of the model", "against how fast it generates, one request at a time", "margin, -2.0 pp", "Recommended: a/Q4_K_M",
		"b/Q4_K_M: decode 4.2 t/s (3.8 t/s to 4.6 t/s), wanted &gt;=5t/s", "not needed", `id="flips"`,
	} {
		assert.Check(t, strings.Contains(document, want), "no %q", want)
	}
	assert.NilError(t, FullChoice[0].Write(&text, c))
	shown := pagetest.Visible(document)
	for _, row := range candidateSection(c).Table.Rows {
		for _, cell := range row {
			assert.Check(t, strings.Contains(shown, cell) && strings.Contains(text.String(), cell), "%q is not everywhere", cell)
		}
	}
}

// TestAChoiceWithoutQuestionsIsWritten has every candidate except the reference fail before its first question.
func TestAChoiceWithoutQuestionsIsWritten(t *testing.T) {
	var wishes choice.Wishes
	assert.NilError(t, wishes.Set("decode>=5t/s"))
	alone := func(decode float64) choice.Alone { return choice.Alone{Measured: true, Decode: speedOf(decode)} }
	c := choice.Of([]choice.Candidate{{Name: "F16", Ref: "f.gguf", Alone: alone(6)}, {Name: "Q8_0", Alone: alone(3)}}, wishes, 0.01, nil)
	for _, format := range append(ChoiceFormats, FullChoice...) {
		var out bytes.Buffer
		assert.NilError(t, format.Write(&out, c), format.Name)
		if format.Name != "csv" && format.Name != "json" {
			assert.Check(t, strings.Contains(out.String(), "F16: no other candidate holds all that is wanted"), "%s: %s", format.Name, out.String())
		}
	}
}
