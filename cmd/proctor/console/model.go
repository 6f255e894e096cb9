package console

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/engines"
	"proctor/backends/registry"
	"proctor/backends/setting"
	"proctor/cmd/proctor/flags"
	"proctor/prompts/chat"
	"proctor/prompts/dataset"
	"proctor/runner/ask/form"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
)

// Showing has a model's notes and warnings shown to people.
func Showing(p *Program) registry.Options {
	return registry.Options{Engines: KeptEngines(), Warn: p.Warn, Note: p.Note, Draw: p.Draw()}
}

// Models are the models that a command's arguments name, or --model, each with its complete name.
func Models(c *cli.Context, arguments []string) ([]string, error) {
	given := arguments
	switch {
	case len(given) == 0:
		given = []string{c.String("model")}
	case c.IsSet("model"):
		return nil, fmt.Errorf("%s takes its MODEL once: %s as --model, or %s as the argument", c.Command.Name, c.String("model"),
			setting.Command(given...))
	}
	var refs []string
	for _, typed := range given {
		if _, err := journal.HeaderOf(typed); len(arguments) > 0 && err == nil {
			return nil, fmt.Errorf("%s is a run, not a model; to resume it: proctor run --resume %s", typed, setting.Command(typed))
		}
		ref := registry.WithScheme(typed, c.IsSet("servers"))
		if slices.Contains(refs, ref) {
			return nil, fmt.Errorf("%s is named twice", typed)
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// Named copies a specification's model, and how it computes, into options.
func Named(o *registry.Options, m *spec.Model) error {
	o.Ref, o.Slots, o.Threads, o.Devices, o.KVType, o.Engine = m.Model, int(m.Slots), m.Threads, m.Devices, m.KVType, m.Engine
	o.Context, o.Kernels, o.Adapters = m.Context, strings.TrimPrefix(m.Kernels, flags.Auto), nil
	if o.GPULayers = nil; m.GPULayers != "" {
		layers, err := GPULayers(string(m.GPULayers))
		if err != nil {
			return err
		}
		o.GPULayers = &layers
	}
	for _, a := range m.Adapters {
		o.Adapters = append(o.Adapters, registry.Adapter(a))
	}
	if err := registry.CheckThreads(m.Threads); err != nil {
		return fmt.Errorf("--threads %d: %w", m.Threads, err)
	}
	return nil
}

// Served copies a specification's servers into options.
func Served(o *registry.Options, s *spec.Servers) (err error) {
	o.Servers, o.Concurrency, o.Timeout = s.Servers, int(s.Concurrency), s.Timeout
	if s.Body.Given == "" {
		return nil
	}
	text, where := s.Body.Given, "--extra-body"
	if s.Body.Text != "" {
		text, where = s.Body.Text, where+" "+strings.TrimPrefix(s.Body.Given, "@")
	}
	if o.Body, err = registry.ParseBody([]byte(text), s.Body.Text == ""); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// GPULayers parses the number of layers on GPUs.
func GPULayers(text string) (int, error) {
	switch text {
	case "all":
		return registry.AllLayers, nil
	case flags.Auto:
		return registry.AutoLayers, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("--gpu-layers %s: give a number from 0, all, or auto", text)
	}
	return n, nil
}

// KeptEngines is the store of this machine's engines.
func KeptEngines() (s engines.Store) {
	if data, err := dataset.Folder(); err == nil {
		s.Folder = filepath.Join(data, "engines")
	}
	return s
}

// FormOf is the form in which a model gets its prompts.
func FormOf(p *spec.Prompts) (form.Form, error) {
	f := form.Form{
		Mode: p.Prompt, Think: p.Thinks(), Effort: p.Effort, Builtin: p.ChatTemplate.Builtin(), Write: registry.BuiltinTemplate,
		File: p.ChatTemplate.Text, FileName: p.ChatTemplate.Name(), Arguments: p.TemplateArgs.Arguments,
		Marks: p.Marks.Thinking,
	}
	if value, both := f.Arguments["enable_thinking"]; both && f.Think != nil {
		return f, fmt.Errorf("--think sets enable_thinking too: give it or --template-arg enable_thinking=%v", value)
	}
	if f.File != "" {
		if _, err := chat.Parse(f.FileName, f.File); err != nil {
			return f, fmt.Errorf("--chat-template: %w", err)
		}
	}
	return f, nil
}
