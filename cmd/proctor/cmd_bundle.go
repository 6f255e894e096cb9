package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/backends/engines"
	"proctor/backends/registry"
	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts/dataset"
	"proctor/runner/ask/bundle"
	"proctor/runner/mark/format"
)

type bundleOptions struct {
	out     string
	data    string
	engines []string
	into    string
}

const needsBundle = " needs one FILE, which `proctor bundle -o FILE` wrote"

// Bundle packs all that an offline machine needs.
func Bundle(p *console.Program) *cli.Command {
	var o bundleOptions
	w := console.WordsOf("bundle")
	check, unpacking := w.Below("check"), w.Below("unpack")
	o.into = "."
	return w.Command(&cli.Command{
		Flags: []cli.Flag{
			w.Text("o", &o.out, console.ToFile),
			w.Text("data", &o.data),
			flags.List(w, "engine", &o.engines, func(name string) ([]string, error) { return []string{name}, nil }),
		},
		Action: func(c *cli.Context) error { return pack(c.Context, p, c.Args().Slice(), o) },
		Subcommands: []*cli.Command{
			check.Command(&cli.Command{
				Action: flags.One("bundle check"+needsBundle, func(c *cli.Context, file string) error { return checkBundle(c.Context, p, file) }),
			}),
			unpacking.Command(&cli.Command{
				Flags:  []cli.Flag{unpacking.Text("C", &o.into)},
				Action: flags.One("bundle unpack"+needsBundle, func(c *cli.Context, file string) error { return unpack(c.Context, p, file, o.into) }),
			}),
		},
	})
}

func pack(ctx context.Context, p *console.Program, models []string, o bundleOptions) error {
	if o.out == "" {
		return errors.New("bundle needs -o FILE, the tar to write")
	}
	contents, sources, err := gather(ctx, models, o)
	if err != nil {
		return err
	}
	contents.Program.Version = p.Version
	written, err := bundle.Write(ctx, o.out, contents, sources, p.Copying("packing"))
	p.Clear()
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: %s, %s, sha256 %s\n", o.out, describe(written.Manifest), format.Size(written.Bytes, "0 B"), written.SHA256)
	return nil
}

// gather collects the content of a bundle: this program, the question set, the models and the engines.
func gather(ctx context.Context, models []string, o bundleOptions) (bundle.Manifest, []bundle.Source, error) {
	self, err := os.Executable()
	if err != nil {
		return bundle.Manifest{}, nil, err
	}
	engine := registry.InProcess()
	m := bundle.Manifest{
		Program: bundle.Build{
			Path: bundle.Program, OS: runtime.GOOS, Arch: runtime.GOARCH,
			Engine: engine.Version, Compiled: engine.Compiled,
		},
		Models: []bundle.Model{},
	}
	sources := []bundle.Source{{Path: bundle.Program, From: self, Executable: true}}
	set, err := dataset.Locate(o.data, dataset.Options{})
	if err != nil {
		return m, nil, err
	}
	if len(set.Files) > 0 {
		m.Data = &bundle.Dataset{
			Name: set.Name, Path: path.Join(bundle.Data, set.Name), SHA256: set.SHA256, Source: set.Source, Rows: set.Splits[0].Rows,
		}
	}
	for _, file := range set.Files {
		from := filepath.Join(set.Folder, filepath.FromSlash(file))
		sources = append(sources, bundle.Source{Path: path.Join(m.Data.Path, file), From: from})
	}
	for _, ref := range models {
		found, err := registry.FindWeights(ref)
		if err != nil {
			return m, nil, err
		}
		for i, part := range found.Parts {
			sources = append(sources, bundle.Source{Path: path.Join(bundle.Models, found.Names[i]), From: part})
		}
		m.Models = append(m.Models, bundle.Model{
			Ref: ref, Path: path.Join(bundle.Models, found.Names[0]), Name: found.Name(), Architecture: found.Architecture(),
			Quantization: found.FileType(), Bytes: found.Size,
		})
	}
	for _, name := range o.engines {
		e, files, err := gatherEngine(ctx, name)
		if err != nil {
			return m, nil, err
		}
		m.Engines, sources = append(m.Engines, e), append(sources, files...)
	}
	return m, sources, nil
}

