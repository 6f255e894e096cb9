package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/backends/engines"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/options"
	"proctor/prompts/dataset/hub"
	"proctor/runner/report/page"
)

type engineOptions struct {
	name   string
	gpu    string
	adds   bool
	format page.Format[[]engines.Engine]
}

// Engine manages builds of llama.cpp.
func Engine(p *console.Program) *cli.Command {
	var o engineOptions
	return &cli.Command{
		Name:  options.EngineCommand,
		Usage: "list, add, download and remove builds of llama.cpp for --engine",
		Description: "A model newer than proctor's own llama.cpp needs a published build of llama.cpp, but no compiler. run and other commands\n" +
			"choose the newest build that opens the model: from $PROCTOR_DATA, an installed Ollama (0.30 or later), LM Studio,\n" +
			"Homebrew, node-llama-cpp, the system, or the folder lib beside proctor.\n\n" +
			"   proctor engine pull                         the latest release\n" +
			"   proctor engine pull b10361 --gpu vulkan     this release, for GPUs\n" +
			"   proctor engine list --adds                  with the architectures that each adds\n" +
			"   proctor engine add llama-b10361-bin-ubuntu-vulkan-x64.tar.gz\n" +
			"   proctor engine add ~/llama.cpp/build/bin --name mine\n" +
			"   proctor run --engine mine --model new.gguf\n" +
			"   proctor doctor --self-test --engine mine",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list kept engines and those of other programs, newest first",
				Flags: []cli.Flag{
					flags.Switch(&o.adds, "adds", "", "list the architectures that the built-in llama.cpp lacks"),
					flags.Format(&o.format, "list", page.FormatsOf(enginesPage)),
				},
				Action: flags.Only(func(c *cli.Context) error {
					found, err := options.KeptEngines().List(c.Context, o.adds)
					if err != nil {
						return err
					}
					return o.format.Write(p.Stdout, found)
				}),
			},
			{
				Name: "add", Usage: "test a build of llama.cpp and keep it in the data folder", ArgsUsage: "DIR|ARCHIVE",
				Flags:  []cli.Flag{flags.Text(&o.name, "name", "", "its release", "`NAME` that --engine will find it by")},
				Action: func(c *cli.Context) error { return addEngine(c.Context, p, c.Args().Slice(), o) },
			},
			{
				Name: "pull", ArgsUsage: "[VERSION]",
				Usage: "download a release of llama.cpp, with checksums; continues after a break",
				Description: "VERSION is what llama.cpp's publisher calls a release, such as b10361; without one it is the latest.\n" +
					engines.PublisherVariable + " names a mirror: an address that answers as GitHub's API of a repository's releases does.\n" +
					"Proxies are honoured. Behind an air gap proctor engine add takes the archive.",
				Flags: []cli.Flag{flags.Text(&o.gpu, "gpu", "", "none",
					"take a build for GPUs of a `KIND`: "+english.OxfordWordSeries(engines.GPUs, "or"))},
				Action: func(c *cli.Context) error { return pullEngine(c.Context, p, c.Args().Slice(), o) },
			},
			{
				Name: "remove", Usage: "remove a kept engine", ArgsUsage: "NAME",
				Action: func(c *cli.Context) error { return removeEngine(c.Args().Slice()) },
			},
			{
				Name: options.ServeCommand, Hidden: true,
				Action: flags.Only(func(*cli.Context) error { return registry.ServeEngine() }),
			},
			{
				Name: options.DescribeCommand, Hidden: true,
				Action: flags.Only(func(*cli.Context) error { return engines.Serve(os.Stdin, p.Stdout) }),
			},
		},
	}
}

// enginesPage lays engines out as a table.
func enginesPage(all []engines.Engine) page.Page {
	out := page.Page{Title: "Engines that --engine can name"}
	section := page.Section{Table: &page.Grid{Head: []string{"name", "release", "backends", "GPUs", "kernels", "folder"}}}
	for _, e := range all {
		if e.Problem != "" {
			section.Warnings = append(section.Warnings, e.Problem)
			continue
		}
		section.Table.Add(e.Name, e.Release, strings.Join(e.Backends, ", "), strings.Join(e.GPUs, ", "), e.KernelsInWords(), e.Folder)
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

func addEngine(ctx context.Context, p *console.Program, args []string, o engineOptions) error {
	if len(args) != 1 {
		return errors.New("add needs one DIR with a built llama.cpp, or an ARCHIVE of one")
	}
	kept, err := options.KeptEngines().Add(ctx, o.name, args[0])
	if err != nil {
		return err
	}
	return enginesPage([]engines.Engine{kept}).Text(p.Stdout)
}

func pullEngine(ctx context.Context, p *console.Program, args []string, o engineOptions) error {
	if len(args) > 1 {
		return errors.New("pull takes one VERSION, such as b10361, or none for the latest")
	}
	if o.gpu != "" && !slices.Contains(engines.GPUs, o.gpu) {
		return fmt.Errorf("--gpu %s: give %s", o.gpu, english.OxfordWordSeries(engines.GPUs, "or"))
	}
	kept, err := options.KeptEngines().Pull(ctx, strings.Join(args, ""), o.gpu, engines.Publisher{
		Fetch: func(ctx context.Context, address, name string, size int64, sha256, to string) error {
			return hub.Fetch(ctx, address, hub.File{Path: name, Size: size, SHA256: sha256}, to, hub.Options{Progress: p.Downloading()})
		},
	})
	if err != nil {
		return err
	}
	return enginesPage([]engines.Engine{kept}).Text(p.Stdout)
}

func removeEngine(args []string) error {
	if len(args) != 1 {
		return errors.New("remove needs one NAME: see proctor engine list")
	}
	return options.KeptEngines().Remove(args[0])
}
