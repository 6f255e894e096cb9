package sweep

import (
	"fmt"
	"path/filepath"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/journal/output"
)

// A Candidate is one of the ways that are tried out. What is empty or 0 is as for every run.
type Candidate struct {
	Name string `json:"name"`           // tells it from the others; its folder's begins with it
	Ref  string `json:"ref,omitempty"`  // of a model that is there
	Type string `json:"type,omitempty"` // what the first model is quantised to, of one that is made

	KVType string `json:"kv_type,omitempty"`
}

// Axes are the values to try out; the first of each is the baseline's. An axis without values is left as it is.
type Axes struct {
	Models  []string // references; the first is what the types are made of
	Types   []string `flag:"types" is:"identity"` // llama.cpp's file types, such as Q4_K_M
	KVTypes KVTypes  `flag:"kv-type" is:"identity"`

	// Product tries every combination. Otherwise one thing is changed at a time: every model with the first type of the cache, then the
	// first model with each further one, so that every difference has one cause.
	Product bool `flag:"product" is:"identity"`
}

// Candidates are those of the axes, the baseline first.
func (a Axes) Candidates() ([]Candidate, error) {
	models := a.models()
	if len(models) == 0 {
		return nil, fmt.Errorf("sweep needs a MODEL, such as an F16 GGUF file with %s, or several", setting.Types)
	}
	if len(a.KVTypes) == 0 {
		return models, distinct(models)
	}
	var all, further []Candidate
	for i, c := range models {
		c.KVType = a.KVTypes[0]
		all = append(all, c)
		name := c.Name
		for _, c.KVType = range a.KVTypes[1:] {
			c.Name = name + " kv " + c.KVType
			switch {
			case a.Product:
				all = append(all, c)
			case i == 0:
				further = append(further, c)
			}
		}
	}
	all = append(all, further...)
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
		return fmt.Errorf("a sweep compares two candidates or more, and there is only %s: give %s, more models, or several "+
			"values of %s", all[0].Name, setting.Types, setting.KVType)
	}
	return nil
}

// folders are those of the candidates' runs, below the sweep's.
func folders(all []Candidate) []string {
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	return output.Folders(names, '-')
}
