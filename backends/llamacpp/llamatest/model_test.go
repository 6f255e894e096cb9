package llamatest

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestTheShapeHasTheParametersAskedFor(t *testing.T) {
	for _, tokens := range []int{700, 32064, 151936} {
		for _, parameters := range []int64{100e6, 350e6, 1e9, 8e9} {
			s, err := Sized(parameters, tokens)
			if err != nil {
				t.Fatal(err)
			}
			got := s.Parameters(tokens)
			if off := math.Abs(float64(got-parameters)) / float64(parameters); off > 0.1 {
				t.Errorf("%d asked for with %d tokens: %+v has %d", parameters, tokens, s, got)
			}
			if s.Width%256 != 0 || s.Inner%256 != 0 || s.Width%s.Heads != 0 || s.Heads%s.KVHeads != 0 {
				t.Errorf("%+v cannot be quantised or split into heads", s)
			}
		}
	}
	if _, err := Sized(1e6, 32064); err == nil {
		t.Error("a vocabulary larger than the model was accepted")
	}
}

func TestAVocabularyIsTakenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	small := SmallVocabulary()
	m := Model{Vocabulary: small, Shape: Shape{Width: 32, Heads: 2, KVHeads: 1, Inner: 32, Layers: 1, Context: 64}}
	if err := Write(path, m); err != nil {
		t.Fatal(err)
	}
	v, err := VocabularyOf(path)
	if err != nil {
		t.Fatal(err)
	}
	const eos = "tokenizer.ggml.eos_token_id"
	if v.Size() != small.Size() || fmt.Sprint(v.values[eos]) != fmt.Sprint(small.values[eos]) {
		t.Errorf("%d tokens, %d were written", v.Size(), small.Size())
	}
	m.Vocabulary = v
	again := filepath.Join(t.TempDir(), "again.gguf")
	if err := Write(again, m); err != nil {
		t.Fatal(err)
	}
	one, _ := os.ReadFile(path)
	two, _ := os.ReadFile(again)
	if !bytes.Equal(one, two) {
		t.Error("the vocabulary changed on the way")
	}
	if _, err := VocabularyOf(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file was read")
	}
}
