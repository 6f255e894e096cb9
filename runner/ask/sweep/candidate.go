package sweep

import (
	"fmt"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/ask"
)

// A Candidate is one of the configurations that are compared. Empty and 0 mean the default.
type Candidate struct {
	Name   string // unique; its folder's name begins with it
	Ref    string // of the model; of one that is made, its file
	Type   string // the type to quantise the first model to
	KVType string
}

// Axes are the values to try out; the first of each is the baseline's. An axis without values is left as it is.
type Axes struct {
	Models  []string // references; the first is the baseline, and the source of the types
	Types   []string `flag:"types" is:"identity"` // llama.cpp's file types, such as Q4_K_M
	KVTypes KVTypes  `flag:"kv-type" is:"identity"`
}

// Candidates are the axes' candidates, the baseline first. One thing is changed at a time, so that every difference has
// one cause: every model with the first type of the cache, then the first model with each further type.
func (a Axes) Candidates() ([]Candidate, error) {
	models := a.models()
	if len(models) == 0 {
		return nil, fmt.Errorf("sweep needs a MODEL, such as an F16 GGUF file with %s, or several", setting.Types)
	}
	if len(a.KVTypes) == 0 {
		return models, distinct(models)
	}
	for i := range models {
		models[i].KVType = a.KVTypes[0]
	}
	first := models[0]
	for _, kind := range a.KVTypes[1:] {
		models = append(models, Candidate{Name: first.Name + " kv " + kind, Ref: first.Ref, Type: first.Type, KVType: kind})
	}
	return models, distinct(models)
}

// models are the first model, those quantised from it, and the others.
func (a Axes) models() []Candidate {
	var all []Candidate
	for i, name := range ask.Names(a.Models) {
		all = append(all, Candidate{Name: name, Ref: a.Models[i]})
		if i == 0 {
			for _, t := range a.Types {
				all = append(all, Candidate{Name: t, Type: t})
			}
		}
	}
	return all
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

// Others are the types, as llama.cpp writes them, without the source's own.
func Others(s *backends.Source, types []string) []string {
	var all []string
	for _, t := range types {
		if t = strings.ToUpper(t); t != s.Type {
			all = append(all, t)
		}
	}
	return all
}
