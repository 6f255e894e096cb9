package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"al.essio.dev/pkg/shellescape"
	"github.com/google/renameio/v2"

	"proctor/runner/metrics"
	"proctor/runner/report"
)

// conclude reports what a run's journal holds, however the asking ended: it writes the reports beside the journal,
// prints the one in the user's format, and returns what the exit code is made of.
func (s *sitting) conclude(ctx context.Context, folder string, asking error) error {
	result, err := metrics.Open(folder, metrics.Options{})
	if err != nil {
		return errors.Join(asking, err)
	}
	if err := writeReports(folder, result); err != nil {
		return errors.Join(asking, err)
	}
	if err := s.format.Write(s.stdout, result); err != nil {
		return err
	}
	switch {
	case errors.Is(context.Cause(ctx), errInterrupted):
		return fmt.Errorf("%w; to go on: %s", errInterrupted, s.resumeCommand())
	case asking != nil:
		return fmt.Errorf("%w: %w; what was answered is kept; to go on: %s", errIncomplete, asking, s.resumeCommand())
	case !result.Completeness.Complete:
		return fmt.Errorf("%w: %d items have no completion; to ask them again: %s",
			errIncomplete, result.Completeness.Missing+result.Completeness.Errors, s.resumeCommand())
	}
	return s.gate(result)
}

// gate compares --fail-below with what is sure of the accuracy.
func (s *sitting) gate(result *metrics.Summary) error {
	if !s.flags.IsSet("fail-below") {
		return nil
	}
	bound := s.flags.Float64("fail-below")
	score := result.Headline
	if score.CI.IsZero() || score.CI.Low < bound {
		return fmt.Errorf("%w: the lower bound of %s, %.4f, is below --fail-below %g", errGate, score.Name, score.CI.Low, bound)
	}
	return nil
}

// resumeCommand is the command line that goes on with the run.
func (s *sitting) resumeCommand() string {
	args := slices.Clone(s.args)
	if !s.flags.IsSet("out") {
		args = append(args, "--out", s.out)
	}
	if !s.flags.Bool("resume") {
		args = append(args, "--resume")
	}
	return shellescape.QuoteCommand(args)
}

// writeReports puts the reports that people and programs read first beside a run's journal, each whole or not at all.
func writeReports(folder string, result *metrics.Summary) error {
	for _, format := range report.Formats {
		var content bytes.Buffer
		if err := format.Write(&content, result); err != nil {
			return err
		}
		path := filepath.Join(folder, "report"+format.Ext)
		if err := renameio.WriteFile(path, content.Bytes(), os.FileMode(0o644)); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}
