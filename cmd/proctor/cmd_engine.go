package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/backends/engines"
	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/prompts/dataset"
	"proctor/prompts/dataset/hub"
	"proctor/runner/report/page"
)

// The commands by which this program is an engine's process: one computes, the other says what an engine is.
const (
	engineCommand   = "engine"
	serveCommand    = "serve"
	describeCommand = "describe"
)

type engineOptions struct {
	name   string
	gpu    string
	adds   bool
	format page.Format[[]engines.Engine]
}

func (p *program) engine() *cli.Command {
	var o engineOptions
	return &cli.Command{
		Name:  engineCommand,
		Usage: "list, add, download and remove builds of llama.cpp for --engine",
		Description: "A model that is newer than the llama.cpp in proctor is computed by a published build of it, which needs no compiler.\n" +
			"run and its like take by themselves the newest one that opens the model: of those that are kept in $PROCTOR_DATA,\n" +
			"of an installed Ollama (0.30 or later), LM Studio, Homebrew, node-llama-cpp and the system, and lib beside proctor.\n\n" +
			"   proctor engine pull                         the latest release; pull b10361 --gpu vulkan another one\n" +
			"   proctor engine list --adds                  with the architectures that they add\n" +
			"   proctor engine add llama-b10361-bin-ubuntu-vulkan-x64.tar.gz\n" +
			"   proctor engine add ~/llama.cpp/build/bin --name mine\n" +
			"   proctor run --engine mine --model new.gguf\n" +
			"   proctor doctor --self-test --engine mine",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list kept engines and those of other programs, newest first",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "adds", Destination: &o.adds, Usage: "list the architectures that the built-in llama.cpp lacks"},
					flags.Format(&o.format, "list", page.FormatsOf(enginesPage)),
				},
				Action: flags.Only(func(c *cli.Context) error { return p.listEngines(c.Context, o) }),
			},
			{
				Name: "add", Usage: "test a build of llama.cpp and keep it in the data folder", ArgsUsage: "DIR|ARCHIVE",
				Flags: []cli.Flag{&cli.StringFlag{
					Name: "name", Destination: &o.name, DefaultText: "its release", Usage: "`NAME` that --engine will find it by",
				}},
				Action: func(c *cli.Context) error { return p.addEngine(c.Context, c.Args().Slice(), o) },
			},
			{
				Name: "pull", ArgsUsage: "[VERSION]",
				Usage: "download a release of llama.cpp, with checksums; continues after a break",
				Description: "VERSION is what llama.cpp's publisher calls a release, such as b10361; without one it is the latest.\n" +
					engines.PublisherVariable + " names a mirror: an address that answers as GitHub's API of a repository's releases does.\n" +
					"Proxies are honoured. Behind an air gap proctor engine add takes the archive.",
				Flags: []cli.Flag{&cli.StringFlag{
					Name: "gpu", Destination: &o.gpu, DefaultText: "none",
					Usage: "take a build for GPUs of a `KIND`: " + english.OxfordWordSeries(engines.GPUs, "or"),
				}},
				Action: func(c *cli.Context) error { return p.pullEngine(c.Context, c.Args().Slice(), o) },
			},
			{
				Name: "remove", Usage: "remove a kept engine", ArgsUsage: "NAME",
				Action: func(c *cli.Context) error { return p.removeEngine(c.Args().Slice()) },
			},
			{
				Name: serveCommand, Hidden: true,
				Action: flags.Only(func(*cli.Context) error { return registry.ServeEngine() }),
			},
			{
				Name: describeCommand, Hidden: true,
				Action: flags.Only(func(*cli.Context) error { return engines.Serve(os.Stdin, p.stdout) }),
			},
		},
	}
}

// keptEngines knows the engines of this machine.
func keptEngines() engines.Store {
	s := engines.Store{
		Child: []string{"proctor", engineCommand, describeCommand},
		Test:  []string{"doctor", "--self-test", "--format", "json", "--kernels"},
	}
	if data, err := dataset.Folder(); err == nil {
		s.Folder = filepath.Join(data, "engines")
	}
	return s
}

func (p *program) listEngines(ctx context.Context, o engineOptions) error {
	found, err := keptEngines().List(ctx, o.adds)
	if err != nil {
		return err
	}
	return o.format.Write(p.stdout, found)
}

// enginesPage lays engines out as a table.
func enginesPage(all []engines.Engine) page.Page {
	out := page.Page{Title: "Engines that --engine can name"}
	section := page.Section{Table: &page.Grid{Head: []string{"name", "release", "backends", "GPUs", "folder"}}}
	for _, e := range all {
		if e.Problem != "" {
			section.Warnings = append(section.Warnings, e.Problem)
			continue
		}
		section.Table.Add(e.Name, e.Release, strings.Join(e.Backends, ", "), strings.Join(e.GPUs, ", "), e.Folder)
		if len(e.Adds) > 0 {
			section.Notes = append(section.Notes, e.Name+" adds "+english.WordSeries(e.Adds, "and"))
		}
	}
	if len(all) == 0 {
		section.Table, section.Notes = nil, []string{"none but builtin, " + registry.InProcess().Version}
	}
	out.Add(section)
	return out
}

func (p *program) addEngine(ctx context.Context, args []string, o engineOptions) error {
	if len(args) != 1 {
		return errors.New("add needs one DIR with a built llama.cpp, or an ARCHIVE of one")
	}
	kept, err := keptEngines().Add(ctx, o.name, args[0])
	if err != nil {
		return err
	}
	return enginesPage([]engines.Engine{kept}).Text(p.stdout)
}

func (p *program) pullEngine(ctx context.Context, args []string, o engineOptions) error {
	if len(args) > 1 {
		return errors.New("pull takes one VERSION, such as b10361, or none for the latest")
	}
	if o.gpu != "" && !slices.Contains(engines.GPUs, o.gpu) {
		return fmt.Errorf("--gpu %s: give %s", o.gpu, english.OxfordWordSeries(engines.GPUs, "or"))
	}
	kept, err := keptEngines().Pull(ctx, strings.Join(args, ""), o.gpu, engines.Publisher{
		Fetch: func(ctx context.Context, address, name string, size int64, sha256, to string) error {
			return hub.Fetch(ctx, address, hub.File{Path: name, Size: size, SHA256: sha256}, to, hub.Options{Progress: p.downloading()})
		},
	})
	if err != nil {
		return err
	}
	return enginesPage([]engines.Engine{kept}).Text(p.stdout)
}

func (p *program) removeEngine(args []string) error {
	if len(args) != 1 {
		return errors.New("remove needs one NAME: see proctor engine list")
	}
	return keptEngines().Remove(args[0])
}

func (p *program) isolateFlag(o *registry.Options) cli.Flag {
	o.EngineArgs = []string{"proctor", engineCommand, serveCommand}
	o.Isolate = registry.IsolateAuto
	return &cli.StringFlag{
		Name: "isolate", Value: registry.IsolateAuto, Destination: &o.Isolate, Category: "MODEL",
		Usage: "compute in a separate process: on, off or auto; an item that crashes the engine twice is marked failed",
		Action: func(_ *cli.Context, word string) error {
			if err := registry.CheckIsolate(word); err != nil {
				return fmt.Errorf("--isolate %s: %w", word, err)
			}
			return nil
		},
	}
}
