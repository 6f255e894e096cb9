package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/backends/engines"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts/dataset"
	"proctor/runner/report/page"
)

type doctorOptions struct {
	selfTest bool
	kernels  string // the only ones to test, in this process; empty to test each in its own process
	engine   string // to test; empty for the built-in one
	format   page.Format[diagnosis]
}

// A diagnosis is the result of doctor.
type diagnosis struct {
	Version  string             `json:"proctor"`
	Machine  []registry.Line    `json:"machine,omitempty"`
	SelfTest []registry.Verdict `json:"self_test,omitempty"`
	Advice   []registry.Advice  `json:"advice"`
}

// Doctor shows and tests the machine's abilities.
func Doctor(p *console.Program) *cli.Command {
	var o doctorOptions
	w := console.WordsOf("doctor")
	return w.Command(&cli.Command{
		Flags: []cli.Flag{
			w.Switch("self-test", &o.selfTest),
			w.Text("kernels", &o.kernels),
			w.Text("engine", &o.engine),
			flags.Format(w, &o.format, page.FormatsOf(diagnosis.page)),
		},
		Before: w.Refusing(),
		Action: flags.Only(func(c *cli.Context) error { return diagnose(c.Context, p, o) }),
	})
}

func diagnose(ctx context.Context, p *console.Program, o doctorOptions) error {
	d := diagnosis{Version: p.Version, Advice: []registry.Advice{}}
	if o.kernels == "" && o.engine == "" {
		machine, advice, err := registry.Machine(ctx, console.KeptEngines())
		if err != nil {
			return err
		}
		data, pull := datasets()
		d.Machine, d.Advice = slices.Concat(machine, data), slices.Concat(d.Advice, advice, pull)
	}
	if o.selfTest {
		if err := selfTest(ctx, p, o, &d); err != nil {
			return err
		}
	}
	if err := o.format.Write(p.Stdout, d); err != nil {
		return err
	}
	return d.verdict()
}

// selfTest tests the kernels in use, or those that the options name, or an engine.
func selfTest(ctx context.Context, p *console.Program, o doctorOptions, d *diagnosis) (err error) {
	if o.kernels != "" {
		verdict, err := registry.SelfTest(ctx, o.kernels, o.engine)
		d.SelfTest = append(d.SelfTest, verdict)
		return err
	}
	if o.engine != "" {
		engine, err := console.KeptEngines().Find(ctx, o.engine, nil)
		if err != nil {
			return fmt.Errorf("--engine %w", err)
		}
		d.SelfTest, err = registry.SelfTests(ctx, engine)
		return err
	}
	if draw := p.Draw(); draw != nil {
		draw("self-test")
		defer p.Clear()
	}
	d.SelfTest, err = registry.SelfTests(ctx, engines.Engine{})
	d.Advice = append(d.Advice, registry.Remedies(d.SelfTest)...)
	return err
}

// verdict returns the error for the exit code.
func (d diagnosis) verdict() error {
	var wrong []string
	for _, v := range d.SelfTest {
		if !v.OK() {
			wrong = append(wrong, v.Name())
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%w: this copy does not compute right on this machine with %s", console.ErrGate, english.WordSeries(wrong, "and"))
}

func (d diagnosis) page() page.Page {
	out := page.Page{Title: "proctor " + d.Version}
	var machine, todo page.Section
	machine.Title, todo.Title = "This machine", "What to do"
	for _, line := range d.Machine {
		machine.Facts.Add(line.Name, line.Text, "")
	}
	for _, advice := range d.Advice {
		todo.Facts.Add(advice.Command, advice.Why, "")
	}
	out.Add(machine, verdicts(d.SelfTest), todo)
	return out
}

// verdicts have a line each, and for a failure the place where it begins.
func verdicts(all []registry.Verdict) page.Section {
	section := page.Section{Title: "Self-test"}
	for _, v := range all {
		text := fmt.Sprintf("ok: %d of %d texts are the known ones", v.Texts, v.Items)
		if v.Engine != "" {
			text = fmt.Sprintf("ok: all %d letters are the known ones, and %d texts", v.Items, v.Texts)
		}
		switch {
		case v.Died != "":
			text = "DIED: " + v.Died
		case !v.OK():
			text = fmt.Sprintf("WRONG: %d of %d texts differ", len(v.Differences), v.Items)
		}
		section.Facts.Add(v.Name(), text, "")
		for _, difference := range v.Differences {
			section.Facts.Add("", difference.String(), "")
		}
	}
	return section
}

// datasets lists the sets for --data, and how to get MMLU-Pro.
func datasets() ([]registry.Line, []registry.Advice) {
	folder, err := dataset.Folder()
	if err != nil {
		return []registry.Line{{Name: "data folder", Text: err.Error()}, {Name: "datasets", Text: dataset.SampleName}},
			[]registry.Advice{{Why: "imported question sets need a folder to lie in", Command: "export PROCTOR_DATA=$PWD/data"}}
	}
	names := []string{dataset.SampleName}
	sets, err := dataset.List(folder)
	for _, set := range sets {
		names = append(names, set.Name)
	}
	text := strings.Join(names, ", ")
	if err != nil {
		text += "; " + err.Error()
	}
	lines := []registry.Line{{Name: "data folder", Text: folder}, {Name: "datasets", Text: text}}
	if slices.Contains(names, dataset.PublishedName) {
		return lines, nil
	}
	return lines, []registry.Advice{{Why: "to ask MMLU-Pro itself instead of the sample; `proctor data import FOLDER` behind an air gap",
		Command: "proctor data pull"}}
}
