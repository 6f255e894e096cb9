package logprobs

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

var kept = journal.Logprobs{Top: backends.TopLogprobs, VocabularySHA256: strings.Repeat("ab", 32)}

// predictions are n made-up ones, some of tokens that are none of the likeliest.
func predictions(n int, seed uint64) []backends.Prediction {
	random := rand.New(rand.NewPCG(seed, 1))
	all := make([]backends.Prediction, n)
	for i := range all {
		p := backends.Prediction{Entropy: 12 * random.Float64(), Rest: -20 * random.Float64()}
		for range kept.Top {
			p.Top = append(p.Top, backends.Logprob{Token: random.Int32N(1 << 18), Logprob: -30 * random.Float64()})
		}
		if likely := p.Top[random.IntN(kept.Top)]; i%4 > 0 {
			p.Token, p.Logprob = likely.Token, likely.Logprob
		} else {
			p.Token, p.Logprob = 1<<18+random.Int32N(1<<18), -31.5
		}
		all[i] = p
	}
	return all
}

// written is a file with so many items' parts, and where they are.
func written(t testing.TB, run string, items int) map[string]journal.Span {
	t.Helper()
	w, lost, err := Continue(run, kept, nil)
	assert.Assert(t, err == nil && len(lost) == 0, "%v, %v", lost, err)
	parts := map[string]journal.Span{}
	for i := range items {
		id := fmt.Sprintf("mmlu_pro/%d", i)
		parts[id], err = w.Append(id, predictions(3+i, uint64(i)))
		assert.NilError(t, err)
	}
	assert.NilError(t, w.Close())
	return parts
}

// same says whether what was kept is what there was, as precise as it can be.
func same(got, want []backends.Prediction) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= Precision*1.001 }
	return slices.EqualFunc(got, want, func(a, b backends.Prediction) bool {
		unknown := math.IsNaN(a.Entropy) && math.IsNaN(b.Entropy)
		return a.Token == b.Token && near(a.Logprob, b.Logprob) && (near(a.Entropy, b.Entropy) || unknown) && near(a.Rest, b.Rest) &&
			slices.EqualFunc(a.Top, b.Top, func(x, y backends.Logprob) bool { return x.Token == y.Token && near(x.Logprob, y.Logprob) })
	})
}

func TestKeptLogprobsAreReadAgain(t *testing.T) {
	run := t.TempDir()
	parts := written(t, run, 9)
	r, err := Open(run, kept)
	assert.NilError(t, err)
	defer r.Close()
	for i := range 9 {
		id := fmt.Sprintf("mmlu_pro/%d", i)
		got, err := r.Item(id, parts[id])
		assert.Check(t, err == nil && same(got, predictions(3+i, uint64(i))), "%s: %v, %v", id, got, err)
	}
	_, err = r.Item("mmlu_pro/3", parts["mmlu_pro/4"])
	assert.Check(t, err != nil, "another item's part is taken")
	part := parts["mmlu_pro/8"]
	part.Start++
	_, err = r.Item("mmlu_pro/8", part)
	assert.Check(t, err != nil, "a part with another SHA-256 is taken")
}

// Probabilities beyond the file's range are its last, and an entropy that nobody told stays unknown.
func TestFiguresThatAFileCannotSay(t *testing.T) {
	predicted := predictions(3, 1)
	p := &predicted[0]
	p.Logprob, p.Top[0].Logprob, p.Rest, p.Entropy = -1e9, 0, math.Inf(-1), 1e-9
	p.Token, predicted[1].Entropy = 1<<20, math.NaN()
	part, err := encode(nil, "x", predicted, kept.Top)
	assert.NilError(t, err)
	_, got, err := decode(part, kept.Top)
	last := -float64(most) / unit
	assert.Check(t, err == nil && got[0].Logprob == last && got[0].Rest == last && got[0].Top[0].Logprob == 0 &&
		got[0].Entropy == 0 && math.IsNaN(got[1].Entropy) && same(got[2:], predicted[2:]), "%+v, %v", got, err)
}

