package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/backends/engines"
	"proctor/backends/registry"
	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts/dataset"
	"proctor/runner/bundle"
	"proctor/runner/mark/format"
)

type bundleOptions struct {
	out    string
	data   string
	engine string
}

// Bundle packs all that an offline machine needs.
func Bundle(p *console.Program) *cli.Command {
	var o bundleOptions
	w := console.WordsOf("bundle")
	check := w.Below("check")
	return w.Command(&cli.Command{
		Flags:  []cli.Flag{w.Text("o", &o.out, console.ToFile), w.Text("data", &o.data), w.Text("engine", &o.engine)},
		Action: func(c *cli.Context) error { return pack(c.Context, p, c.Args().Slice(), o) },
		Subcommands: []*cli.Command{
			check.Command(&cli.Command{
				Action: flags.One("bundle check needs one FILE, which `proctor bundle -o FILE` wrote",
					func(c *cli.Context, file string) error {
						return checkBundle(c.Context, p, file)
					}),
			}),
		},
	})
}

// pack writes a bundle of this program, the question set, the models and the engine.
func pack(ctx context.Context, p *console.Program, models []string, o bundleOptions) error {
	if o.out == "" {
		return errors.New("bundle needs -o FILE, the tar to write; `tar xf` unpacks one")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	sources := []bundle.Source{{Path: bundle.Program, From: self, Executable: true}}
	set, err := dataset.Open(o.data, dataset.Options{})
	if err != nil {
		return err
	}
	if set.Folder == "" && o.data != "" && o.data != dataset.SampleName {
		return fmt.Errorf("%s is not imported: proctor data import %s %s", o.data, setting.Name.As("NAME"),
			setting.Command(o.data))
	}
	for _, file := range set.Kept() {
		from := filepath.Join(set.Folder, filepath.FromSlash(file))
		sources = append(sources, bundle.Source{Path: path.Join(bundle.Data, set.Name, file), From: from})
	}
	for _, ref := range models {
		parts, names, err := registry.FindWeights(ref)
		if err != nil {
			return err
		}
		for i, part := range parts {
			sources = append(sources, bundle.Source{Path: path.Join(bundle.Models, names[i]), From: part})
		}
	}
	if o.engine != "" {
		found, err := console.KeptEngines().Find(ctx, o.engine, nil)
		if err != nil {
			return fmt.Errorf("--engine %w", err)
		}
		files, err := engines.Files(found.Folder)
		if err != nil {
			return err
		}
		for _, file := range files {
			to := path.Join(bundle.Engines, found.Name, filepath.ToSlash(file))
			sources = append(sources, bundle.Source{Path: to, From: filepath.Join(found.Folder, file)})
		}
	}
	written, err := bundle.Write(ctx, o.out, sources, p.Copying("packing"))
	p.Clear()
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: %s, %s, sha256 %s\n", o.out, english.Plural(len(written.Files), "file", ""),
		format.Size(written.Bytes, "0 B"), written.SHA256)
	return nil
}

func checkBundle(ctx context.Context, p *console.Program, file string) error {
	content, problems, err := bundle.Check(ctx, file, p.Copying("checking"))
	p.Clear()
	if err != nil {
		return err
	}
	for _, problem := range problems {
		fmt.Fprintln(p.Stdout, problem)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s: %s in it, first of all %s: copy it again, or pack it again where it was packed",
			file, english.Plural(len(problems), "problem", ""), problems[0])
	}
	fmt.Fprintf(p.Stdout, "%s: ok: %s, %s, sha256 %s\n", file, english.Plural(len(content.Files), "file", ""),
		format.Size(content.Bytes, "0 B"), content.SHA256)
	next(p, file, content.Files)
	return nil
}

// laterPart matches the parts of a split model but the first, by which it is opened.
var laterPart = regexp.MustCompile(`-\d{5}-of-\d{5}\.gguf$`)

// next prints the commands that unpack a bundle and run what is in it.
func next(p *console.Program, file string, contents []string) {
	program := path.Join(bundle.Folder, bundle.Program)
	run, tests := []string{program, "run"}, []string{setting.Command(program, "doctor", "--self-test")}
	fmt.Fprintf(p.Stdout, "next: %s\n", setting.Command("tar", "xf", file))
	named := map[string]bool{}
	var models []string
	for _, name := range contents {
		top, below, _ := strings.Cut(name, "/")
		first, _, _ := strings.Cut(below, "/")
		switch {
		case top == bundle.Models && (!laterPart.MatchString(below) || strings.Contains(below, "-00001-of-")):
			models = append(models, path.Join(bundle.Folder, name))
		case named[top]:
		case top == bundle.Data:
			fmt.Fprintf(p.Stdout, "      export PROCTOR_DATA=\"$PWD/%s\"\n", path.Join(bundle.Folder, bundle.Data))
			run = append(run, "--data", first)
		case top == bundle.Engines:
			engine := []string{"--engine", path.Join(bundle.Folder, bundle.Engines, first)}
			run = append(run, engine...)
			tests = append(tests, setting.Command(append([]string{program, "doctor", "--self-test"}, engine...)...))
		}
		named[top] = true
	}
	for _, test := range tests {
		fmt.Fprintf(p.Stdout, "      %s\n", test)
	}
	for _, model := range models {
		fmt.Fprintf(p.Stdout, "      %s\n", setting.Command(append(run, "--model", model)...))
	}
}
