package console

import (
	"cmp"
	"fmt"
	"path/filepath"
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

// Showing has a model tell people what they should know.
func Showing(p *Program) registry.Options {
	return registry.Options{Engines: KeptEngines(), EngineArgs: EngineArgs(), Warn: p.Warn, Note: p.Note, Draw: p.Draw()}
}

// OneModel takes a command's only argument for --model, and completes the model's name.
func OneModel(c *cli.Context) error {
	switch {
	case c.NArg() > 1:
		return fmt.Errorf("%s takes one MODEL, not %q; `proctor sweep` compares several", c.Command.Name, c.Args().Slice())
	case c.NArg() == 1 && c.IsSet("model"):
		return fmt.Errorf("%s takes one MODEL: %s as --model, or %s as the argument", c.Command.Name, c.String("model"), c.Args().First())
	}
	if _, err := journal.Begun(c.Args().First()); c.NArg() == 1 && err == nil {
		return fmt.Errorf("%s is a run, not a model; to go on with it: proctor run --resume %s", c.Args().First(),
			setting.Command(c.Args().First()))
	}
	typed := cmp.Or(c.Args().First(), c.String("model"))
	if ref := registry.Completed(typed, c.IsSet); ref != c.String("model") {
		return c.Set("model", ref)
	}
	return nil
}

// Named has options name a model, and how it computes, as a specification does.
func Named(o *registry.Options, m *spec.Model) error {
	o.Ref, o.Slots, o.Threads, o.Devices, o.KVType, o.Engine = m.Model, int(m.Slots), m.Threads, m.Devices, m.KVType, m.Engine
	o.Context, o.Verbose, o.Kernels, o.Adapters = m.Context, m.Verbose, strings.TrimPrefix(m.Kernels, flags.Auto), nil
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

// Served has options ask servers as a specification does.
func Served(o *registry.Options, s *spec.Servers) (err error) {
	o.Servers, o.Concurrency, o.Timeout, o.Tune = s.Servers, int(s.Concurrency), s.Timeout, s.Tune == flags.Auto
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

// GPULayers reads how many layers go to GPUs.
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

// The commands by which this program is an engine's process: one computes, the other says what an engine is.
const (
	EngineCommand   = "engine"
	ServeCommand    = "serve"
	DescribeCommand = "describe"
)

// EngineArgs have this program be the process of an engine.
func EngineArgs() []string { return []string{"proctor", EngineCommand, ServeCommand} }

// KeptEngines knows the engines of this machine.
func KeptEngines() engines.Store {
	s := engines.Store{
		Child: []string{"proctor", EngineCommand, DescribeCommand},
		Test:  []string{"doctor", "--self-test", "--format", "json", "--kernels"},
	}
	if data, err := dataset.Folder(); err == nil {
		s.Folder = filepath.Join(data, "engines")
	}
	return s
}

// TemplateCommand has this program render chat templates for a [chat.Process].
const TemplateCommand = "template"

// FormOf is the form in which a model gets its prompts.
func FormOf(p *spec.Prompts) (form.Form, error) {
	f := form.Form{
		Mode: p.Prompt, Think: p.Thinks(), Effort: p.Effort, Builtin: p.ChatTemplate.Builtin(), Write: registry.BuiltinTemplate,
		File: p.ChatTemplate.Text, FileName: p.ChatTemplate.Name(), Arguments: p.TemplateArgs.Arguments,
		Render: (&chat.Process{Args: []string{"proctor", TemplateCommand}}).Render,
	}
	if value, both := f.Arguments["enable_thinking"]; both && f.Think != nil {
		return f, fmt.Errorf("--think sets enable_thinking too: give it or --template-arg enable_thinking=%v", value)
	}
	if f.File != "" {
		if _, err := chat.Parse(f.FileName, f.File, f.Render); err != nil {
			return f, fmt.Errorf("--chat-template: %w", err)
		}
	}
	return f, nil
}
