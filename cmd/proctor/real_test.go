package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/quantize"
	"proctor/cmd/proctor/console"
	"proctor/runner/journal"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/grade"
)

// Models that `make real` downloads: a chat model 576 wide, which loops, and one with sliding windows and 262,144 tokens.
const (
	smolLM2 = "smollm2-135m-instruct-Q4_1"
	gemma3  = "gemma-3-270m-Q4_K_M"
)

// realModel is the file of a model that `make real` downloaded. Without it, the test is skipped; scripts/test.sh counts such skips by the
// message.
func realModel(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv("PROCTOR_TEST_REAL")
	if folder == "" {
		t.Skip("needs real models: make real fetches them")
	}
	return filepath.Join(folder, name+".gguf")
}

// kept reads a file of testdata/real.
func kept[T any](t *testing.T, name string) (content T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "real", name))
	if err == nil {
		err = json.Unmarshal(text, &content)
	}
	assert.NilError(t, err)
	return content
}

// The tokens must be those of llama.cpp b11434's llama-tokenize (--ids --no-escape --stdin). The last text is a prompt, which render prints
// with its tokens.
func TestARealModelsTokensAreLlamaTokenizes(t *testing.T) {
	for _, name := range []string{smolLM2, gemma3} {
		path := realModel(t, name)
		vocabulary, err := llamacpp.OpenVocabulary(path, "")
		assert.NilError(t, err)
		defer vocabulary.Close()
		type tokenized struct {
			Text   string
			Tokens map[string][]int32
		}
		texts := kept[[]tokenized](t, "tokens.json")
		for _, of := range texts {
			if got, err := vocabulary.Tokenize(of.Text); err != nil || !slices.Equal(got, of.Tokens[name]) {
				t.Errorf("%s: %q is %v, %v, want %v", name, of.Text, got, err, of.Tokens[name])
			}
		}
		last := texts[len(texts)-1]
		list, err := json.Marshal(last.Tokens[name])
		assert.NilError(t, err)
		rendered := run(t, "render", "--data", "sample", "--question", "87", "--shots", "2", "--model", path)
		ids := strings.ReplaceAll(strings.Trim(string(list), "[]"), ",", " ")
		if said := string(rendered); !strings.HasPrefix(said, last.Text) || !strings.HasSuffix(said, " tokens: "+ids+"\n") {
			t.Errorf("%s: render says %q, want %q and the tokens %s", name, said, last.Text, ids)
		}
	}
}

// The file has the tokens of Gemma 3's own tokenizer.json in tokenizers 0.23.3 for Python.
func TestARealModelsTokensAreThoseOfItsOriginal(t *testing.T) {
	type line struct {
		ID     string
		Prompt string
		Tokens []int32
	}
	lines := func(text []byte) map[string]line {
		all := map[string]line{}
		for decoder := json.NewDecoder(bytes.NewReader(text)); decoder.More(); {
			var l line
			assert.NilError(t, decoder.Decode(&l))
			all[l.ID] = l
		}
		return all
	}
	file, err := os.ReadFile(filepath.Join("testdata", "real", "gemma3-tokens.jsonl"))
	assert.NilError(t, err)
	rendered := lines(run(t, "render", "--all", "--data", "sample", "--shots", "0", "--model", realModel(t, gemma3)))
	for id, want := range lines(file) {
		got := rendered[id]
		assert.Check(t, got.Prompt == want.Prompt && slices.Equal(got.Tokens, want.Tokens), "%s: %v, want %v", id, got, want)
	}
}

// asksSmolLM2 are the arguments of a run of 8 questions, without its folder.
func asksSmolLM2(t *testing.T, more ...string) []string {
	t.Helper()
	return slices.Concat([]string{"run", realModel(t, smolLM2), "--data", "sample", "--limit", "8", "--shots", "1",
		"--quiet"},
		more, []string{"--out"})
}

// Texts are the same with one slot and with 16, and however often the run was interrupted. Loops are ended, other texts never are.
func TestARealModelsTextsAreTheSameHoweverTheyAreMade(t *testing.T) {
	realModel(t, smolLM2)
	if !kernels.Available() {
		t.Skip("there are only ggml's kernels on this CPU, whose texts depend on the slots")
	}
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	asking := func(slots string, more ...string) []string {
		return asksSmolLM2(t, append([]string{"--max-tokens", "512", "--slots", slots}, more...)...)
	}
	want := in("one")
	run(t, append(asking("1"), want)...)
	run(t, append(asking("16"), in("several"))...)
	compareAll(t, want, in("several"))
	for _, slots := range []string{"1", "16"} {
		out := in("interrupted" + slots)
		resumeWithPartials(t, out, asking(slots))
		compareAll(t, want, out)
	}
	run(t, append(asking("16", "--loops", "go-on"), in("whole"))...)
	checkLoops(t, want, in("whole"))
}

