package sweep

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

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

	// Product tries every combination. Otherwise one thing is changed at a time: every model with the first value of each axis, then
	// the first model with each further value of one axis, so that every difference has one cause.
	Product bool
}

// Candidates are those of the axes, the baseline first.
func (a Axes) Candidates() ([]Candidate, error) {
	models := a.models()
	if len(models) == 0 {
		return nil, fmt.Errorf("sweep needs a MODEL, such as an F16 GGUF file with --types, or several")
	}
	settings := a.settings()
	base := Candidate{}
	for _, axis := range settings {
		axis.values[0].set(&base)
	}
	var all []Candidate
	add := func(c Candidate, name string) { c.Name = name; all = append(all, c) }
	for _, model := range models {
		c := base
		c.Ref, c.Type = model.Ref, model.Type
		if !a.Product {
			add(c, model.Name)
			continue
		}
		combined := []Candidate{c}
		combined[0].Name = model.Name
		for _, axis := range settings {
			var next []Candidate
			for _, c := range combined {
				for i, v := range axis.values {
					changed := c
					v.set(&changed)
					if i > 0 {
						changed.Name += " " + axis.name + " " + v.text
					}
					next = append(next, changed)
				}
			}
			combined = next
		}
		all = append(all, combined...)
	}
	if !a.Product {
		for _, axis := range settings {
			for _, v := range axis.values[1:] {
				c := base
				c.Ref, c.Type = models[0].Ref, models[0].Type
				v.set(&c)
				add(c, models[0].Name+" "+axis.name+" "+v.text)
			}
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
	values []value
}

type value struct {
	text string
	set  func(*Candidate)
}

// settings are the axes that have values, but for the models.
func (a Axes) settings() []axis {
	var all []axis
	add := func(name string, texts []string, set func(*Candidate, string)) {
		if len(texts) == 0 {
			return
		}
		x := axis{name: name}
		for _, text := range texts {
			x.values = append(x.values, value{text, func(c *Candidate) { set(c, text) }})
		}
		all = append(all, x)
	}
	add("kv", a.KVTypes, func(c *Candidate, text string) { c.KVType = text })
	var slots []string
	for _, n := range a.Slots {
		slots = append(slots, strconv.Itoa(n))
	}
	add("slots", slots, func(c *Candidate, text string) { c.Slots, _ = strconv.Atoi(text) })
	add("kernels", a.Kernels, func(c *Candidate, text string) { c.Kernels = text })
	add("prompt", a.Prompts, func(c *Candidate, text string) { c.Prompt = text })
	add("style", a.Styles, func(c *Candidate, text string) { c.Style = text })
	var shots []string
	for _, n := range a.Shots {
		shots = append(shots, strconv.Itoa(n))
	}
	add("shots", shots, func(c *Candidate, text string) { n, _ := strconv.Atoi(text); c.Shots = &n })
	if x := systems(a.Systems); len(x.values) > 0 {
		all = append(all, x)
	}
	return all
}

// mostLabel is how many characters of a system text name a candidate.
const mostLabel = 24

// OwnSystem stands for the style's own system text.
const OwnSystem = "@"

// systems is the axis of system texts, which are long: their beginning names them.
func systems(texts []string) axis {
	x := axis{name: "system"}
	for i, text := range texts {
		label := []rune(strings.Join(strings.Fields(strings.TrimPrefix(text, "@")), " "))
		if len(label) > mostLabel {
			label = append(label[:mostLabel:mostLabel], []rune(fmt.Sprintf("… (%d)", i+1))...)
		}
		name := string(label)
		if text == OwnSystem {
			name, text = "of the style", ""
		}
		x.values = append(x.values, value{name, func(c *Candidate) { c.System = &text }})
	}
	return x
}

// Asks says whether candidates are asked in different ways: their prompts differ in more than the model's own words.
func (a Axes) Asks() bool { return len(a.Styles) > 1 || len(a.Shots) > 1 || len(a.Systems) > 1 }

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
		return fmt.Errorf("a sweep compares two candidates or more, and there is only %s: give --types, more models, or several values "+
			"of --kv-type, --slots, --kernels, --prompt, --style, --shots or --system", all[0].Name)
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
