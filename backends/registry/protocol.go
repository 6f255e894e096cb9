package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/openai"
	"proctor/backends/setting"
)

// openaiPrefix begins references to models that servers of OpenAI's protocol have, such as openai:qwen3-8b.
const openaiPrefix = "openai:"

// Where the servers of OpenAI's protocol are, and the key that they ask for, as its own clients read them. A key is given nowhere
// else: a command line is read by everybody who lists the processes.
const (
	baseVariable = "OPENAI_BASE_URL"
	keyVariable  = "OPENAI_API_KEY"
)

func isOpenAI(o *Options) bool { return strings.HasPrefix(o.Ref, openaiPrefix) }

// noFile refuses what needs a model's file.
func noFile(ref string) (string, error) {
	return "", fmt.Errorf("%s: its server does not give the model's file: give the path of the GGUF file", ref)
}

// openProtocol asks servers of OpenAI's protocol for the model.
func openProtocol(ctx context.Context, o *Options) (backends.Model, error) {
	options := openai.Options{
		Name: strings.TrimPrefix(o.Ref, openaiPrefix), Ref: o.Ref, Servers: o.Servers, Base: os.Getenv(baseVariable),
		Key: os.Getenv(keyVariable), Context: o.Context, Concurrency: o.Concurrency, Asking: o.asking(), Body: o.Body,
	}
	if len(options.Servers) == 0 && options.Base == "" {
		return nil, fmt.Errorf("%s: no server is named: give %s, as in %s, or set %s", o.Ref, setting.Servers,
			setting.Servers.As("http://127.0.0.1:8080"), baseVariable)
	}
	if o.Like != nil && o.Like.Slots > 0 && !o.given(setting.Concurrency) {
		options.Concurrency = max(1, o.Like.Slots/max(1, len(o.Like.Servers)))
	}
	if o.Vocabulary == "" {
		return openai.Open(ctx, options)
	}
	vocabulary, err := o.openVocabulary(ctx, o.Vocabulary)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting.Vocabulary, err)
	}
	options.Vocabulary = vocabulary
	model, err := openai.Open(ctx, options)
	if err != nil {
		return nil, errors.Join(err, vocabulary.Close())
	}
	return &counted{model, vocabulary}, nil
}

// counted is a server's model with its vocabulary, which is closed with it.
type counted struct {
	*openai.Model
	vocabulary io.Closer
}

// Close implements [backends.Model].
func (c *counted) Close() error { return errors.Join(c.Model.Close(), c.vocabulary.Close()) }

// listProtocol finds the models of the server that the environment names, if it names one.
func listProtocol(ctx context.Context, _, _ []string, to *Catalogue) error {
	place, named := protocolServer(ctx)
	if named {
		to.Servers = append(to.Servers, place)
	}
	return nil
}

// protocolServer is what the server has that the environment names; false where it names none.
func protocolServer(ctx context.Context) (place Place, named bool) {
	base := os.Getenv(baseVariable)
	if base == "" {
		return place, false
	}
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	at, models, err := openai.List(ctx, openai.Options{Base: base, Key: os.Getenv(keyVariable)})
	place = Place{Title: "Server of OpenAI's protocol at " + at, None: "it has no models", Address: at, Models: []Named{}}
	if err != nil {
		place.None, place.Away = err.Error(), err.Error()
	}
	for _, m := range models {
		place.Models = append(place.Models, Named{Ref: openaiPrefix + m.Name, Parameters: m.Parameters, SizeBytes: m.SizeBytes,
			ContextLength: m.ContextLength})
	}
	return place, true
}

// answers says what a server has, or why it does not answer.
func (p *Place) answers() string {
	if p.Away != "" {
		return p.Address + " does not answer: " + p.Away
	}
	return fmt.Sprintf("%s has %s", p.Address, english.Plural(len(p.Models), "model", ""))
}

// A Body is what people have servers of OpenAI's protocol get with every request for an answer.
type Body = openai.Body

// ParseBody is [openai.ParseBody].
func ParseBody(text []byte, everybodyReads bool) (*Body, error) {
	return openai.ParseBody(text, everybodyReads)
}
