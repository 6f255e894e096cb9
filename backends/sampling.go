package backends

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Sampling says how the next token is drawn. The zero value is greedy.
type Sampling struct {
	Temperature float64 `json:"temperature"` // 0 is greedy: always the likeliest token, of the others only the penalties used
	TopK        int     `json:"top_k"`       // keep the K likeliest; 0 keeps all
	TopP        float64 `json:"top_p"`       // keep the smallest set with this probability mass; 0 and 1 keep all
	MinP        float64 `json:"min_p"`       // drop tokens below this share of the likeliest one's probability; 0 drops none
	Seed        uint32  `json:"seed"`        // same seed, same prompt, same engine settings: same text

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
	of          func(s *Sampling) any
	none        float64 // the value, beside 0, that changes nothing
}

// samplingParts are all of them.
var samplingParts = []samplingPart{
	{"top_k", 0, math.MaxInt32, "a whole number; 0 keeps all tokens", func(s *Sampling) any { return &s.TopK }, 0},
	{"top_p", math.SmallestNonzeroFloat64, 1, "a share above 0 and up to 1, as in 0.95", func(s *Sampling) any { return &s.TopP }, 1},
	{"min_p", 0, 1, "a share from 0 to 1, as in 0.05", func(s *Sampling) any { return &s.MinP }, 0},
	{"repeat_penalty", math.SmallestNonzeroFloat64, 10, "a number above 0 and at most 10; 1 is none",
		func(s *Sampling) any { return &s.RepeatPenalty }, 1},
	{"presence_penalty", -2, 2, "a number from -2 to 2; 0 is none", func(s *Sampling) any { return &s.PresencePenalty }, 0},
	{"frequency_penalty", -2, 2, "a number from -2 to 2; 0 is none", func(s *Sampling) any { return &s.FrequencyPenalty }, 0},
}

func (p samplingPart) get(s *Sampling) float64 {
	switch to := p.of(s).(type) {
	case *int:
		return float64(*to)
	case *float64:
		return *to
	}
	return 0
}

func (p samplingPart) set(s *Sampling, x float64) {
	switch to := p.of(s).(type) {
	case *int:
		*to = int(x)
	case *float64:
		*to = x
	}
}

// Parts are the numbers that change how tokens are drawn, beside temperature and seed, as [Sampling.Set] takes them.
func (s Sampling) Parts() (all []string) {
	for _, part := range samplingParts {
		if x := part.get(&s); x != 0 && x != part.none {
			all = append(all, part.name+"="+strconv.FormatFloat(x, 'g', -1, 64))
		}
	}
	return all
}

// Set takes what a list gives, as in top_k=40,top_p=0.95, and leaves the rest as it is.
func (s *Sampling) Set(list string) error {
	var names []string
	for _, part := range samplingParts {
		names = append(names, part.name)
	}
	for entry := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(entry), "=")
		known := false
		for _, part := range samplingParts {
			if part.name != name {
				continue
			}
			known = true
			x, err := strconv.ParseFloat(value, 64)
			if err != nil || !(x >= part.least && x <= part.most) || name == "top_k" && x != math.Trunc(x) {
				return fmt.Errorf("%s=%s: give %s", name, value, part.takes)
			}
			part.set(s, x)
		}
		if !known {
			return fmt.Errorf("%q: there are %s, as in top_k=40,top_p=0.95", entry, strings.Join(names, ", "))
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
