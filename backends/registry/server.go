package registry

import (
	"context"
	"strings"

	"proctor/backends"
	"proctor/backends/ollama"
	"proctor/backends/ollama/store"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// ollamaPrefix begins references to models that Ollama has, such as ollama:llama3:8b.
const ollamaPrefix = "ollama:"

func isOllama(o *Options) bool { return strings.HasPrefix(o.Ref, ollamaPrefix) }

// Served says whether a server runs the model.
func (o *Options) Served() bool { return isServed(o) || isOpenAI(o) }

func isServed(o *Options) bool { return isOllama(o) && !o.InProcess }

// storedFile finds a model's file in Ollama's local store.
func storedFile(ref string) (string, error) {
	found, err := store.Local().Find(strings.TrimPrefix(ref, ollamaPrefix))
	return found.Path, err
}

// asking is how servers are asked.
func (o *Options) asking() servers.Asking {
	return servers.Asking{Deadline: o.Timeout, Log: o.serverLog}
}

// openServed asks Ollama's servers for the model.
func openServed(ctx context.Context, o *Options) (backends.Model, error) {
	options := ollama.Options{
		Name: strings.TrimPrefix(o.Ref, ollamaPrefix), Ref: o.Ref, Hosts: o.Hosts, Context: o.Context, Concurrency: o.Concurrency,
		Threads: o.Threads, GPULayers: o.GPULayers, Pull: o.Pull, Pulling: o.pulling(), Asking: o.asking(),
		OpenVocabulary: func(path string) (backends.Tokenizer, error) { return o.tokenizer(ctx, path) },
		Vocabulary: func(fileSHA256 string) (backends.Tokenizer, error) {
			path, there := store.Local().Blob(fileSHA256)
			if !there {
				return nil, nil
			}
			v, err := o.tokenizer(ctx, path)
			if err != nil { // a model that only the server can read
				o.warn(err.Error())
				return nil, nil
			}
			return v, nil
		},
	}
	if o.GPULayers != nil && *o.GPULayers == AutoLayers {
		options.GPULayers = nil // the server decides
	}
	if o.Like != nil && o.Like.Slots > 0 && !o.given(setting.Concurrency) {
		options.Concurrency = max(1, o.Like.Slots/max(1, len(o.Like.Servers)))
	}
	return ollama.Open(ctx, options)
}

func (o *Options) tokenizer(ctx context.Context, path string) (backends.Tokenizer, error) {
	v, err := o.openVocabulary(ctx, path)
	if err != nil {
		return nil, err
	}
	return v, nil
}
