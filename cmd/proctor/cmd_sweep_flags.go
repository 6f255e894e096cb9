package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/sweep"
	"proctor/runner/mark/pairs"
)

// axisFlags are the settings that a sweep varies.
func (o *sweepOptions) axisFlags(w *flags.Words) []cli.Flag {
	a := &o.axes
	return []cli.Flag{
		w.Split("types", &a.Types),
		w.Text("imatrix", &o.imatrix),
		w.Text("cache", &o.cache),
		w.Read("kv-type", func(list string) error {
			for value := range strings.SplitSeq(list, ",") {
				a.KVTypes = withKVType(a.KVTypes, strings.TrimSpace(value))
			}
			return nil
		}),
		w.Switch("product", &a.Product),
	}
}

// withKVType adds a type of the cache; that of values goes with the keys' before it.
func withKVType(types []string, value string) []string {
	if last := len(types) - 1; last >= 0 && strings.HasPrefix(value, "v=") && !strings.Contains(types[last], ",") {
		types[last] += "," + value
		return types
	}
	return append(types, value)
}

// judgingFlags say how candidates are compared with the first.
func (o *sweepOptions) judgingFlags(w *flags.Words) []cli.Flag {
	o.sweep.Margin = pairs.DefaultMargin
	return []cli.Flag{
		w.Switch("until-decided", &o.sweep.UntilDecided),
		w.Points("margin", flags.Share{To: &o.sweep.Margin, Positive: true, Below: 1}),
		w.Switch("keep-logprobs", &o.sweep.KeepLogprobs),
		w.Confidence(&o.sweep.Confidence),
	}
}

// modelsFolder is where models are kept that are made.
func modelsFolder(given string) string {
	if given != "" {
		return given
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "proctor", "models")
}

// candidateOptions are those that open a candidate's model: of flags that only other candidates have a use for, none counts as given.
func (o sweepOptions) candidateOptions(c sweep.Candidate, path string) registry.Options {
	m := o.model
	if m.Ref = c.Ref; path != "" {
		m.Ref = path
	}
	m.KVType, m.Given = c.KVType, nil
	for _, flag := range o.model.Given {
		unset := map[string]bool{"kv-type": c.KVType == "", "keep-logprobs": c.Name != o.first}
		if unset[flag] || !m.Takes(flag) && o.others(m.Ref, flag) {
			continue
		}
		m.Given = append(m.Given, flag)
	}
	return m
}

// others says whether another model has a use for a flag.
func (o sweepOptions) others(than, flag string) bool {
	return slices.ContainsFunc(o.axes.Models, func(ref string) bool {
		other := o.model
		other.Ref = ref
		return ref != than && other.Takes(flag)
	})
}
