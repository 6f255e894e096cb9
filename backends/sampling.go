package backends

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
)

// Sampling says how the next token is drawn. The zero value is greedy.
type Sampling struct {
	Temperature float64 `json:"temperature"` // 0 is greedy: always the likeliest token, of the others only the penalties used
	TopK        int     `json:"top_k"`       // keep the K likeliest; 0 keeps all
	TopP        float64 `json:"top_p"`       // keep the smallest set with this probability mass; 0 and 1 keep all
	// drop tokens below this share of the likeliest one's probability; 0 drops none
	MinP float64 `json:"min_p" by:"llamacpp,ollama,openai"`
	Seed uint32  `json:"seed"` // same seed, same prompt, same engine settings: same text

	// Penalties on the tokens among the last [PenaltyWindow] of prompt and completion, before anything else is done. The
	// score of one that occurs there n times is divided by RepeatPenalty where it is above 0 and multiplied by it elsewhere,
	// then lessened by n × FrequencyPenalty + PresencePenalty.
	RepeatPenalty    float64 `json:"repeat_penalty,omitempty"` // 0 and 1: none
	PresencePenalty  float64 `json:"presence_penalty,omitempty"`
	FrequencyPenalty float64 `json:"frequency_penalty,omitempty"`
}

// PenaltyWindow is how many tokens penalties look back on, as many as llama.cpp's and Ollama's own do by default.
const PenaltyWindow = 64

// Penalises says whether any penalty is set.
func (s Sampling) Penalises() bool {
	return s.RepeatPenalty != 0 && s.RepeatPenalty != 1 || s.PresencePenalty != 0 || s.FrequencyPenalty != 0
}

// A samplingPart is a number of [Sampling] that people choose, beside temperature and seed.
type samplingPart struct {
	name        string // in JSON, and in lists
	least, most float64
	takes       string // for people
	none        float64
	get         func(s *Sampling) float64
	set         func(s *Sampling, x float64)
}

// has says whether the part can have a value.
func (p samplingPart) has(x float64) bool {
	return Within(x, p.least, p.most) && (p.name != "top_k" || x == math.Trunc(x))
}

// Tiny is the smallest number above 0 that is taken: engines compute with 32 bits, in which smaller ones are 0 or
// divide to infinity.
const Tiny = 1e-6

// Within says whether a number lies within bounds, and is 0 or no smaller than [Tiny].
func Within(x, least, most float64) bool {
	return x >= least && x <= most && (x == 0 || math.Abs(x) >= Tiny)
}

// number is a part that is kept in a number, where 0 means none, too.
func number(name string, least, most float64, takes string, none float64, of func(s *Sampling) *float64) samplingPart {
	return samplingPart{name, least, most, takes, none, func(s *Sampling) float64 { return cmp.Or(*of(s), none) },
		func(s *Sampling, x float64) { *of(s) = x }}
}

// samplingParts are all of them.
var samplingParts = []samplingPart{
	{"top_k", 0, math.MaxInt32, "a whole number; 0 keeps all tokens", 0,
		func(s *Sampling) float64 { return float64(s.TopK) }, func(s *Sampling, x float64) { s.TopK = int(x) }},
	number("top_p", Tiny, 1, "a share above 0 and up to 1, as in 0.95", 1, func(s *Sampling) *float64 { return &s.TopP }),
	number("min_p", 0, 1, "a share from 0 to 1, as in 0.05", 0, func(s *Sampling) *float64 { return &s.MinP }),
	number("repeat_penalty", Tiny, 10, "a number above 0 and at most 10; 1 is none", 1,
		func(s *Sampling) *float64 { return &s.RepeatPenalty }),
	number("presence_penalty", -2, 2, "a number from -2 to 2; 0 is none", 0, func(s *Sampling) *float64 { return &s.PresencePenalty }),
	number("frequency_penalty", -2, 2, "a number from -2 to 2; 0 is none", 0, func(s *Sampling) *float64 { return &s.FrequencyPenalty }),
}

// Parts are the numbers by which tokens are drawn, beside temperature and seed, by their names in JSON and in lists; set says which change
// anything.
func (s Sampling) Parts() iter.Seq[SamplingPart] {
	return func(yield func(SamplingPart) bool) {
		for _, part := range samplingParts {
			if x := part.get(&s); !yield(SamplingPart{part.name, x, x != part.none}) {
				return
			}
		}
	}
}

// SamplingNames are the names of all parts of a [Sampling].
func SamplingNames() (all []string) {
	for _, part := range samplingParts {
		all = append(all, part.name)
	}
	return all
}

// A SamplingPart is one number of a [Sampling].
type SamplingPart struct {
	Name  string
	Value float64
	Set   bool // it changes how tokens are drawn
}

// String is the part as [Sampling.Set] takes it.
func (p SamplingPart) String() string {
	return p.Name + "=" + strconv.FormatFloat(p.Value, 'g', -1, 64)
}

// List are the parts that are set, as [Sampling.Set] takes them.
func (s Sampling) List() string {
	var all []string
	for part := range s.Parts() {
		if part.Set {
			all = append(all, part.String())
		}
	}
	return strings.Join(all, ",")
}

// Map returns the sampling with a function applied to each number but the seed.
func (s Sampling) Map(of func(float64) float64) Sampling {
	for _, part := range samplingParts {
		if x := part.get(&s); math.Float64bits(of(x)) != math.Float64bits(x) { // -0 is another 0
			part.set(&s, of(x))
		}
	}
	s.Temperature = of(s.Temperature)
	return s
}

// Set takes what a list gives, as in top_k=40,top_p=0.95, and leaves the rest as it is.
func (s *Sampling) Set(list string) error {
	for entry := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(entry), "=")
		known := false
		for _, part := range samplingParts {
			if part.name != name {
				continue
			}
			known = true
			x, err := strconv.ParseFloat(value, 64)
			if err == nil && x != 0 && math.Abs(x) < Tiny {
				return fmt.Errorf("%s=%s: give 0.000001 or more, or leave it out: 32 bits hold no less", name, value)
			}
			if err != nil || !part.has(x) {
				return fmt.Errorf("%s=%s: give %s", name, value, part.takes)
			}
			part.set(s, x)
		}
		if !known {
			return fmt.Errorf("%q: there are %s, as in top_k=40,top_p=0.95", entry, strings.Join(SamplingNames(), ", "))
		}
	}
	return nil
}

// Idle names what has no effect on greedy sampling; empty where all has.
func (s Sampling) Idle() string {
	switch {
	case s.Temperature != 0:
		return ""
	case s.TopK > 0:
		return "top_k"
	case s.TopP > 0 && s.TopP < 1:
		return "top_p"
	case s.MinP > 0:
		return "min_p"
	}
	return ""
}
