package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama/store"
	"proctor/runner/journal"
)

// ollamaPrefix begins references to models that Ollama has, such as ollama:llama3:8b.
const ollamaPrefix = "ollama:"

// modelFile finds the GGUF file that a reference means; that of an Ollama model lies in the local store.
func modelFile(ref string) (string, error) {
	if ref == embedded.Ref {
		return embedded.File()
	}
	if name, isOllama := strings.CutPrefix(ref, ollamaPrefix); isOllama {
		found, err := store.Local().Find(name)
		return found.Path, err
	}
	if strings.TrimSpace(ref) == "" {
		return "", errors.New("--model is empty: give the path of a GGUF file, ollama:NAME, or embedded")
	}
	return ref, nil
}

// runnableFile is modelFile for a model that the in-process engine is to run.
func runnableFile(ref string) (string, error) {
	if name, isOllama := strings.CutPrefix(ref, ollamaPrefix); isOllama {
		if found, err := store.Local().Find(name); err == nil && found.Adapter {
			return "", fmt.Errorf("%s has a LoRA adapter, which the in-process engine cannot add to the weights: leave --in-process out", ref)
		}
	}
	return modelFile(ref)
}

// vocabulary opens the part of a model that turns text into tokens.
func vocabulary(ref string) (*llamacpp.Vocabulary, error) {
	path, err := modelFile(ref)
	if err != nil {
		return nil, err
	}
	return llamacpp.OpenVocabulary(path)
}

// reader is the part of a model that reads a prompt.
type reader interface {
	backends.Tokenizer
	Close() error
}

// reader opens what reads the prompts of the model that --model names: its vocabulary, or its server where that is to
// write conversations down or alone has the model.
func (p program) reader(c *cli.Context, conversing bool) (reader, error) {
	atServer, err := isServed(c)
	if err != nil {
		return nil, err
	}
	if !atServer || !conversing {
		local, err := vocabulary(c.String("model"))
		if !atServer || !errors.Is(err, store.ErrNotFound) {
			return local, err
		}
	}
	options, err := p.serverOptions(c, journal.Header{})
	if err != nil {
		return nil, err
	}
	return p.openServed(c.Context, options)
}
