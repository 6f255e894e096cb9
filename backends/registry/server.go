package registry

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/ollama"
	"proctor/backends/ollama/store"
	"proctor/backends/openai"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// CheckScores refuses models at servers, whose completions score does not read, and flags that do not apply to the
// model.
func (o *Options) CheckScores() error {
	if isOllama(o.Ref) || isOpenAI(o.Ref) {
		return fmt.Errorf("%s is at a server, and score reads with files only: give the model's GGUF file", o.Ref)
	}
	_, err := o.meant()
	return err
}

// CheckDirect refuses a model that is known without opening it to lack the letters' log-probabilities, and flags that
// do not apply to it.
func (o *Options) CheckDirect() error {
	if isOllama(o.Ref) {
		return fmt.Errorf("%s cannot answer with letters alone: an Ollama server reports the likeliest tokens only, not how "+
			"likely given ones are: give the model's GGUF file, or openai:NAME at a llama-server", o.Ref)
	}
	_, err := o.meant()
	return err
}

// storedFile finds a model's file in Ollama's local store.
func storedFile(ref string) (string, error) {
	found, err := store.Local().Find(strings.TrimPrefix(ref, ollamaPrefix))
	return found.Path, err
}

// concurrency is how many requests are in flight at each server: as many as in the run to resume, unless the user says
// otherwise.
func (o *Options) concurrency() (int, error) {
	if o.Concurrency > servers.MostInFlight {
		return 0, fmt.Errorf("%s %d: a server gets at most %d requests at a time", setting.Concurrency, o.Concurrency,
			servers.MostInFlight)
	}
	if o.Like != nil && o.Like.Slots > 0 && !o.given(setting.Concurrency) {
		return max(1, o.Like.Slots/max(1, len(o.Like.Servers))), nil
	}
	return o.Concurrency, nil
}

// client are the options of every client, which tells people what they should know of the servers.
func (o *Options) client() servers.ClientOptions {
	return servers.ClientOptions{Deadline: o.Timeout, Log: func(level slog.Level, text string) {
		switch {
		case level >= slog.LevelWarn:
			say(o.Warn, text)
		case level >= slog.LevelInfo && !o.Quiet:
			say(o.Note, text)
		}
	}}
}

func openServed(ctx context.Context, o *Options) (backends.Model, error) {
	concurrency, err := o.concurrency()
	if err != nil {
		return nil, err
	}
	options := ollama.Options{
		Name: strings.TrimPrefix(o.Ref, ollamaPrefix), Ref: o.Ref, Hosts: o.Servers, Context: o.Context,
		Concurrency: concurrency, Threads: o.Threads, GPULayers: o.GPULayers, ClientOptions: o.client(),
		Vocabulary: func(fileSHA256 string) (backends.Tokenizer, error) {
			path, there := store.Local().Blob(fileSHA256)
			if !there {
				return nil, nil
			}
			v, err := o.openVocabulary(ctx, path)
			if err != nil { // a model that only the server can read
				say(o.Warn, err.Error())
				return nil, nil
			}
			return v, nil
		},
	}
	if o.GPULayers != nil && *o.GPULayers == AutoLayers {
		options.GPULayers = nil // the server decides
	}
	return ollama.Open(ctx, options)
}

// Where the servers of OpenAI's protocol are, and the key that they ask for, as its own clients read them. A key is
// given nowhere else: a command line is read by everybody who lists the processes.
const (
	baseVariable = "OPENAI_BASE_URL"
	keyVariable  = "OPENAI_API_KEY"
)

func openProtocol(ctx context.Context, o *Options) (backends.Model, error) {
	concurrency, err := o.concurrency()
	if err != nil {
		return nil, err
	}
	options := openai.Options{
		Name: strings.TrimPrefix(o.Ref, openaiPrefix), Ref: o.Ref, Servers: o.Servers, Base: os.Getenv(baseVariable),
		Key: os.Getenv(keyVariable), Context: o.Context, Concurrency: concurrency, ClientOptions: o.client(), Body: o.Body,
	}
	if len(options.Servers) == 0 && options.Base == "" {
		return nil, fmt.Errorf("%s: no server is named: give %s, as in %s, or set %s", o.Ref, setting.Servers,
			setting.Servers.As("http://127.0.0.1:8080"), baseVariable)
	}
	return openai.Open(ctx, options)
}

// listProtocol finds the models of the server that the environment names, if it names one.
func listProtocol(ctx context.Context, _ []string, to *Catalogue) error {
	base := os.Getenv(baseVariable)
	if base == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	at, models, err := openai.List(ctx, openai.Options{Base: base, Key: os.Getenv(keyVariable)})
	place := Place{
		Title: "Server of OpenAI's protocol at " + at, None: "it has no models", Address: at, Models: []Named{},
		known: Line{"OpenAI protocol", at + " has " + english.Plural(len(models), "model", "")},
	}
	if err != nil {
		place.None, place.Away = err.Error(), err.Error()
		place.known.Text = at + " does not answer: " + place.Away
	}
	for _, m := range models {
		place.Models = append(place.Models, Named{
			Ref: openaiPrefix + m.Name, Parameters: m.Parameters, SizeBytes: m.SizeBytes, ContextLength: m.ContextLength,
		})
	}
	to.Servers = append(to.Servers, place)
	return nil
}

// A Body holds the fields that people add to every request to servers of OpenAI's protocol.
type Body = openai.Body

// ParseBody is [openai.ParseBody].
var ParseBody = openai.ParseBody
