package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/spec"
	"proctor/runner/ask/sweep"
	"proctor/runner/journal"
	"proctor/runner/report/compare"
)

// cliFlags are the flags of the command: those of a sweep's specification, and those of one call.
func (o *sweepOptions) cliFlags(w *flags.Words) []cli.Flag {
	return slices.Concat(w.Fields(&o.spec, sweep.OfRuns...), o.resultFlags(w),
		[]cli.Flag{flags.Format(w, &o.format, compare.ChoiceFormats)}, o.config.Flags(w, "models"))
}

// settle completes the sweep's specification: from the flags for a new sweep, from its document for a resumed one.
func (o *sweepOptions) settle(c *cli.Context, args []string) error {
	given := givenIn(c)
	if o.likeRun {
		header, err := journal.HeaderOf(o.config.Path)
		if err != nil {
			return err
		}
		was, err := o.started(c, o.config.Path, &header, args)
		if err != nil {
			return err
		}
		spec.Override(&was, &o.spec.Spec, given)
		o.spec.Spec = was
	}
	if o.flags, o.spec.Models = spec.Flags(&o.spec, new(sweep.Default())), o.config.Arguments(c); !o.run.Resume {
		return nil
	}
	if err := o.resumed(c.Args().Slice(), "sweep"); err != nil {
		return err
	}
	kept, err := sweep.Load(o.run.Out)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing to resume in %s: it has no %s", o.run.Out, sweep.FileName)
	}
	if err != nil {
		return err
	}
	was, file := sweep.Default(), filepath.Join(o.run.Out, sweep.FileName)
	if err := spec.Read(&was, kept.Flags, nil, func(flag string) error { return flags.Lacks(c.Command, flag) }); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := o.trust(file, &was, new(sweep.Default()), kept.Models, args, given); err != nil {
		return err
	}
	call, limit := o.spec, o.flags["limit"]
	o.spec, o.spec.Models, o.flags = was, kept.Models, kept.Flags
	if limit != nil {
		o.flags = maps.Clone(kept.Flags)
		o.flags["limit"] = limit
	}
	err = spec.Resume(&o.spec, &call, given)
	o.spec.Models = kept.Models
	return err
}

// candidateOptions open a candidate's model. Flags that apply to other candidates only don't count as given.
func (o sweepOptions) candidateOptions(c sweep.Candidate, path string) registry.Options {
	m := o.model
	if m.Ref = c.Ref; path != "" {
		m.Ref = path
	}
	m.KVType, m.Given = c.KVType, nil
	for _, flag := range o.model.Given {
		if flag == "kv-type" && c.KVType == "" || !m.Takes(flag) && o.others(m.Ref, flag) {
			continue
		}
		m.Given = append(m.Given, flag)
	}
	return m
}

// others says whether a flag applies to another model.
func (o sweepOptions) others(than, flag string) bool {
	return slices.ContainsFunc(o.spec.Models, func(ref string) bool {
		other := o.model
		other.Ref = ref
		return ref != than && other.Takes(flag)
	})
}
