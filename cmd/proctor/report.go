package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/google/renameio/v2"
	"github.com/urfave/cli/v2"

	"proctor/runner/metrics"
	"proctor/runner/report"
)

func (p program) report() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "mark and report runs again from their journals, without a model",
		ArgsUsage: "RUN…",
		Description: "A RUN is a run's folder or its journal.\n\n" +
			"   proctor report runs/q4 --format markdown -o q4.md\n" +
			"   proctor report runs/q4 --rules tiger-strict --confidence 0.99",
		Flags: []cli.Flag{
			formatFlag("report", report.Formats),
			rulesFlag("the run's own"),
			confidenceFlag(),
			&cli.BoolFlag{Name: "exact", Usage: "Clopper–Pearson intervals instead of Wilson's"},
			outputFlag(),
		},
		Action: p.reportAction,
	}
}

func (p program) reportAction(c *cli.Context) error {
	if !c.Args().Present() {
		return errors.New("report needs a RUN: the folder of a run, or its journal")
	}
	format, err := report.Formats.Named(c.String("format"))
	if err != nil {
		return err
	}
	options := metrics.Options{RuleSet: c.String("rules"), Confidence: c.Float64("confidence"), Exact: c.Bool("exact")}
	if err := checkConfidence(c); err != nil {
		return err
	}
	var out bytes.Buffer
	for _, run := range c.Args().Slice() {
		result, err := metrics.Open(run, options)
		if err != nil {
			return err
		}
		if err := format.Write(&out, result); err != nil {
			return err
		}
	}
	return p.deliver(c.String("o"), out.Bytes())
}

// deliver writes a result to the file at path, whole or not at all, or to standard output where path is empty.
func (p program) deliver(path string, result []byte) error {
	if path == "" {
		_, err := p.stdout.Write(result)
		return err
	}
	if err := renameio.WriteFile(path, result, os.FileMode(0o644)); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
