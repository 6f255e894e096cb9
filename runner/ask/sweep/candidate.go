package sweep

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/journal/output"
)

// A Candidate is one of the ways that are tried out. What is empty or 0 is as for every run.
type Candidate struct {
	Name string `json:"name"`           // tells it from the others; its folder's begins with it
	Ref  string `json:"ref,omitempty"`  // of a model that is there
	Type string `json:"type,omitempty"` // what the first model is quantised to, of one that is made

	KVType  string `json:"kv_type,omitempty"`
	Slots   int    `json:"slots,omitempty"`
	Kernels string `json:"kernels,omitempty"`
	Prompt  string `json:"prompt_mode,omitempty"`

	Style  string  `json:"style,omitempty"`
	Shots  *int    `json:"shots,omitempty"`
	System *string `json:"system,omitempty"` // a text or @FILE; an empty one: the style's own
	Filler *int    `json:"filler,omitempty"` // tokens of other text before each prompt; 0: none, nil: what all runs have
}

// Axes are the values to try out; the first of each is the baseline's. An axis without values is left as it is.
type Axes struct {
	Models  []string // references; the first is what the types are made of
	Types   []string // llama.cpp's file types, such as Q4_K_M
	KVTypes []string
	Slots   []int // 0: what memory allows
	Kernels []string
	Prompts []string
	Styles  []string
	Shots   []int
	Systems []string // texts or @FILE; OwnSystem: the style's own
	Fillers []int    // tokens of other text before each prompt; 0: none

	// Product tries every combination. Otherwise one thing is changed at a time: every model with the first value of each axis, then
	// the first model with each further value of one axis, so that every difference has one cause.
	Product bool
}

// Candidates are those of the axes, the baseline first.
func (a Axes) Candidates() ([]Candidate, error) {
	models := a.models()
	if len(models) == 0 {
		return nil, fmt.Errorf("sweep needs a MODEL, such as an F16 GGUF file with %s, or several", setting.Types)
	}
	settings, all := a.settings(), models
	for _, axis := range settings {
		var next []Candidate
		for _, c := range all {
			for i := range axis.labels {
				if i == 0 || a.Product {
					next = append(next, axis.with(c, i))
				}
			}
		}
		all = next
	}
	base := all[0]
	for _, axis := range settings {
		for i := 1; i < len(axis.labels) && !a.Product; i++ {
			all = append(all, axis.with(base, i))
		}
	}
	return all, distinct(all)
}

// models are the first model, what is made of it, and the others.
func (a Axes) models() []Candidate {
	var all []Candidate
	short := map[string]int{}
	for _, ref := range a.Models {
		short[shortName(ref)]++
	}
	for i, ref := range a.Models {
		name := shortName(ref)
		if short[name] > 1 {
			name = ref
		}
		all = append(all, Candidate{Name: name, Ref: ref})
		if i == 0 {
			for _, t := range a.Types {
				all = append(all, Candidate{Name: t, Type: t})
			}
		}
	}
	return all
}

// shortName is a model's for people: its file's, or what it is called elsewhere.
func shortName(ref string) string {
	if strings.HasSuffix(strings.ToLower(ref), ".gguf") {
		return strings.TrimSuffix(filepath.Base(ref), filepath.Ext(ref))
	}
	return ref
}

// An axis is a setting with the values to try.
type axis struct {
	name   string
	labels []string // of the values
	set    func(c *Candidate, value int)
}

// with is a candidate with a value of the axis, which all but the first add to its name.
func (x axis) with(c Candidate, value int) Candidate {
	if x.set(&c, value); value > 0 {
		c.Name += " " + x.name + " " + x.labels[value]
	}
	return c
}

func axisOf[T any](name string, values []T, set func(*Candidate, T)) axis {
	x := axis{name: name, set: func(c *Candidate, i int) { set(c, values[i]) }}
	for _, value := range values {
		x.labels = append(x.labels, fmt.Sprint(value))
	}
	return x
}

// settings are the axes that have values, but for the models.
func (a Axes) settings() []axis {
	return slices.DeleteFunc([]axis{
		axisOf("kv", a.KVTypes, func(c *Candidate, name string) { c.KVType = name }),
		axisOf("slots", a.Slots, func(c *Candidate, n int) { c.Slots = n }),
		axisOf("kernels", a.Kernels, func(c *Candidate, name string) { c.Kernels = name }),
		axisOf("prompt", a.Prompts, func(c *Candidate, mode string) { c.Prompt = mode }),
		axisOf("style", a.Styles, func(c *Candidate, name string) { c.Style = name }),
		axisOf("shots", a.Shots, func(c *Candidate, n int) { c.Shots = &n }),
		systems(a.Systems),
		fillers(a.Fillers),
	}, func(x axis) bool { return len(x.labels) == 0 })
}

// mostLabel is how many characters of a system text name a candidate.
const mostLabel = 24

// OwnSystem stands for the style's own system text.
const OwnSystem = "@"

// systems is the axis of system texts, which are long: their beginning names them.
func systems(texts []string) axis {
	x := axisOf("system", texts, func(c *Candidate, text string) {
		if text == OwnSystem {
			text = ""
		}
		c.System = &text
	})
	for i, text := range texts {
		label := []rune(strings.Join(strings.Fields(strings.TrimPrefix(text, "@")), " "))
		if len(label) > mostLabel {
			label = append(label[:mostLabel:mostLabel], []rune(fmt.Sprintf("… (%d)", i+1))...)
		}
		if x.labels[i] = string(label); text == OwnSystem {
			x.labels[i] = "of the style"
		}
	}
	return x
}

// fillers is the axis of lengths of other text. One length alone is a setting of all runs and no candidate's own: sweeps that were
// begun before there was an axis go on.
func fillers(lengths []int) axis {
	if len(lengths) == 1 && lengths[0] > 0 {
		return axis{}
	}
	return axisOf("filler", lengths, func(c *Candidate, tokens int) { c.Filler = &tokens })
}

// FillerOf is how many tokens of other text stand before a candidate's prompts.
func (a Axes) FillerOf(c Candidate) int {
	switch {
	case c.Filler != nil:
		return *c.Filler
	case len(a.Fillers) == 1:
		return a.Fillers[0]
	}
	return 0
}

// Asks says whether candidates are asked in different ways: their prompts differ in more than the model's own words.
func (a Axes) Asks() bool {
	return len(a.Styles) > 1 || len(a.Shots) > 1 || len(a.Systems) > 1 || len(a.Fillers) > 1
}

// distinct refuses candidates that are the same.
func distinct(all []Candidate) error {
	seen := map[string]bool{}
	for _, c := range all {
		if seen[c.Name] {
			return fmt.Errorf("%s is swept twice: name it once", c.Name)
		}
		seen[c.Name] = true
	}
	if len(all) < 2 {
		return fmt.Errorf("a sweep compares two candidates or more, and there is only %s: give %s, more models, or several values of %s, %s, %s, "+
			"%s, %s, %s, %s or %s", all[0].Name, setting.Types, setting.KVType, setting.Slots, setting.Kernels, setting.Prompt, setting.Style,
			setting.Shots, setting.System, setting.Filler)
	}
	return nil
}

// folders are those of the candidates' runs, below the sweep's.
func folders(all []Candidate) []string {
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	return output.Folders(names)
}
