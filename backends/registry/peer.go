package registry

import (
	"context"
	"errors"
	"strings"

	"proctor/backends"
	"proctor/backends/openai"
)

// Peer opens the model that a running server of OpenAI's protocol has, to be measured beside another: the one that options mean,
// which it should be too, and whose vocabulary counts the tokens of its prompts. Concurrency is how many requests are in flight;
// 0: as many as the server answers at a time.
func Peer(ctx context.Context, url string, concurrency int, options Options) (backends.Model, error) {
	vocabulary, err := Reading(ctx, options, false)
	if err != nil {
		return nil, err
	}
	base, name, _ := strings.Cut(url, "#")
	model, err := openai.Open(ctx, openai.Options{Base: base, Name: name, Concurrency: concurrency, Vocabulary: vocabulary})
	if err != nil {
		return nil, errors.Join(err, vocabulary.Close())
	}
	return &peer{counted{model, vocabulary}}, nil
}

// peer is a server's model that stands in a table beside another.
type peer struct{ counted }

// Info implements [backends.Model]. A server does not tell the architecture: its model's name stands for it in a table.
func (p *peer) Info(ctx context.Context) (backends.Info, error) {
	info, err := p.Model.Info(ctx)
	info.Model.Architecture = info.Model.Name
	return info, err
}
