package backends

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Recommendation is how a model's tokens are to be drawn, as its file or its server says. It has no seed, and what nobody says does
// nothing.
type Recommendation struct {
	Sampling
	By    string            // who says it, for people, such as "the file"
	From  map[string]string // who says each number that changes anything, by its name in JSON
	Lacks string            // what keeps runs from drawing so, such as mirostat=2, which this program does not have; empty for nothing
}

// A Recommender is a Model whose file or server may say how its tokens are to be drawn.
type Recommender interface {
	// Recommended returns nil where that says nothing.
	Recommended() *Recommendation
}

// beyond are the ways to sample that this program does not have, by llama.cpp's names, with when they do nothing. The numbers that only say
// how one of them is done are not among them.
var beyond = map[string]func(x float64) bool{
	"adaptive_target": func(x float64) bool { return x < 0 },
	"dry_multiplier":  func(x float64) bool { return x == 0 },
	"dynatemp_range":  func(x float64) bool { return x == 0 },
	"mirostat":        func(x float64) bool { return x == 0 },
	"tfs_z":           func(x float64) bool { return x == 1 },
	"top_n_sigma":     func(x float64) bool { return x <= 0 },
	"typical_p":       func(x float64) bool { return x == 1 },
	"xtc_probability": func(x float64) bool { return x <= 0 },
}

// penaltyWindow is the name that llama.cpp and Ollama give to the number of tokens that penalties look back on.
const penaltyWindow = "repeat_last_n"

// Recommend makes a [Recommendation] of the numbers that somebody recommends, by the names that llama.cpp's server and Ollama give them, and
// of the order of the samplers, nil for the usual one. It returns nil where they change nothing.
func Recommend(by string, said map[string]float64, order []string) *Recommendation {
	r := &Recommendation{Sampling: Sampling{TopP: 1}, By: by, From: map[string]string{}}
	var lacks []string
	for _, name := range slices.Sorted(maps.Keys(said)) {
		x := narrowed(said[name])
		if name == "top_k" { // below 0 it keeps all tokens, too
			x = max(0, x)
		}
		does, unknown := beyond[name]
		part := slices.IndexFunc(samplingParts, func(p samplingPart) bool { return p.name == name })
		switch {
		case name == "temperature" && x >= 0 && !math.IsInf(x, 0):
			r.Temperature, r.From[name] = x, by
		case part >= 0 && samplingParts[part].has(x):
			if x != samplingParts[part].none {
				samplingParts[part].set(&r.Sampling, x)
			}
		case name == "temperature" || part >= 0 || unknown && !does(x) || name == penaltyWindow && x != PenaltyWindow && penalises(said):
			lacks = append(lacks, SamplingPart{Name: name, Value: x}.String())
		}
	}
	if greedy := r.From["temperature"] != "" && r.Temperature == 0; greedy { // then they have no effect
		r.TopK, r.TopP, r.MinP = 0, 1, 0
	}
	for part := range r.Parts() {
		if part.Set {
			r.From[part.Name] = by
		}
	}
	if !r.usual(order) {
		lacks = append(lacks, "samplers="+strings.Join(order, ";"))
	}
	if len(r.From)+len(lacks) == 0 {
		return nil
	}
	if r.From["temperature"] == "" && len(lacks) == 0 {
		lacks = []string{"no temperature"}
	}
	r.Lacks = strings.Join(lacks, ", ")
	return r
}

// narrowed is a number as it was before it was kept in 32 bits: 0.95, where that has 0.949999988.
func narrowed(x float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', -1, 32), 64) // which has just written it
	return short
}

// penalises says whether any of the numbers is a penalty's.
func penalises(said map[string]float64) bool {
	of := func(name string, none float64) bool { x, is := said[name]; return is && x != none }
	return of("repeat_penalty", 1) || of("presence_penalty", 0) || of("frequency_penalty", 0)
}

// usual says whether the samplers that do anything come in the order in which they are applied here, each once, and none beside them.
func (r *Recommendation) usual(order []string) bool {
	if order == nil {
		return true
	}
	var here, there []string
	for _, each := range []struct {
		name string
		acts bool
	}{
		{"penalties", r.Penalises()}, {"top_k", r.TopK > 0}, {"top_p", r.From["top_p"] != ""}, {"min_p", r.MinP > 0},
		{"temperature", r.Temperature > 0},
	} {
		if each.acts {
			here = append(here, each.name)
		}
	}
	for _, name := range order {
		if slices.Contains(here, name) || name == "infill" {
			there = append(there, name)
		}
	}
	return slices.Equal(here, there)
}

// String lists what is said, and by whom where that differs.
func (r *Recommendation) String() string {
	var all []string
	add := func(part SamplingPart) {
		from, said := r.From[part.Name]
		if text := part.String(); said && from != r.By {
			all = append(all, text+" ("+from+")")
		} else if said {
			all = append(all, text)
		}
	}
	add(SamplingPart{Name: "temperature", Value: r.Temperature})
	for part := range r.Parts() {
		add(part)
	}
	if r.Lacks != "" {
		all = append(all, r.Lacks)
	}
	return strings.Join(all, ", ")
}
