package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama"
	"proctor/backends/ollama/store"
	"proctor/runner/journal"
)

// serverOptions reads how an Ollama server is to be asked. A run that goes on asks as many items at a time as it did
// before, unless the flag says otherwise: answers can depend on it.
func (p program) serverOptions(c *cli.Context, earlier journal.Header) (ollama.Options, error) {
	options := ollama.Options{
		Name: strings.TrimPrefix(c.String("model"), ollamaPrefix), Ref: c.String("model"), Hosts: hostsOf(c),
		Context: c.Int("ctx"), Threads: c.Int("threads"), Pull: c.Bool("pull"), Deadline: c.Duration("timeout"),
		Pulling: p.pulling(), Log: p.serverLog(c.Bool("quiet"), c.Bool("verbose")),
	}
	if c.IsSet("gpu-layers") {
		layers := c.Int("gpu-layers")
		options.GPULayers = &layers
	}
	if c.IsSet("timeout") && options.Deadline <= 0 {
		return options, fmt.Errorf("--timeout %s: it must be above 0, as in 90s", options.Deadline)
	}
	if err := checkComputing(c); err != nil {
		return options, err
	}
	switch text := c.String("concurrency"); {
	case c.IsSet("concurrency") && text != auto:
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return options, fmt.Errorf("--concurrency %s: give a number from 1, or auto", text)
		}
		options.Concurrency = n
	case !c.IsSet("concurrency") && earlier.Backend.Slots > 0:
		options.Concurrency = max(1, earlier.Backend.Slots/max(1, len(earlier.Backend.Servers)))
	}
	return options, nil
}

// served is a model that Ollama's servers run, with the vocabulary that its tokens are counted by.
type served struct {
	*ollama.Model
	vocabulary *llamacpp.Vocabulary // nil where nobody tells it
}

// openServed asks the servers for the model.
func (p program) openServed(ctx context.Context, options ollama.Options) (*served, error) {
	s := &served{}
	options.OpenVocabulary = func(path string) (backends.Tokenizer, error) {
		v, err := llamacpp.OpenVocabulary(path)
		if err != nil {
			return nil, err
		}
		s.vocabulary = v
		return v, nil
	}
	options.Vocabulary = func(fileSHA256 string) (backends.Tokenizer, error) {
		path, there := store.Local().Blob(fileSHA256)
		if !there {
			return nil, nil
		}
		v, err := options.OpenVocabulary(path)
		if err != nil { // a model that only the server can read
			p.warn(err.Error())
			return nil, nil
		}
		return v, nil
	}
	var err error
	if s.Model, err = ollama.Open(ctx, options); err != nil {
		return nil, errors.Join(err, s.vocabulary.Close())
	}
	return s, nil
}

// Close implements [backends.Model].
func (s *served) Close() error {
	return errors.Join(s.Model.Close(), s.vocabulary.Close())
}

// pulling shows on a terminal how much of a model a server has pulled, elsewhere what it is at.
func (p program) pulling() func(host, status string, completed, total int64) {
	last := ""
	return func(host, status string, completed, total int64) {
		switch {
		case p.terminal && total > 0:
			fmt.Fprintf(p.stderr, "\r%s: %s %s of %s\x1b[K", host, status, size(completed), size(total))
		case status != last:
			p.note(host + ": " + status)
		}
		last = status
	}
}

// serverLog passes on what a person should know of the servers, and with verbose every try that failed.
func (p program) serverLog(quiet, verbose bool) func(slog.Level, string) {
	return func(level slog.Level, text string) {
		switch {
		case level >= slog.LevelWarn:
			p.warn(text)
		case verbose, level >= slog.LevelInfo && !quiet:
			p.note(text)
		}
	}
}

// servedLine tells how a served model is asked.
func servedLine(a backends.Allocation) string {
	line := fmt.Sprintf("%s in flight, num_ctx %d", english.Plural(a.Slots, "request", ""), a.Context)
	if a.KV > 0 { // else the server did not say what the model takes
		line += fmt.Sprintf(": weights %s + cache and scratch %s = %s at the server", size(a.Weights), size(a.KV), size(a.Total()))
	}
	return line
}
