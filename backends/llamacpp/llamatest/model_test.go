package llamatest

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

func TestTheShapeHasTheRequestedParameters(t *testing.T) {
	for _, tokens := range []int{700, 32064, 151936} {
		for _, parameters := range []int64{100e6, 350e6, 1e9, 8e9} {
			s, err := Sized(parameters, tokens)
			assert.NilError(t, err)
			got := s.Parameters(tokens)
			off := math.Abs(float64(got-parameters)) / float64(parameters)
			assert.Check(t, off <= 0.1, "%d asked for with %d tokens: %+v has %d", parameters, tokens, s, got)
			assert.Check(t, s.Width%256 == 0 && s.Inner%256 == 0 && s.Width%s.Heads == 0 && s.Heads%s.KVHeads == 0,
				"%+v cannot be quantised or split into heads", s)
		}
	}
	_, err := Sized(1e6, 32064)
	assert.Check(t, err != nil, "a vocabulary larger than the model was accepted")
}

// All groups, sizes and kinds of numbers that the files of data name are there, and the same model has the same bytes.
func TestEveryArchitectureIsWritten(t *testing.T) {
	for _, a := range slices.Concat(Architectures(), Newer()) {
		m := Model{
			Architecture: a, Vocabulary: SmallVocabulary(),
			Shape: Shape{Width: 64, Heads: 2, KVHeads: 1, Inner: 32, Layers: a.LeastLayers(), Context: 64},
		}
		var written [2][]byte
		for i := range written {
			path := filepath.Join(t.TempDir(), "m.gguf")
			assert.NilError(t, Write(path, m), "%s", a)
			written[i], _ = os.ReadFile(path)
		}
		assert.Check(t, bytes.Equal(written[0], written[1]), "%s", a)
		assert.Check(t, bytes.Contains(written[0], []byte(a)), "%s", a)
	}
}

func TestAVocabularyIsTakenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	m := Model{Vocabulary: SmallVocabulary(), Shape: Shape{Width: 32, Heads: 2, KVHeads: 1, Inner: 32, Layers: 1,
		Context: 64}}
	assert.NilError(t, Write(path, m))
	v, err := VocabularyOf(path)
	assert.NilError(t, err)
	m.Vocabulary = v
	again := filepath.Join(t.TempDir(), "again.gguf")
	assert.NilError(t, Write(again, m))
	one, _ := os.ReadFile(path)
	two, _ := os.ReadFile(again)
	assert.Check(t, bytes.Equal(one, two), "the vocabulary changed on the way")
	_, err = VocabularyOf(filepath.Join(t.TempDir(), "none"))
	assert.Check(t, err != nil, "a missing file was read")
}
