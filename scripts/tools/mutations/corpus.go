package main

import (
	"context"
	"math/rand/v2"
	"path/filepath"

	"proctor/backends/embedded"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/quantize"
)

// A corpus is sound models, and all mutations of them in an order that the seed decides.
type corpus struct {
	seed   uint64
	names  []string
	models []*file
	all    []mutation
}

// newCorpus writes the models into a folder: the control model, one of each architecture, one with experts and one whose weights
// are quantised.
func newCorpus(folder string, seed uint64) (*corpus, error) {
	c := &corpus{seed: seed}
	control, err := embedded.File()
	if err != nil {
		return nil, err
	}
	if err := c.add("control", control); err != nil {
		return nil, err
	}
	small := llamatest.Shape{Width: 64, Heads: 4, KVHeads: 2, Inner: 96, Layers: 2, Context: 512}
	experts := small
	experts.Experts, experts.Active = 4, 2
	for _, architecture := range llamatest.Architectures() {
		shape := small
		shape.Layers = max(shape.Layers, architecture.LeastLayers())
		if err := c.invent(folder, string(architecture), architecture, shape); err != nil {
			return nil, err
		}
	}
	if err := c.invent(folder, "experts", llamatest.Llama, experts); err != nil {
		return nil, err
	}
	wide, quantised := filepath.Join(folder, "wide.gguf"), filepath.Join(folder, "q4_k_m.gguf")
	small.Width, small.Inner, small.Layers = 256, 256, 1
	m := llamatest.Model{Name: "wide", Vocabulary: llamatest.SmallVocabulary(), Shape: small, Seed: 1}
	if err := llamatest.Write(wide, m); err != nil {
		return nil, err
	}
	if err := quantize.Write(context.Background(), quantize.Options{Source: wide, Target: quantised, Type: "Q4_K_M"}); err != nil {
		return nil, err
	}
	if err := c.add("Q4_K_M", quantised); err != nil {
		return nil, err
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(c.all), func(i, j int) { c.all[i], c.all[j] = c.all[j], c.all[i] })
	return c, nil
}

func (c *corpus) invent(folder, name string, architecture llamatest.Architecture, shape llamatest.Shape) error {
	path := filepath.Join(folder, name+".gguf")
	m := llamatest.Model{Name: name, Architecture: architecture, Vocabulary: llamatest.SmallVocabulary(), Shape: shape, Seed: 1}
	if err := llamatest.Write(path, m); err != nil {
		return err
	}
	return c.add(name, path)
}

func (c *corpus) add(name, path string) error {
	if _, err := gguf.Open(path); err != nil {
		return err
	}
	f, err := parse(path)
	if err != nil {
		return err
	}
	for _, m := range mutations(f) {
		m.model = len(c.models)
		c.all = append(c.all, m)
	}
	c.names, c.models = append(c.names, name), append(c.models, f)
	return nil
}

// mutation returns what is done to make the file of a number, and the file. Numbers past the end of the list begin it anew, with
// other numbers by chance.
func (c *corpus) mutation(number int) (mutation, []byte) {
	m := c.all[number%len(c.all)]
	return m, m.write(c.models[m.model].clone(), rand.New(rand.NewPCG(c.seed, uint64(number)+1)))
}
