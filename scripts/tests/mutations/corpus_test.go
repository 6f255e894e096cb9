package mutations

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/embedded"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/quantize"
)

// A corpus is sound models, and a seed that decides how they are damaged.
type corpus struct {
	seed   uint64
	names  []string
	models []*file
}

// newCorpus writes the models: the control model, one of each architecture, one with experts and one whose weights are quantised.
func newCorpus(t *testing.T, seed uint64) *corpus {
	t.Helper()
	c, folder := &corpus{seed: seed}, t.TempDir()
	must := func(err error) {
		t.Helper()
		assert.NilError(t, err)
	}
	add := func(name, path string) {
		t.Helper()
		f, err := parse(path)
		must(err)
		c.names, c.models = append(c.names, name), append(c.models, f)
	}
	write := func(name string, architecture llamatest.Architecture, shape llamatest.Shape) string {
		t.Helper()
		path := filepath.Join(folder, name+".gguf")
		shape.Layers = max(shape.Layers, architecture.LeastLayers())
		must(llamatest.Write(path, llamatest.Model{
			Name: name, Architecture: architecture, Vocabulary: llamatest.SmallVocabulary(), Shape: shape, Seed: 1,
		}))
		return path
	}
	control, err := embedded.File()
	must(err)
	add("control", control)
	small := llamatest.Shape{Width: 64, Heads: 4, KVHeads: 2, Inner: 96, Layers: 2, Context: 512}
	for _, architecture := range llamatest.Architectures() {
		add(string(architecture), write(string(architecture), architecture, small))
	}
	experts := small
	experts.Experts, experts.Active = 4, 2
	add("experts", write("experts", llamatest.Llama, experts))
	wide := llamatest.Shape{Width: 256, Heads: 4, KVHeads: 2, Inner: 256, Layers: 1, Context: 512}
	quantised := filepath.Join(folder, "q4_k_m.gguf")
	must(quantize.Write(context.Background(), quantize.Options{
		Source: write("wide", llamatest.Llama, wide), Target: quantised, Type: "Q4_K_M",
	}))
	add("Q4_K_M", quantised)
	return c
}

// A mutation says what was damaged.
type mutation struct{ model, kind, about string }

// mutation damages a model in a way that the number and the seed decide.
func (c *corpus) mutation(number int) (mutation, []byte) {
	r := random{rand.New(rand.NewPCG(c.seed, uint64(number)+1))}
	model := r.IntN(len(c.models))
	f, d := c.models[model].clone(), damages[r.IntN(len(damages))]
	about := d.do(f, r)
	return mutation{c.names[model], d.kind, about}, f.bytes()
}