// compareAll requires two runs to have the same, complete texts.
func compareAll(t *testing.T, want, got string) {
	t.Helper()
	a, b := len(loaded(t, want).Records), len(loaded(t, got).Records)
	assert.Check(t, a == 8 && b == 8, "%s has %d answers, %s %d, want 8 each", want, a, got, b)
	compareTexts(t, want, got)
}

// resumeWithPartials ends a run with SIGTERM until the journal has tokens of unfinished answers, resumes it and kills it once another
// answer is complete, and then lets it finish. Answers must continue from the tokens of the first interruptions.
func resumeWithPartials(t *testing.T, out string, args []string) {
	t.Helper()
	resume := []string{"run", "--quiet", "--resume"}
	var open map[string]int
	for pause := time.Second / 4; len(open) == 0; pause *= 2 {
		began := time.Now()
		cmd, _, stderr := begin(t, out, args, func(journal []byte) bool {
			return bytes.Contains(journal, []byte("\n")) && time.Since(began) > pause
		})
		assert.NilError(t, cmd.Process.Signal(syscall.SIGTERM))
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != console.ExitInterrupted {
			t.Fatalf("after SIGTERM, exit code %d, want %d; stderr:\n%s", code, console.ExitInterrupted, stderr)
		}
		open, args = partials(t, out), resume
		if len(open) > 0 && !strings.Contains(stderr.String(), "to resume: ") {
			t.Errorf("after SIGTERM, stderr does not say how to go on:\n%s", stderr)
		}
	}
	saved := len(loaded(t, out).Records)
	beginAndKill(t, out, resume, func(journal []byte) bool { return bytes.Count(journal, []byte(`{"kind":"item"`)) > saved })
	run(t, append(resume, out)...)
	for _, r := range loaded(t, out).Records {
		if r.Interrupted == 0 && open[r.ID] > 0 || r.Resumed < open[r.ID] {
			t.Errorf("%s: was interrupted %d times and went on at %d tokens; the journal had %d", r.ID, r.Interrupted, r.Resumed, open[r.ID])
		}
	}
	t.Logf("%s: %d answers were open, with %v tokens", filepath.Base(out), len(open), slices.Collect(maps.Values(open)))
}

// partials counts the tokens of each unfinished answer in a journal, if they are more than a few.
func partials(t *testing.T, folder string) map[string]int {
	t.Helper()
	r, err := journal.Open(folder)
	assert.NilError(t, err)
	defer r.Close()
	ended := map[string]bool{}
	for record, err := range r.Records() {
		assert.NilError(t, err)
		ended[record.ID] = true
	}
	open := map[string]int{}
	for _, p := range r.Partials() {
		if !ended[p.ID] && p.Drawn() > 4 {
			open[p.ID] = p.Drawn()
		}
	}
	return open
}

// checkLoops compares a run whose loops were ended with one whose loops continued: the looping texts begin alike and are longer in the
// latter, all others are equal, and no rule set finds another letter.
func checkLoops(t *testing.T, ended, continued string) {
	t.Helper()
	a, b := loaded(t, ended), loaded(t, continued)
	whole := byID(b)
	loops := 0
	for _, r := range a.Records {
		on := whole[r.ID]
		switch loop := r.Cause == backends.CauseLoop; {
		case loop && (len(on.Text) <= len(r.Text) || !strings.HasPrefix(on.Text, r.Text)), !loop && on.Text != r.Text:
			t.Errorf("%s: %q went on as %q", r.ID, r.Text, on.Text)
		case on.Cause == backends.CauseLoop:
			t.Errorf("%s: ended as a loop, with --loops go-on", r.ID)
		case loop:
			loops++
		}
		for _, set := range grade.For(a.Header.Task) {
			if one, other := set.Mark(&a.Header, &r), set.Mark(&b.Header, &on); one.Letter != other.Letter {
				t.Errorf("%s, %s: %q where loops are ended, %q where they go on", r.ID, set.Name, one.Letter, other.Letter)
			}
		}
	}
	assert.Check(t, loops >= 2, "%d of %d answers were loops, want more", loops, len(a.Records))
	t.Logf("%d of %d answers were loops", loops, len(a.Records))
}