func TestARunOf250TokensTakesSome95kBAnItem(t *testing.T) {
	part, err := encode(nil, "mmlu_pro/12345", predictions(250, 7), kept.Top)
	assert.Check(t, err == nil && len(part) >= 85_000 && len(part) <= 105_000, "%d bytes, %v", len(part), err)
}

func TestWhatAKilledProcessLeftIsCutOff(t *testing.T) {
	whole, killed := t.TempDir(), t.TempDir()
	written(t, whole, 6)
	parts := written(t, killed, 4)
	delete(parts, "mmlu_pro/3") // its line was not written any more
	f, err := os.OpenFile(Path(killed), os.O_WRONLY|os.O_APPEND, 0)
	assert.NilError(t, err)
	f.WriteString("half a part")
	f.Close()
	w, lost, err := Continue(killed, kept, parts)
	assert.Assert(t, err == nil && len(lost) == 0, "%v, %v", lost, err)
	info, err := os.Stat(Path(killed))
	assert.Check(t, err == nil && info.Size() == w.end, "%d bytes are left of %d, %v", info.Size(), w.end, err)
	for i := 3; i < 6; i++ {
		_, err := w.Append(fmt.Sprintf("mmlu_pro/%d", i), predictions(3+i, uint64(i)))
		assert.NilError(t, err)
	}
	w.Close()
	a, _ := os.ReadFile(Path(whole))
	b, _ := os.ReadFile(Path(killed))
	assert.Check(t, bytes.Equal(a, b) && len(a) != 0, "%d bytes after the resume, %d in one go", len(b), len(a))
}

func TestPartsThatAreNotThereWholeAreLost(t *testing.T) {
	for name, spoil := range map[string]func(content []byte, at int64) []byte{
		"the end is cut off": func(content []byte, at int64) []byte { return content[:at+5] },
		"a byte is another":  func(content []byte, at int64) []byte { content[at+40] ^= 1; return content },
	} {
		run := t.TempDir()
		parts := written(t, run, 4)
		content, err := os.ReadFile(Path(run))
		assert.NilError(t, err)
		at := parts["mmlu_pro/3"].Start
		assert.NilError(t, os.WriteFile(Path(run), spoil(content, at), 0o644))
		w, lost, err := Continue(run, kept, parts)
		assert.NilError(t, err, name)
		assert.Check(t, slices.Equal(lost, []string{"mmlu_pro/3"}) && w.end == at, "%s: lost %v, goes on at byte %d", name, lost, w.end)
		w.Close()
	}
}

func TestFilesThatAreNotTheRunsOwnAreRefused(t *testing.T) {
	run := t.TempDir()
	parts := written(t, run, 2)
	other := kept
	other.VocabularySHA256 = strings.Repeat("cd", 32)
	_, err := Open(run, other)
	errortest.Says(t, err, "another vocabulary")
	_, _, err = Continue(run, other, parts)
	errortest.Says(t, err, "another vocabulary")
	for content, want := range map[string]string{
		"": "holds no log-prob", "not such a file": "holds no log-prob",
		magic + "\x09" + strings.Repeat("x", header): "version 9",
	} {
		assert.NilError(t, os.WriteFile(Path(run), []byte(content), 0o644))
		_, err := Open(run, kept)
		errortest.For(t, content, err, want)
	}
	_, err = Open(filepath.Join(run, "nowhere"), kept)
	errortest.Says(t, err, "restore")
}

func FuzzDecode(f *testing.F) {
	part, err := encode(nil, "mmlu_pro/1", predictions(5, 1), kept.Top)
	assert.NilError(f, err)
	f.Add(part)
	f.Add([]byte{0, 0})
	f.Add([]byte{0, 5, 20})
	f.Add(append([]byte{2, 'a', 'b', 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, part...))
	f.Fuzz(func(t *testing.T, part []byte) {
		id, predictions, err := decode(part, kept.Top)
		if err != nil {
			return
		}
		again, err := encode(nil, id, predictions, kept.Top)
		assert.NilError(t, err)
		_, twice, err := decode(again, kept.Top)
		assert.Assert(t, err == nil && same(twice, predictions), "%v and %v, %v", predictions, twice, err)
	})
}
