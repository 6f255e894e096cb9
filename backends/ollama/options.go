package ollama

import (
	"cmp"
	"errors"
	"fmt"

	"proctor/backends"
	"proctor/backends/servers"
)

// Options say which model to ask, where, and how patiently. Zero values choose what fits.
type Options struct {
	Name  string   // of the model at the server, NAME or NAME:TAG
	Ref   string   // how the user named it; "": ollama:NAME
	Hosts []string // the servers, each written like OLLAMA_HOST; none: what OLLAMA_HOST names

	// Vocabulary finds the vocabulary of the GGUF file with a SHA-256, for counting prompts before they are sent; it
	// returns nil where that file is not at hand. Open calls it once; nil: no file is, and nothing is counted. What it returns is used
	// by one goroutine at a time, and closed with the model where it is an [io.Closer].
	Vocabulary func(fileSHA256 string) (backends.Tokenizer, error)

	Context     int  // num_ctx, tokens that prompt and answer may have together; 0: what the planned work needs
	Concurrency int  // requests in flight at each server; 0: as many as it answers fastest
	Threads     int  // num_thread; 0: the server decides
	GPULayers   *int // num_gpu; nil: the server decides

	servers.ClientOptions // its own transport uses no proxy
}

// applyDefaults fills in defaults and refuses what cannot be.
func (o *Options) applyDefaults() error {
	if o.Name == "" {
		return errors.New("ollama: the model's name is empty: give ollama:NAME or ollama:NAME:TAG, as ollama list shows it")
	}
	o.Ref = cmp.Or(o.Ref, "ollama:"+o.Name)
	for _, n := range []struct {
		name  string
		value int
	}{{"context", o.Context}, {"concurrency", o.Concurrency}, {"threads", o.Threads}, {"tries", o.Tries}} {
		if n.value < 0 {
			return fmt.Errorf("ollama: %s: %d is below zero", n.name, n.value)
		}
	}
	o.ApplyDefaults()
	return nil
}
