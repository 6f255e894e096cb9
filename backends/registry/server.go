package registry

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
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
	if b, err := backendOf(o.Model); err == nil && b.reads {
		return fmt.Errorf("%s is at a server, and score reads with files only: give the model's GGUF file", o.Model)
	}
	_, err := o.meant()
	return err
}

// CheckDirect refuses a model that is known without opening it to lack the letters' log-probabilities, and flags that
// do not apply to it.
func (o *Options) CheckDirect() error {
	if isOllama(o.Model) {
		return fmt.Errorf("%s cannot answer with letters alone: an Ollama server reports the likeliest tokens only, not how "+
			"likely given ones are: give the model's GGUF file, or openai:NAME at a llama-server", o.Model)
	}
	_, err := o.meant()
	return err
}

// storedFile finds a model's file in Ollama's local store.
func storedFile(ref string) (string, error) {
	found, err := store.Local().Find(strings.TrimPrefix(ref, ollama.Prefix))
	return found.Path, err
}

// forServers are the settings for a client, and its options, which tell people what they should know of the servers. As
// many requests are in flight at each server as in the run to resume, unless the user says otherwise.
func (o *Options) forServers() (s backends.Settings, client servers.ClientOptions, err error) {
	s = o.Settings
	if s.Concurrency > servers.MostInFlight {
		return s, client, fmt.Errorf("%s %d: a server gets at most %d requests at a time", setting.Concurrency, s.Concurrency,
			servers.MostInFlight)
	}
	if o.Like != nil && o.Like.Slots > 0 && !slices.Contains(o.Given, "concurrency") {
		s.Concurrency = max(1, o.Like.Slots/max(1, len(o.Like.Servers)))
	}
	return s, servers.ClientOptions{Log: func(level slog.Level, text string) {
		switch {
		case level >= slog.LevelWarn:
			say(o.Warn, text)
		case level >= slog.LevelInfo && !o.Quiet:
			say(o.Note, text)
		}
	}}, nil
}

func openServed(ctx context.Context, o *Options) (backends.Model, error) {
	settings, client, err := o.forServers()
	if err != nil {
		return nil, err
	}
	return ollama.Open(ctx, ollama.Options{
		Settings: settings, ClientOptions: client,
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
	})
}

// Where the servers of OpenAI's protocol are, and the key that they ask for, as its own clients read them. A key is
// given nowhere else: a command line is read by everybody who lists the processes.
const (
	baseVariable = "OPENAI_BASE_URL"
	keyVariable  = "OPENAI_API_KEY"
)

func openProtocol(ctx context.Context, o *Options) (backends.Model, error) {
	settings, client, err := o.forServers()
	if err != nil {
		return nil, err
	}
	base := os.Getenv(baseVariable)
	if len(settings.Servers) == 0 && base == "" {
		return nil, fmt.Errorf("%s: no server is named: give %s, as in %s, or set %s", o.Model, setting.Servers,
			setting.Servers.As("http://127.0.0.1:8080"), baseVariable)
	}
	return openai.Open(ctx, openai.Options{
		Settings: settings, Base: base, Key: os.Getenv(keyVariable), ClientOptions: client,
	})
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
			Ref: openai.Prefix + m.Name, Parameters: m.Parameters, SizeBytes: m.SizeBytes, ContextLength: m.ContextLength,
		})
	}
	to.Servers = append(to.Servers, place)
	return nil
}