// The letters have the probabilities of the file's weights in double precision, as computed by testdata/real/letters.py without llama.cpp's
// arithmetic. proctor's matrix products round activations to 8 bits.
func TestARealModelsLettersAreThoseOfDoublePrecision(t *testing.T) {
	out := filepath.Join(t.TempDir(), "direct")
	run(t, append(asksSmolLM2(t, "--direct"), out)...)
	got, want := lettersOf(t, out), kept[map[string][]float64](t, "letters.json")
	assert.Assert(t, len(got) == len(want), "%d items, want %d", len(got), len(want))
	sum, letters, most := 0.0, 0, 0.0
	for id, logprobs := range want {
		assert.Assert(t, len(got[id]) == len(logprobs), "%s: %d letters, want %d", id, len(got[id]), len(logprobs))
		best := slices.Index(logprobs, slices.Max(logprobs))
		found := slices.Index(got[id], slices.Max(got[id]))
		assert.Check(t, logprobs[best]-logprobs[found] <= 0.1, "%s: the likeliest letter is number %d, want %d", id, found, best)
		for i, p := range logprobs {
			off := math.Abs(p - got[id][i])
			sum, letters, most = sum+off, letters+1, max(most, off)
		}
	}
	mean := sum / float64(letters)
	assert.Check(t, mean < 0.15 && most < 0.6, "the letters' log-probabilities are %.2g off, at most %.2g", mean, most)
	t.Logf("the letters' log-probabilities are %.2g off, at most %.2g", sum/float64(letters), most)
}

// A sweep's models have the types that llama.cpp falls back to for rows of 576, which whole blocks of 256 don't fill.
func TestARealModelsSweepMakesTheTypesItSays(t *testing.T) {
	folder := t.TempDir()
	source, cache, out := filepath.Join(folder, "smollm2-F16.gguf"), filepath.Join(folder, "cache"), filepath.Join(folder, "out")
	err := quantize.Write(t.Context(), quantize.Options{Source: realModel(t, smolLM2), Target: source, Type: "F16", Threads: 2, Requantise: true})
	assert.NilError(t, err)
	want := map[string]struct {
		types map[string]int
		bits  float64
	}{
		"Q2_K":   {map[string]int{"IQ4_NL": 180, "Q3_K": 30, "Q8_0": 1, "F32": 61}, 5.14},
		"Q4_K_M": {map[string]int{"Q5_0": 166, "Q4_K": 16, "Q8_0": 15, "Q6_K": 14, "F32": 61}, 6.17},
	}
	args := []string{"sweep", source, "--types", "Q2_K,Q4_K_M", "--cache", cache, "--out", out, "--data", "sample", "--limit", "2", "--shots", "0",
		"--max-tokens", "8", "--quiet"}
	run(t, args...)
	var chosen choice.Choice
	text, err := os.ReadFile(filepath.Join(out, "choice.json"))
	assert.NilError(t, errors.Join(err, json.Unmarshal(text, &chosen)))
	assert.Assert(t, len(chosen.Candidates) == 3 && chosen.Comparison != nil, "%+v", chosen)
	floor := chosen.Candidates[0].KLD.MeanKLD.Or(1)
	assert.Check(t, floor < 1e-5, "the model lies %g from itself", floor)
	for _, it := range chosen.Candidates {
		measured := it.Prefill.Value.Or(0) > 0 && it.Decode.Value.Or(0) > 0 && it.Memory > it.Info.SizeBytes &&
			it.Context >= 4096 && it.Info.Recipe() != ""
		assert.Check(t, measured && (it.KLD.MeanKLD.Or(0) > 0.001 || it.Name == chosen.Candidates[0].Name), "%+v, %+v", it, it.KLD)
	}
	if made, err := filepath.Glob(filepath.Join(cache, "*.gguf")); err != nil || len(made) != len(want) {
		t.Errorf("the cache has %q, %v", made, err)
	}
	for _, said := range chosen.Candidates {
		expected, made := want[said.Name]
		if !made {
			continue
		}
		delete(want, said.Name)
		file, err := gguf.Open(said.Ref)
		assert.NilError(t, err)
		types := map[string]int{}
		for _, of := range file.Types() {
			types[of.Type.String()] = of.Tensors
		}
		assert.Check(t, maps.Equal(types, expected.types) && math.Abs(file.BitsPerWeight()-expected.bits) <= 0.005,
			"%s: %v and %.3f bits a weight, want %v", said.Name, types, file.BitsPerWeight(), expected)
	}
	assert.Check(t, len(want) == 0, "not made: %v", want)
}
