package running

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/options"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/ask"
	"proctor/runner/ask/sweep"
	"proctor/runner/mark/pairs"
)

// axisFlags are the settings that a sweep varies.
func (o *sweepOptions) axisFlags(w *flags.Words) []cli.Flag {
	a := &o.axes
	list := func(name string, add func(value string) error) cli.Flag {
		return w.Read(name, func(text string) error {
			for value := range strings.SplitSeq(text, ",") {
				if err := add(strings.TrimSpace(value)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	texts := func(to *[]string) func(string) error {
		return func(value string) error { *to = append(*to, value); return nil }
	}
	return []cli.Flag{
		list("types", texts(&a.Types)),
		w.Text("imatrix", &o.imatrix),
		w.Text("cache", &o.cache),
		list("kv-type", func(value string) error {
			a.KVTypes = withKVType(a.KVTypes, value)
			return nil
		}),
		list("slots", func(value string) error {
			n := 0
			err := flags.NumberOrAuto(&n)("slots", value)
			a.Slots = append(a.Slots, n)
			return err
		}),
		list("kernels", texts(&a.Kernels)),
		list("prompt", texts(&a.Prompts)),
		list("style", texts(&a.Styles)),
		list("shots", func(value string) error {
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 || n > prompts.MaxShots {
				return fmt.Errorf("--shots %s: give numbers from 0 to %d, as in 0,5", value, prompts.MaxShots)
			}
			a.Shots = append(a.Shots, n)
			return nil
		}),
		w.Generic("system", (*flags.Texts)(&a.Systems), func(*cli.Context) error {
			for _, text := range a.Systems {
				if strings.TrimSpace(text) == "" {
					return fmt.Errorf("--system %q: give a text, or @FILE; @ alone is the style's own", text)
				}
			}
			return nil
		}),
		list("filler", func(value string) error {
			n, err := options.FillerTokens(value)
			if err == nil && slices.Contains(a.Fillers, n) {
				err = fmt.Errorf("--filler %s is given twice: name each length once", value)
			}
			a.Fillers = append(a.Fillers, n)
			return err
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

// asks are what each candidate is asked. Those that are asked alike share what is measured.
func asks(set *dataset.Set, candidates []sweep.Candidate, o *sweepOptions) ([]sweep.Asked, error) {
	made := map[string]sweep.Asked{}
	var all []sweep.Asked
	for _, c := range candidates {
		text, _ := json.Marshal(sweep.Candidate{Style: c.Style, Shots: c.Shots, System: c.System, Filler: c.Filler}) // plain structs always can
		alike := string(text)
		if _, known := made[alike]; !known {
			eval, err := o.As(c.Style, c.Shots, c.System).Behind(o.axes.FillerOf(c)).One(set, "sweep")
			if err != nil {
				return nil, err
			}
			evals := ask.Evals{Set: set, Evals: []prompts.Eval{eval}, Selection: o.Selection, Settings: o.settings, Measured: ask.Measured{}}
			items, err := evals.Items()
			if err != nil {
				return nil, err
			}
			made[alike] = sweep.Asked{Evals: evals, Items: items}
		}
		all = append(all, made[alike])
	}
	return all, nil
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
	m.KVType, m.Slots, m.Kernels = c.KVType, c.Slots, c.Kernels
	if m.Kernels == flags.Auto {
		m.Kernels = ""
	}
	m.Given = nil
	for _, flag := range o.model.Given {
		unset := map[string]bool{
			"kv-type": c.KVType == "", "slots": c.Slots == 0, "kernels": c.Kernels == "", "keep-logprobs": c.Name != o.first,
		}
		if unset[flag] || !m.Takes(flag) && o.others(m.Ref, flag) {
			continue
		}
		m.Given = append(m.Given, flag)
	}
	if !slices.Contains(m.Given, "in-process") {
		m.InProcess = false
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