// gatherEngine finds a llama.cpp by its name or folder.
func gatherEngine(ctx context.Context, name string) (bundle.Engine, []bundle.Source, error) {
	found, err := console.KeptEngines().Find(ctx, name)
	if err != nil {
		return bundle.Engine{}, nil, fmt.Errorf("--engine %w", err)
	}
	files, err := engines.Files(found.Folder)
	if err != nil {
		return bundle.Engine{}, nil, err
	}
	e := bundle.Engine{Name: found.Name, Path: path.Join(bundle.Engines, found.Name), Release: found.Release}
	var sources []bundle.Source
	for _, file := range files {
		sources = append(sources, bundle.Source{Path: path.Join(e.Path, filepath.ToSlash(file)), From: filepath.Join(found.Folder, file)})
	}
	return e, sources, nil
}

// describe lists the content of a bundle in one line.
func describe(m bundle.Manifest) string {
	data := "the sample"
	if m.Data != nil {
		data = m.Data.Name
	}
	said := fmt.Sprintf("proctor %s for %s/%s, %s, %s", m.Program.Version, m.Program.OS, m.Program.Arch, data,
		english.Plural(len(m.Models), "model", ""))
	for _, e := range m.Engines {
		said += ", " + e.Release
	}
	return said
}

func checkBundle(ctx context.Context, p *console.Program, file string) error {
	checked, err := bundle.Check(ctx, file, p.Copying("checking"))
	p.Clear()
	if err != nil {
		return err
	}
	return printChecked(p, file, checked)
}

// printChecked prints the content of a bundle, or its faults.
func printChecked(p *console.Program, file string, checked bundle.Checked) error {
	if len(checked.Problems) > 0 {
		for _, problem := range checked.Problems {
			fmt.Fprintf(p.Stdout, "%s %s\n", problem.Path, problem.What)
		}
		first := checked.Problems[0]
		return fmt.Errorf("%s: %s in it, first of all %s %s: copy it again, or pack it again where it was packed",
			file, english.Plural(len(checked.Problems), "problem", ""), first.Path, first.What)
	}
	fmt.Fprintf(p.Stdout, "%s: ok: %s, %s, %s, sha256 %s\n", file, describe(checked.Manifest),
		english.Plural(len(checked.Manifest.Files), "file", ""), format.Size(checked.Bytes, "0 B"), checked.SHA256)
	return nil
}

func unpack(ctx context.Context, p *console.Program, file, into string) error {
	checked, place, err := bundle.Unpack(ctx, file, into, importSet, p.Copying("unpacking"))
	p.Clear()
	if err != nil {
		return err
	}
	if err := printChecked(p, file, checked); err != nil {
		return err
	}
	run := []string{filepath.Join(place, bundle.Program), "run"}
	if checked.Manifest.Data != nil {
		run = append(run, "--data", checked.Manifest.Data.Name)
	}
	fmt.Fprintf(p.Stdout, "next: %s\n", setting.Command(run[0], "doctor", "--self-test"))
	for _, e := range checked.Manifest.Engines {
		add := []string{run[0], "engine", "add", filepath.Join(place, filepath.FromSlash(e.Path)), "--name", e.Name}
		fmt.Fprintf(p.Stdout, "      %s\n", setting.Command(add...))
	}
	for _, model := range checked.Manifest.Models {
		file := filepath.Join(place, filepath.FromSlash(model.Path))
		fmt.Fprintf(p.Stdout, "      %s\n", setting.Command(append(run, "--model", file)...))
	}
	return nil
}

// importSet puts the question set of an unpacked bundle into the data folder.
func importSet(folder string, m bundle.Manifest) error {
	if m.Data == nil {
		return nil
	}
	in, err := fs.Sub(os.DirFS(folder), m.Data.Path)
	if err == nil {
		_, err = dataset.ImportCopy(m.Data.Name, in, m.Data.Path, dataset.ImportOptions{Source: m.Data.Source})
	}
	return err
}
