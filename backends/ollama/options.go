package ollama

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"proctor/backends"
)

// Options say which model to ask, where, and how patiently. Zero values choose what fits.
type Options struct {
	Name  string   // of the model at the server, NAME or NAME:TAG
	Ref   string   // how the user named it; "": ollama:NAME
	Hosts []string // the servers, each written like OLLAMA_HOST; none: what OLLAMA_HOST names

	// Vocabulary finds the vocabulary of the GGUF file with a SHA-256, for counting prompts before they are asked; it
	// returns nil where that file is not at hand. Open calls it once; nil: no file is. What it returns is used by one
	// goroutine at a time, and closed with the model where it is an [io.Closer].
	Vocabulary func(fileSHA256 string) (backends.Tokenizer, error)
	// OpenVocabulary opens a GGUF file that holds a vocabulary and nothing else, which Open makes of what a server tells
	// where Vocabulary finds none. The file is gone afterwards. nil: then nothing is counted.
	OpenVocabulary func(path string) (backends.Tokenizer, error)

	Context     int  // num_ctx, tokens that prompt and answer may have together; 0: what the planned work needs
	Concurrency int  // requests in flight at each server; 0: Plan finds out
	Threads     int  // num_thread; 0: the server decides
	GPULayers   *int // num_gpu; nil: the server decides

	Pull    bool                                              // have a server pull a model that it lacks
	Pulling func(host, status string, completed, total int64) // sees how far a pull is; may be nil

	Deadline time.Duration // an item's time, all its tries and the waits between them; 0: 15 minutes
	Silence  time.Duration // how long a server may send nothing before it is asked again; 0: 5 minutes
	Patience time.Duration // how long to wait while no server answers, at most Deadline; 0: a minute
	Tries    int           // how often an item is asked at most; 0: 8

	// Transport carries the requests; nil: one that uses no proxy.
	Transport http.RoundTripper
	// Log is told what a person at the screen should know: servers that go and come back. It may be called from any
	// goroutine, while Open, Plan or Generate runs.
	Log func(level slog.Level, text string)
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
	o.Deadline, o.Silence = cmp.Or(o.Deadline, 15*time.Minute), cmp.Or(o.Silence, 5*time.Minute)
	o.Patience, o.Tries = min(cmp.Or(o.Patience, time.Minute), o.Deadline), cmp.Or(o.Tries, 8)
	if o.Log == nil {
		o.Log = func(slog.Level, string) {}
	}
	return nil
}
