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
	"proctor/runner/mark/stats"
)

// axisFlags are the settings that a sweep varies.
func axisFlags(a *sweep.Axes, imatrix, cache *string) []cli.Flag {
	const category = "SWEEP"
	list := func(name, usage string, add func(value string) error) cli.Flag {
		return flags.Read(name, category, "", usage, func(text string) error {
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
		list("types", "quantise the first MODEL to each type of `LIST`, as in Q8_0,Q4_K_M",
			texts(&a.Types)),
		flags.Text(imatrix, "imatrix", category, "", "quantise with the importance matrix in `FILE` (llama.cpp's format)"),
		flags.Text(cache, "cache", category, "proctor/models in the user's cache folder", "keep made models in `DIR` for reuse"),
		list("kv-type", "try each KV cache type in `LIST`, as in f16,q8_0 or f16,k=q8_0,v=q5_1", func(value string) error {
			if last := len(a.KVTypes) - 1; last >= 0 && strings.HasPrefix(value, "v=") && !strings.Contains(a.KVTypes[last], ",") {
				a.KVTypes[last] += "," + value // of the keys' type before it
				return nil
			}
			a.KVTypes = append(a.KVTypes, value)
			return nil
		}),
		list("slots", "try each number of slots in `LIST`, as in 1,8,auto", func(value string) error {
			n := 0
			err := flags.NumberOrAuto("slots", &n)(nil, value)
			a.Slots = append(a.Slots, n)
			return err
		}),
		list("kernels", "try each CPU kernels in `LIST`, as in proctor,ggml", texts(&a.Kernels)),
		list("prompt", "try each prompt mode in `LIST`: raw, chat, turns, auto", texts(&a.Prompts)),
		list("style", "try each prompt style in `LIST`, as in tiger,lm-eval,evalscope", texts(&a.Styles)),
		list("shots", "try each number of worked examples in `LIST`, as in 0,5", func(value string) error {
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 || n > prompts.MaxShots {
				return fmt.Errorf("--shots %s: give numbers from 0 to %d, as in 0,5", value, prompts.MaxShots)
			}
			a.Shots = append(a.Shots, n)
			return nil
		}),
		systemsFlag(&a.Systems),
		list("filler", "try each number of tokens in `LIST` of other text before the prompt, as in 0,2048,8192", func(value string) error {
			n, err := options.FillerTokens(value)
			if err == nil && slices.Contains(a.Fillers, n) {
				err = fmt.Errorf("--filler %s is given twice: name each length once", value)
			}
			a.Fillers = append(a.Fillers, n)
			return err
		}),
		flags.Switch(&a.Product, "product", category, "try every combination; otherwise one thing changes at a time"),
	}
}

// systemsFlag tries system texts.
func systemsFlag(to *[]string) cli.Flag {
	return &cli.GenericFlag{
		Name: "system", Value: (*flags.Texts)(to), Category: "SWEEP",
		Usage: "try a system prompt `TEXT`, or @FILE; @ alone is the style's own; repeatable",
		Action: func(*cli.Context, any) error {
			for _, text := range *to {
				if strings.TrimSpace(text) == "" {
					return fmt.Errorf("--system %q: give a text, or @FILE; @ alone is the style's own", text)
				}
			}
			return nil
		},
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

// judgingFlags say how candidates are compared with the first.
func judgingFlags(o *sweepOptions) []cli.Flag {
	const category = "SWEEP"
	o.margin, o.confidence = pairs.DefaultMargin, stats.DefaultConfidence
	return []cli.Flag{
		flags.Switch(&o.untilDecided, "until-decided", category,
			"stop asking a candidate once it is shown to be worse, better, or not worse by --margin"),
		flags.OfPoints(cli.StringFlag{Name: "margin", Category: category,
			Usage: "a loss of up to `POINTS` counts as not worse, as in 2pp"},
			flags.Share{To: &o.margin, Least: flags.Open(0), Most: flags.Open(1)}),
		flags.Switch(&o.keepLogprobs, "keep-logprobs", category,
			"keep the first candidate's token probabilities and score the others against them"),
		flags.Confidence(&o.confidence),
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
